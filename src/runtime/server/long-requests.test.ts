/** Slow uploads are not cut by the handler's limit, and a stop ends event streams at once. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventStream, HttpResponse } from '../http.ts'
import { modes, serve } from './raw-client.fixture.ts'

test.each(modes)(
  '%s: the time of the handler begins when the body has arrived',
  async (_mode, serveMode) => {
    await using app = await serveMode(
      async (request) => {
        const bytes = await request.body.bytes(1000)
        if (bytes[0] === 0x7a) await new Promise(() => {})
        return new HttpResponse(200, String(bytes.length))
      },
      { handlerTimeout: 160 },
    )
    for (const [letter, status] of [
      ['a', 200],
      ['z', 503],
    ] as const) {
      const client = await app.open()
      client.write(
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\nConnection: close\r\n\r\n',
      )
      for (let sent = 0; sent < 8; sent++) {
        client.write(letter)
        await delay(80)
      }
      expect(await client.closed()).toContain(`HTTP/1.1 ${status} `)
    }
  },
)

test.each([
  ['no minimum rate', 0, 1_000],
  ['a body far above the minimum rate', 240, 1_000_000],
])(
  'a handler that no longer reads the body has its time limit: %s',
  async (_case, minBodyRate, length) => {
    const stuck = () => new Promise<void>(() => {})
    await using app = await serve(
      async (request) => {
        await request.body.consume(2 * length, stuck)
        return new HttpResponse(200)
      },
      { handlerTimeout: 160, minBodyRate },
    )
    const client = await app.open()
    client.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
    )
    client.write('a'.repeat(length / 2))
    expect(await client.until('HTTP/1.1')).toContain('HTTP/1.1 503 ')
  },
)

test.each(modes)(
  '%s: a stop ends event streams as complete responses',
  async (_mode, serveMode) => {
    const finished: string[] = []
    await using app = await serveMode(
      (request) => {
        async function* events() {
          try {
            yield 'one'
            await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
          } finally {
            finished.push(request.target)
          }
        }
        const response = new HttpResponse(200, eventStream(events()))
        response.headers.set('Content-Type', 'text/event-stream')
        return response
      },
      { shutdownGrace: 86_400_000 },
    )
    const streams = await Promise.all(
      Array.from({ length: 50 }, async (_, n) =>
        (await fetch(`${app.url}/${n}`)).body!.getReader(),
      ),
    )
    for (const stream of streams) {
      let text = ''
      while (!text.includes('data: one'))
        text += new TextDecoder().decode((await stream.read()).value)
    }
    const begun = performance.now()
    const closing = app.server.close()
    for (const stream of streams) while (!(await stream.read()).done);
    await closing
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(finished).toHaveLength(50)
  },
)

test('a download keeps the grace of a stop', async () => {
  const gate = Promise.withResolvers<void>()
  async function* chunks() {
    yield 'first'
    await gate.promise
    yield 'last'
  }
  await using app = await serve(() => new HttpResponse(200, chunks()), {
    shutdownGrace: 86_400_000,
  })
  const response = await fetch(app.url)
  const closing = app.server.close()
  gate.resolve()
  expect(await response.text()).toBe('firstlast')
  await closing
})
