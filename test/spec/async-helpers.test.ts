/** Endpoints › Async helpers of the specification, filter 3, and what happens after the response. */
import { describe, expect, it, vi } from 'vitest'
import { awaitFutures } from '../../src/runtime/feature.ts'
import { HttpError, silentLogger } from '../../src/runtime/base.ts'
import { AsyncFwController, routes } from '../../src/runtime/controller.ts'
import type { FwContext } from '../../src/index.ts'
import { HttpServer } from '../../src/runtime/server.ts'
import { serve } from '../support/serve.ts'

const never = new Promise<never>(() => {})

describe('awaitFutures', () => {
  it('gives the values of all, in their order and with their types', async () => {
    const [one, two, three] = await awaitFutures(1000, Promise.resolve(1), Promise.resolve('2'), 3)
    const typed: [number, string, number] = [one, two, three]
    expect(typed).toEqual([1, '2', 3])
    expect(await awaitFutures(1000)).toEqual([])
  })

  it('rejects past its time, as a fault of 504', async () => {
    vi.useFakeTimers()
    try {
      let isSettled = false
      const waiting = awaitFutures(5000, never)
        .catch((error: unknown) => error)
        .finally(() => (isSettled = true))
      await vi.advanceTimersByTimeAsync(4999)
      expect(isSettled).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      const error = await waiting
      expect(error).toBeInstanceOf(HttpError)
      expect(error).toMatchObject({ status: 504, code: 'action.futures-late' })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('waits for ever when told so, and leaves no timer', async () => {
    vi.useFakeTimers()
    try {
      expect(await awaitFutures(Infinity, Promise.resolve(1))).toEqual([1])
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('rejects with the first failure; later ones are no unhandled rejections', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const late = Promise.withResolvers<never>()
      await expect(
        awaitFutures(1000, late.promise, Promise.reject(new Error('first')), never),
      ).rejects.toThrow('first')
      late.reject(new Error('late'))
      await new Promise(setImmediate)
      expect(unhandled).toEqual([])
    } finally {
      process.off('unhandledRejection', note)
    }
  })
})

describe('asynchronous actions', () => {
  class Dashboard extends AsyncFwController {
    static {
      this.error(RangeError, (error) => `handled ${error.message}`)
      this.after(async (c) => {
        await Promise.resolve()
        c.response.headers.set('X-After', 'done')
      })
    }
    async index(ctx: FwContext) {
      const scope = ctx.requestScope()
      await Promise.all([1, 2].map(async (n) => scope.set(`n${n}`, n)))
      return [...scope]
    }
    async halts() {
      await Promise.resolve()
      this.halt({ status: 409, body: 'halted' })
    }
    async leads() {
      await Promise.resolve()
      return this.redirect('/x')
    }
    async fails() {
      await Promise.resolve()
      throw new RangeError('late')
    }
    async passes() {
      await Promise.resolve()
      this.pass()
    }
  }
  const dashboard = routes(Dashboard, (r) => ({
    index: r.get('/', 'index'),
    halts: r.get('/halts', 'halts'),
    leads: r.get('/leads', 'leads'),
    fails: r.get('/fails', 'fails'),
    passes: r.get('/passes', 'passes'),
    next: r.get('/*', () => 'next'),
  }))

  for (const [path, status, body] of [
    ['/', 200, '[["n1",1],["n2",2]]'],
    ['/halts', 409, 'halted'],
    ['/leads', 302, ''],
    ['/fails', 500, 'handled late'],
    ['/passes', 200, 'next'],
  ] as const) {
    it(`${path} is answered as a synchronous one would be, after its filters`, async () => {
      const page = await (await serve([dashboard])).get(path)
      expect([page.status, page.body, page.headers.get('x-after')]).toEqual([status, body, 'done'])
    })
  }

  it('fifty at once run concurrently and keep their requests apart', async () => {
    const all = Promise.withResolvers<void>()
    let running = 0
    const apart = routes(Dashboard, (r) => ({
      echo: r.get('/:n', async (c, ctx) => {
        ctx.requestScope().set('n', c.params.get('n'))
        running += 1
        if (running === 50) all.resolve()
        await all.promise
        return `${String(c.view.get('n'))} ${c.request.header('x-n')}`
      }),
    }))
    const app = await serve([apart])
    const numbers = Array.from({ length: 50 }, (_, n) => String(n))
    const bodies = await Promise.all(
      numbers.map(async (n) => (await app.get(`/${n}`, { headers: { 'x-n': n } })).body),
    )
    expect(bodies).toEqual(numbers.map((n) => `${n} ${n}`))
  })
})

describe('the end of a request', () => {
  it('an action that takes too long answers 503, and ctx.signal tells it so', async () => {
    const aborted = Promise.withResolvers<unknown>()
    class Slow extends AsyncFwController {
      async index(ctx: FwContext) {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        aborted.resolve(ctx.signal.aborted)
        return 'too late'
      }
    }
    const app = await serve([routes(Slow, (r) => ({ index: r.get('/', 'index') }))])
    const server = new HttpServer(app.app.application.handle, {
      handlerTimeout: 20,
      logger: silentLogger,
    })
    const { port } = await server.listen(0)
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`)
      expect(response.status).toBe(503)
      expect(await aborted.promise).toBe(true)
    } finally {
      await server.close()
    }
  })

  it('a client that goes away aborts ctx.signal', async () => {
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<boolean>()
    class Slow extends AsyncFwController {
      async index(ctx: FwContext) {
        ctx.signal.addEventListener('abort', () => aborted.resolve(ctx.signal.aborted))
        begun.resolve()
        await aborted.promise
        return 'x'
      }
    }
    const app = await serve([routes(Slow, (r) => ({ index: r.get('/', 'index') }))])
    const server = new HttpServer(app.app.application.handle, {})
    const { port } = await server.listen(0)
    try {
      const client = new AbortController()
      const sent = fetch(`http://127.0.0.1:${port}/`, { signal: client.signal }).catch(() => 'gone')
      await begun.promise
      client.abort()
      expect(await sent).toBe('gone')
      expect(await aborted.promise).toBe(true)
    } finally {
      await server.close()
    }
  })

  for (const what of ['cookies', 'session', 'flash'] as const) {
    it(`${what} after the response had left are a clear error`, async () => {
      const told = Promise.withResolvers<unknown>()
      class Careless extends AsyncFwController {
        index() {
          setImmediate(() => {
            try {
              this.ctx[what].set('a', '1')
              told.resolve('nothing')
            } catch (error) {
              told.resolve(error)
            }
          })
          return 'x'
        }
      }
      const app = await serve([routes(Careless, (r) => ({ index: r.get('/', 'index') }))])
      await app.get('/')
      expect(await told.promise).toMatchObject({ code: 'action.request-ended' })
    })
  }
})
