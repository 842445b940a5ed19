/** Tests that everything of a pipelined request ends when its client disconnects, on every supported version of Node. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { HttpResponse, type Handler, type HttpRequest } from '../http.ts'
import { nodeHandler } from './node-handler.ts'
import { get, modes, post, RawClient, serve } from './raw-client.fixture.ts'

/** Opens a connection to a server of Node's with the handler as its request listener, as in another framework. */
async function openForeign(handler: Handler): Promise<RawClient> {
  const server = createServer(nodeHandler(handler, { logger: silentLogger }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return RawClient.open((server.address() as AddressInfo).port)
}

async function openOwn(handler: Handler, usesInternals: boolean): Promise<RawClient> {
  const app = await serve(handler, {}, usesInternals)
  onTestFinished(() => app[Symbol.asyncDispose]())
  return app.open()
}

const containers: readonly (readonly [string, (handler: Handler) => Promise<RawClient>])[] = [
  ...modes.map(
    ([mode, , usesInternals]) =>
      [mode, (handler: Handler) => openOwn(handler, usesInternals)] as const,
  ),
  ['in another framework', openForeign],
]

const signalAbort = ({ signal }: HttpRequest): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()))

describe.each(containers)('%s', (_container, open) => {
  test('the signals of pipelined requests abort when the client disconnects', async () => {
    const aborted: Promise<void>[] = []
    const started = Promise.withResolvers<void>()
    const client = await open((request) => {
      aborted.push(signalAbort(request))
      if (request.target === '/3') started.resolve()
      return new Promise(() => {})
    })
    client.write(get('/1') + get('/2') + get('/3'))
    await started.promise
    client.socket.destroy()
    await Promise.all(aborted)
    expect(aborted).toHaveLength(3)
  })

  test('the streamed bodies of pipelined requests are closed when the client disconnects', async () => {
    const waiting = Promise.withResolvers<void>()
    const closed: (readonly [string, Promise<void>])[] = []
    const client = await open(({ target }) => {
      const end = Promise.withResolvers<void>()
      closed.push([target, end.promise])
      async function* body() {
        try {
          yield 'first'
          if (target === '/2') waiting.resolve()
          // Waits for a client that reads, but for the response to /2 that is after its buffer is full.
          for (;;) yield 'x'.repeat(100_000)
        } finally {
          end.resolve()
        }
      }
      return target === '/1' ? new Promise(() => {}) : new HttpResponse(200, body())
    })
    client.write(get('/1') + get('/2') + get('/3'))
    await waiting.promise
    client.socket.destroy()
    await Promise.all(closed.slice(1).map(([, end]) => end))
    expect(closed.map(([target]) => target)).toEqual(['/1', '/2', '/3'])
  })

  test('a pipelined request that is handled after the client has disconnected is aborted', async () => {
    const first = Promise.withResolvers<HttpRequest>()
    const body = Promise.withResolvers<unknown>()
    const client = await open((request) => {
      if (request.target === '/1') first.resolve(request)
      else body.resolve(Promise.allSettled([request.body.bytes(10), signalAbort(request)]))
      return new Promise(() => {})
    })
    client.write(get('/1') + post('/2', 'half', '').slice(0, -2))
    await first.promise
    client.socket.destroy()
    expect(await body.promise).toMatchObject([
      { status: 'rejected', reason: { code: 'http.body-aborted' } },
      { status: 'fulfilled' },
    ])
  })

  test('a response that is queued emits close once', async () => {
    const closes: string[] = []
    const started = Promise.withResolvers<void>()
    const all = Promise.withResolvers<void>()
    const client = await open((request) => {
      const { outgoing } = request as unknown as { outgoing: NodeJS.EventEmitter }
      outgoing.on('close', () => {
        closes.push(request.target)
        if (closes.length === 3) setImmediate(all.resolve)
      })
      if (request.target === '/3') started.resolve()
      return new Promise(() => {})
    })
    client.write(get('/1') + get('/2') + get('/3'))
    await started.promise
    client.socket.destroy()
    await all.promise
    expect(closes.sort()).toEqual(['/1', '/2', '/3'])
  })
})
