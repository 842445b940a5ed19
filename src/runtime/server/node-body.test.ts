import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HttpError } from '../base.ts'
import {
  BodyChunks,
  type HttpRequest,
  HttpResponse,
  parseMultipart,
  UploadDirectory,
} from '../http.ts'
import { FetchRequest } from './fetch-handler.ts'
import { BodyRateMonitor, type MonitoredBody } from './time-limits.ts'
import { NodeBody } from './node-body.ts'
import { nodeHandler } from './node-handler.ts'
import type { NodeRequest } from './node-request.ts'
import { close, modes, post, RawClient, serve } from './raw-client.fixture.ts'
import { TrustedProxies } from './trusted-proxies.ts'

const body = 'x'.repeat(300_000)

test.each(modes)(
  'consume: passes every chunk once, one at a time, and frees it afterwards: %s',
  async (_mode, serveInMode, internals) => {
    for (const pause of [false, true]) {
      const blocks: ArrayBuffer[] = []
      const expectFreed = () =>
        expect(blocks.filter((block) => block.detached)).toHaveLength(internals ? blocks.length : 0)
      let bytes = 0
      let running = 0
      await using app = await serveInMode(async (request) => {
        await request.body.consume(1_000_000, (chunk) => {
          expectFreed()
          expect(++running).toBe(1)
          bytes += chunk.byteLength
          blocks.push(chunk.buffer as ArrayBuffer)
          if (pause) return setImmediate().then(() => void running--)
          running--
          return undefined
        })
        expect(blocks.length).toBeGreaterThan(1)
        expectFreed()
        return new HttpResponse(200, String(bytes))
      })
      expect(await app.exchange(post('/', body, close))).toMatch(/\r\n\r\n300000$/)
    }
  },
)

test('consume: does not free chunks that other code may keep', async () => {
  const kept: Uint8Array[] = []
  const other: ((request: NodeRequest) => void)[] = [
    ({ incoming }) => incoming.on('data', (chunk: Buffer) => kept.push(chunk)),
    // Some frameworks replace the prototype, and adapters have chunks from other sources.
    ({ incoming }) =>
      Object.setPrototypeOf(incoming, Object.create(Object.getPrototypeOf(incoming))),
  ]
  for (const touch of other) {
    await using app = await serve(async (request) => {
      const whole = request.body.consume(1_000_000, (chunk) => {
        kept.push(chunk)
        return undefined
      })
      touch(request as NodeRequest)
      await whole
      return new HttpResponse()
    })
    kept.length = 0
    await app.exchange(post('/', body, close))
    expect(kept.length).toBeGreaterThan(1)
    expect(kept.every((chunk) => chunk.byteLength > 0)).toBe(true)
  }
})

test('consume: does not free chunks of an instrumented message, or of another server', async () => {
  const kept: Uint8Array[] = []
  const handle = async (request: HttpRequest): Promise<HttpResponse> => {
    await request.body.consume(1_000_000, (chunk) => {
      kept.push(chunk)
      return undefined
    })
    return new HttpResponse()
  }
  await using ours = await serve((request) => {
    const { incoming } = request as NodeRequest
    // An instrument that reads the chunks without adding a listener.
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
  expect(kept.reduce((bytes, chunk) => bytes + chunk.byteLength, 0)).toBe(2 * body.length)
})

test('consume: one chunk at a time, even if other code resumes the request', async () => {
  await using app = await serve(async (request) => {
    const { incoming } = request as NodeRequest
    let running = 0
    let bytes = 0
    await request.body.consume(1_000_000, async (chunk) => {
      expect(++running).toBe(1)
      await setImmediate()
      incoming.resume()
      if (!incoming.readableEnded)
        await new Promise((resolve) => incoming.once('pause', resolve).once('end', resolve))
      bytes += chunk.byteLength
      running--
    })
    return new HttpResponse(200, String(bytes))
  })
  expect(await app.exchange(post('/', body, close))).toMatch(/\r\n\r\n300000$/)
})

test('consume: an error of the callback, synchronous or not, ends the reading', async () => {
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

test('consume: within the limit, once, and rejected when the client disconnects', async () => {
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
  expect(await outcome.promise).toMatchObject({ status: 499, code: 'http.body-aborted' })
})

test('consume: a body that arrives too slowly is rejected', async () => {
  const reading = Promise.withResolvers<MonitoredBody>()
  class Rate extends BodyRateMonitor {
    override begin(body: MonitoredBody): void {
      reading.resolve(body)
    }
  }
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['content-length'] = '100'
  const slow = new NodeBody(incoming, new Rate(240), undefined).consume(100, () => undefined)
  ;(await reading.promise).tooSlow()
  await expect(slow).rejects.toMatchObject({ status: 408, code: 'http.body-too-slow' })
})

test('reading after the client has disconnected is rejected at once, in every way', async () => {
  const gone = () => {
    const incoming = new IncomingMessage(new Socket())
    incoming.headers['content-length'] = '100'
    incoming.destroy()
    return new NodeBody(incoming, new BodyRateMonitor(240), undefined)
  }
  const aborted = { status: 499, code: 'http.body-aborted' }
  await expect(gone().bytes(100)).rejects.toMatchObject(aborted)
  await expect(gone().consume(100, () => undefined)).rejects.toMatchObject(aborted)
  expect(() => gone().stream(100)).toThrow(expect.objectContaining(aborted))
})

const timeout = { status: 503, code: 'server.handler-timeout' }

test('an upload that exceeds the time limit of its handler: one file was created, none is left', async () => {
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
])('%s fails after the handler was cancelled', async (_name, read) => {
  const outcome = Promise.withResolvers<unknown>()
  await using app = await serve(
    async (request) => {
      const { signal } = request
      const cancelled = new Promise((resolve) => signal.addEventListener('abort', resolve))
      await cancelled
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
  expect(await client.closed()).toMatch(/^HTTP\/1\.1 503 /)
  expect(client.received).toMatch(
    /503 Service Unavailable\r\n[^]*Connection: close\r\n[^]*Service Unavailable\n$/,
  )
})

test('BodyChunks: concatenates the chunks in order, and does not copy a single one', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3000 }), { maxLength: 8 }), (lengths) => {
      const given = lengths.map((length, at) => Buffer.alloc(length, at + 1))
      const pieces = new BodyChunks()
      for (const piece of given) pieces.add(piece)
      expect(Buffer.concat(given).equals(pieces.concat())).toBe(true)
      if (given.length === 1) expect(pieces.concat()).toBe(given[0])
    }),
  )
})

// Keeping a chunk costs five hundred times its byte. Here all chunks but the first share one block: keeping them fails.
const count = 300
const same = Buffer.alloc(1)
function* smallChunks(): Generator<Buffer> {
  for (let at = 0; at < count; at++) {
    same[0] = at
    yield at === 0 ? Buffer.from(same) : same
  }
}
const expected = Buffer.from(Array.from({ length: count }, (_, at) => at))

test('small chunks are copied, not kept: in Node', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['transfer-encoding'] = 'chunked'
  const whole = new NodeBody(incoming, new BodyRateMonitor(0), undefined).bytes(1000)
  for (const piece of smallChunks()) incoming.emit('data', piece)
  incoming.emit('end')
  expect(expected.equals(await whole)).toBe(true)
})

test('small chunks are copied, not kept: in Fetch', async () => {
  const pieces = smallChunks()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The previous chunk has been read.
        await setImmediate()
        const { value } = pieces.next()
        if (value === undefined) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  const init = { method: 'POST', body, duplex: 'half' }
  const request = new FetchRequest(
    new Request('http://localhost/', init),
    '',
    new TrustedProxies({ trustedProxies: [], forwardedHost: true }),
  )
  expect(expected.equals(await request.body.bytes(1000))).toBe(true)
})
