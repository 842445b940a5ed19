import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HttpError } from '../base.ts'
import { HttpResponse } from '../http.ts'
import { type Arriving, BodyRate } from './body-rate.ts'
import { NodeBody } from './node-body.ts'
import type { NodeRequest } from './node-request.ts'
import { close, post, serve } from './raw-client.fixture.ts'

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
