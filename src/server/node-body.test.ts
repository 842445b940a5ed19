import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HttpError } from '../base.ts'
import { type HttpRequest, HttpResponse, parseMultipart, UploadDirectory } from '../http.ts'
import { type Arriving, BodyRate } from './body-rate.ts'
import { NodeBody } from './node-body.ts'
import { nodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import { close, post, RawClient, serve } from './raw-client.fixture.ts'

const body = 'x'.repeat(300_000)

test('consume: every byte is lent once, one piece at a time, and freed at once', async () => {
  for (const pause of [false, true]) {
    const blocks: ArrayBuffer[] = []
    let bytes = 0
    let lent = 0
    await using app = await serve(async (request) => {
      await request.body.consume(1_000_000, (piece) => {
        expect(blocks.every((block) => block.detached)).toBe(true)
        expect(++lent).toBe(1)
        bytes += piece.byteLength
        blocks.push(piece.buffer as ArrayBuffer)
        if (pause) return setImmediate().then(() => void lent--)
        lent--
        return undefined
      })
      expect(blocks.length).toBeGreaterThan(1)
      expect(blocks.every((block) => block.detached)).toBe(true)
      return new HttpResponse(200, String(bytes))
    })
    expect(await app.exchange(post('/', body, close))).toMatch(/\r\n\r\n300000$/)
  }
})

test('consume: pieces that others may hold stay as they are', async () => {
  const kept: Uint8Array[] = []
  const other: ((request: NodeRequest) => void)[] = [
    ({ incoming }) => incoming.on('data', (piece: Buffer) => kept.push(piece)),
    // As frameworks do that put their own methods on it, and adapters whose pieces come from elsewhere.
    ({ incoming }) =>
      Object.setPrototypeOf(incoming, Object.create(Object.getPrototypeOf(incoming))),
  ]
  for (const touch of other) {
    await using app = await serve(async (request) => {
      const whole = request.body.consume(1_000_000, (piece) => {
        kept.push(piece)
        return undefined
      })
      touch(request as NodeRequest)
      await whole
      return new HttpResponse()
    })
    kept.length = 0
    await app.exchange(post('/', body, close))
    expect(kept.length).toBeGreaterThan(1)
    expect(kept.every((piece) => piece.byteLength > 0)).toBe(true)
  }
})

test('consume: pieces stay as they are where an instrument looks on, and in the server of another', async () => {
  const kept: Uint8Array[] = []
  const handle = async (request: HttpRequest): Promise<HttpResponse> => {
    await request.body.consume(1_000_000, (piece) => {
      kept.push(piece)
      return undefined
    })
    return new HttpResponse()
  }
  await using ours = await serve((request) => {
    const { incoming } = request as NodeRequest
    // It sees what a listener is given without being one itself.
    incoming.on = incoming.on.bind(incoming)
    return handle(request)
  })
  await ours.exchange(post('/', body, close))
  const theirs = createServer(nodeHandler(handle)).listen(0, '127.0.0.1')
  await once(theirs, 'listening')
  const client = await RawClient.open((theirs.address() as AddressInfo).port)
  client.write(post('/', body, close))
  await client.closed()
  theirs.close()
  expect(kept.reduce((bytes, piece) => bytes + piece.byteLength, 0)).toBe(2 * body.length)
})

test('consume: still one piece at a time when another resumes the request', async () => {
  await using app = await serve(async (request) => {
    const { incoming } = request as NodeRequest
    let lent = 0
    let bytes = 0
    await request.body.consume(1_000_000, async (piece) => {
      expect(++lent).toBe(1)
      await setImmediate()
      incoming.resume()
      if (!incoming.readableEnded)
        await new Promise((resolve) => incoming.once('pause', resolve).once('end', resolve))
      bytes += piece.byteLength
      lent--
    })
    return new HttpResponse(200, String(bytes))
  })
  expect(await app.exchange(post('/', body, close))).toMatch(/\r\n\r\n300000$/)
})

test('consume: what the borrower throws, at once or later, ends the reading', async () => {
  for (const later of [false, true]) {
    let calls = 0
    await using app = await serve(async (request) => {
      await request.body.consume(1_000_000, () => {
        calls++
        const error = new HttpError(422, 'http.body-invalid', 'no more')
        if (later) return Promise.reject(error)
        throw error
      })
      return new HttpResponse()
    })
    expect(await app.exchange(post('/', body, close))).toMatch(/^HTTP\/1\.1 422/)
    expect(calls).toBe(1)
  }
})

test('consume: limited, once, and told when the client leaves', async () => {
  const outcome = Promise.withResolvers<unknown>()
  await using app = await serve(async (request) => {
    if (request.target === '/gone') {
      const half = request.body.consume(1000, () => setImmediate())
      await half.catch((error: unknown) => outcome.resolve(error))
    } else await request.body.consume(100_000, () => undefined)
    const again = request.body.consume(1, () => undefined)
    await expect(again).rejects.toMatchObject({ code: 'http.body-consumed' })
    return new HttpResponse()
  })
  expect(await app.exchange(post('/', body, close))).toMatch(/^HTTP\/1\.1 413/)
  const chunk = `${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`
  const chunked = 'POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n'
  expect(await app.exchange(`${chunked}${close}\r\n${chunk.repeat(2)}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 413/,
  )
  expect(await app.exchange(`${chunked}${close}\r\n${chunk}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200/)
  const client = await app.open()
  client.write('POST /gone HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc')
  await setImmediate()
  client.socket.destroy()
  expect(await outcome.promise).toMatchObject({ status: 400, code: 'http.body-aborted' })
})

test('consume: a body that trickles is refused, as one that is read whole', async () => {
  const reading = Promise.withResolvers<Arriving>()
  class Rate extends BodyRate {
    override begin(body: Arriving): void {
      reading.resolve(body)
    }
  }
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['content-length'] = '100'
  const slow = new NodeBody(incoming, new Rate(240), undefined).consume(100, () => undefined)
  ;(await reading.promise).tooSlow()
  await expect(slow).rejects.toMatchObject({ status: 408, code: 'http.body-too-slow' })
})

test('a body asked for after the client has gone is told at once, in each way of reading', async () => {
  const gone = () => {
    const incoming = new IncomingMessage(new Socket())
    incoming.headers['content-length'] = '100'
    incoming.destroy()
    return new NodeBody(incoming, new BodyRate(240), undefined)
  }
  const aborted = { status: 400, code: 'http.body-aborted' }
  await expect(gone().bytes(100)).rejects.toMatchObject(aborted)
  await expect(gone().consume(100, () => undefined)).rejects.toMatchObject(aborted)
  expect(() => gone().stream(100)).toThrow(expect.objectContaining(aborted))
})

const timeout = { status: 503, code: 'server.handler-timeout' }

test('an upload that takes longer than the handler may: one file was made, none is left', async () => {
  const root = await mkdtemp(join(tmpdir(), 'fw-node-body-test-'))
  const making = Promise.withResolvers<void>()
  const disk = Promise.withResolvers<void>()
  let made = 0
  class SlowDirectory extends UploadDirectory {
    override async create() {
      made++
      making.resolve()
      await disk.promise
      return super.create()
    }
  }
  const outcome = Promise.withResolvers<unknown>()
  await using app = await serve(
    async (request) => {
      const reading = parseMultipart(request, new SlowDirectory(root), { fileMemoryBytes: 0 })
      outcome.resolve(await reading.catch((error: unknown) => error))
      return new HttpResponse()
    },
    { handlerTimeout: 30 },
  )
  try {
    const client = await app.open()
    const file = 'x'.repeat(10_000)
    const head = `--B\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n`
    const upload = `${head}${file}\r\n--B--`
    const request = post('/', upload, 'Content-Type: multipart/form-data; boundary=B\r\n')
    client.write(request.slice(0, -file.length))
    await making.promise
    await client.until('503 Service Unavailable')
    client.write(request.slice(-file.length))
    await client.closed()
    disk.resolve()
    expect(await outcome.promise).toMatchObject(timeout)
    expect(made).toBe(1)
    const left = await readdir(root, { recursive: true, withFileTypes: true })
    expect(left.filter((each) => each.isFile())).toEqual([])
  } finally {
    await rm(root, { recursive: true })
  }
})

test.each<[string, (request: HttpRequest) => Promise<unknown>]>([
  ['bytes', ({ body }) => body.bytes(1000)],
  ['consume', ({ body }) => body.consume(1000, () => undefined)],
  ['stream', async ({ body }) => body.stream(1000).pipeTo(new WritableStream())],
])('%s fails when the handler is given up, and afterwards', async (_name, read) => {
  for (const begun of ['before', 'after']) {
    const outcome = Promise.withResolvers<unknown>()
    await using app = await serve(
      async (request) => {
        const { signal } = request
        const givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve))
        if (begun === 'after') await givenUp
        outcome.resolve(await read(request).catch((error: unknown) => error))
        return new HttpResponse()
      },
      { handlerTimeout: 30 },
    )
    const client = await app.open()
    client.write(post('/', body.slice(0, 900), 'Expect: 100-continue\r\n').slice(0, -1))
    await client.until('503 Service Unavailable')
    expect(await outcome.promise).toMatchObject(timeout)
    client.write(body.slice(-1))
    expect(await client.closed()).toMatch(
      begun === 'before' ? /^HTTP\/1\.1 100 / : /^HTTP\/1\.1 503 /,
    )
    expect(client.received).toMatch(
      /503 Service Unavailable\r\n[^]*Connection: close\r\n[^]*Service Unavailable\n$/,
    )
  }
})
