/** Streams: chunked writing with back-pressure, server-sent events, and clients that leave. */
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FwContext } from '../../src/runtime/action.ts'
import { FwController, microFilter, mix, routes } from '../../src/runtime/controller.ts'
import { MainThreadLocalEverywhere } from '../../src/runtime/feature.ts'
import type { Mountable } from '../../src/runtime/app.ts'
import { makesProgress, serve } from '../support/serve.ts'

/** An open connection that has asked for `path`. */
async function ask(controller: Mountable, path: string, headers = '') {
  const app = await serve([controller])
  const { port } = await app.app.listen(0)
  const socket = connect(port, '127.0.0.1')
  onTestFinished(async () => {
    socket.destroy()
    await app.app.close(0)
  })
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)
  return { app, socket, url: `http://127.0.0.1:${port}`, received: () => received }
}

const gone = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve).destroy())

describe('stream', () => {
  class Streams extends FwController {
    text() {
      return this.response.stream(async function* () {
        yield 'one '
        yield Buffer.from('two')
      })
    }
    typed() {
      this.response.headers.set('Content-Type', 'text/csv')
      return this.response.stream(async function* () {
        yield 'a,b\n'
      })
    }
    native() {
      return this.response.stream(new Response('native').body!)
    }
    written() {
      return this.response.withOutputStream(async (out) => {
        await out.writeChunk('one ')
        await out.writeChunk(Buffer.from('two'))
      })
    }
  }
  const streams = routes(Streams, (r) => ({
    text: r.get('/text', 'text'),
    typed: r.get('/typed', 'typed'),
    native: r.get('/native', 'native'),
    written: r.get('/written', 'written'),
  }))

  for (const [path, type, body] of [
    ['/text', 'text/html; charset=utf-8', 'one two'],
    ['/typed', 'text/csv; charset=utf-8', 'a,b\n'],
    ['/native', 'text/html; charset=utf-8', 'native'],
    ['/written', 'text/html; charset=utf-8', 'one two'],
  ] as const) {
    it(`${path} sends what comes, typed ${type}`, async () => {
      const page = await (await serve([streams])).get(path)
      expect([page.headers.get('content-type'), page.body]).toEqual([type, body])
      expect(page.headers.get('content-length')).toBeNull()
      expect(page.headers.get('x-accel-buffering')).toBe('no')
    })
  }

  it('an action may let nginx buffer its stream', async () => {
    const app = await serve([
      microFilter((r) => ({
        x: r.get('/x', ({ response }) => {
          response.headers.set('X-Accel-Buffering', 'yes')
          return response.stream(new Response('x').body!)
        }),
      })),
    ])
    expect((await app.get('/x')).headers.get('x-accel-buffering')).toBe('yes')
  })

  it('HEAD begins no stream', async () => {
    let began = false
    const app = await serve([
      microFilter((r) => ({
        x: r.get('/x', (c) =>
          c.response.withOutputStream(async () => {
            began = true
          }),
        ),
      })),
    ])
    expect([(await app.head('/x')).status, began]).toEqual([200, false])
  })

  it('a fast writer waits while the client does not read', async () => {
    let written = 0
    const chunk = Buffer.alloc(64 * 1024)
    const controller = microFilter((r) => ({
      x: r.get('/x', (c) =>
        c.response.withOutputStream(async (out) => {
          for (; written < 10_000; written++) await out.writeChunk(chunk)
        }),
      ),
    }))
    const { socket, url, received } = await ask(controller, '/x')
    await expect.poll(() => received().length).toBeGreaterThan(100_000)
    socket.pause()
    await expect.poll(() => makesProgress(url, () => written)).toBe(false)
    const held = written
    expect(held).toBeLessThan(1000)
    socket.resume()
    await expect.poll(() => written).toBeGreaterThan(held)
    await gone(socket)
  })

  it('ends the writer when the client leaves: its signal is aborted, its next write refused', async () => {
    const ended: string[] = []
    const controller = microFilter((r) => ({
      x: r.get('/x', (c) =>
        c.response.withOutputStream(async (out, signal) => {
          signal.addEventListener('abort', () => ended.push('aborted'))
          try {
            for (;;) await out.writeChunk('tick')
          } catch (error) {
            ended.push((error as Error).name)
            throw error
          }
        }),
      ),
    }))
    const { app, socket, received } = await ask(controller, '/x')
    await expect.poll(received).toContain('tick')
    await gone(socket)
    await expect.poll(() => ended.length).toBe(2)
    expect(ended.toSorted((a, b) => a.localeCompare(b))).toEqual(['aborted', 'ClientGone'])
    expect(app.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('cuts the response when the writer fails', async () => {
    const failing = Promise.withResolvers<void>()
    const controller = microFilter((r) => ({
      x: r.get('/x', (c) =>
        c.response.withOutputStream(async (out) => {
          await out.writeChunk('begun')
          await failing.promise
        }),
      ),
    }))
    const { app, socket, received } = await ask(controller, '/x')
    await expect.poll(received).toContain('begun')
    failing.reject(new Error('broken'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(received()).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(app.lines.some(({ message }) => message === 'response stream failed')).toBe(true)
  })

  it('runs after the filters', async () => {
    const order: string[] = []
    class Order extends mix(FwController) {
      static {
        this.after(() => void order.push('after'))
      }
      x() {
        return this.response.stream(async function* () {
          order.push('stream')
          yield 'x'
        })
      }
    }
    await (await serve([routes(Order, (r) => ({ x: r.get('/x', 'x') }))])).get('/x')
    expect(order).toEqual(['after', 'stream'])
  })
})

describe('server-sent events', () => {
  it('go out one by one, with the headers that keep them flowing', async () => {
    let send = (_text: string): void => {}
    let left = false
    const controller = microFilter((r) => ({
      events: r.get('/events', (c) =>
        c.response.sse(async function* (signal, lastEventId) {
          try {
            yield { event: 'hello', data: { lastEventId } }
            for (;;)
              yield await new Promise<string>((resolve) => {
                send = resolve
                signal.addEventListener('abort', () => resolve('late'), { once: true })
              })
          } finally {
            left = true
          }
        }),
      ),
    }))
    const { socket, received } = await ask(controller, '/events', 'Last-Event-ID: 7\r\n')
    await expect.poll(received).toContain('event: hello\ndata: {"lastEventId":"7"}\n\n')
    expect(received()).toMatch(/content-type: text\/event-stream; charset=utf-8\r\n/i)
    expect(received()).toMatch(/cache-control: private, no-cache, no-transform\r\n/i)
    expect(received()).toMatch(/x-accel-buffering: no\r\n/i)
    send('two\nlines')
    await expect.poll(received).toContain('data: two\ndata: lines\n\n')
    await gone(socket)
    await expect.poll(() => left).toBe(true)
  })
})

describe('every chunk is produced in the async context of the request', () => {
  const contextOf = () => {
    try {
      return FwContext.current().params.get('name')!
    } catch {
      return 'none'
    }
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  async function* names() {
    for (let at = 0; at < 3; at++) {
      await turn()
      yield `${contextOf()} `
    }
  }

  const sources = {
    generator: (c: FwController) => c.response.stream(names),
    writer: (c: FwController) =>
      c.response.withOutputStream(async (out) => {
        for await (const name of names()) await out.writeChunk(name)
      }),
    events: (c: FwController) => c.response.sse(names()),
    web: (c: FwController) => {
      let left = 3
      return c.response.stream(
        new ReadableStream<string>({
          async pull(controller) {
            await turn()
            controller.enqueue(`${contextOf()} `)
            if (--left === 0) controller.close()
          },
        }) as never,
      )
    },
    node: (c: FwController) => {
      let left = 3
      const read = function (this: Readable) {
        setImmediate(() => this.push(left-- > 0 ? `${contextOf()} ` : null))
      }
      return c.response.stream(new Readable({ read, highWaterMark: 1 }))
    },
    response: () => new Response(Readable.toWeb(Readable.from(names())) as never),
  }

  class Streams extends mix(FwController, MainThreadLocalEverywhere) {}
  const streams = routes(Streams, (r) =>
    Object.fromEntries(
      Object.entries(sources).map(([kind, action]) => [kind, r.get(`/${kind}/:name`, action)]),
    ),
  )

  it.each(Object.keys(sources))('%s', async (kind) => {
    const { app } = await serve([streams])
    const { url } = await app.listen(0)
    onTestFinished(() => app.close(0))
    const bodies = await Promise.all(
      ['ann', 'bob'].map(async (name) => (await fetch(`${url}/${kind}/${name}`)).text()),
    )
    expect(bodies.map((body) => body.match(/ann|bob|none/g))).toEqual([
      ['ann', 'ann', 'ann'],
      ['bob', 'bob', 'bob'],
    ])
  })

  it('and closed in it', async () => {
    const closed = Promise.withResolvers<string | undefined>()
    const open = routes(Streams, (r) => ({
      x: r.get('/x/:name', (c) =>
        c.response.sse(async function* () {
          try {
            for (;;) {
              yield 'tick'
              await turn()
            }
          } finally {
            closed.resolve(contextOf())
          }
        }),
      ),
    }))
    const { socket, received } = await ask(open, '/x/ann')
    await expect.poll(received).toContain('tick')
    await gone(socket)
    expect(await closed.promise).toBe('ann')
  })
})
