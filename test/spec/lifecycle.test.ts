/** The lifecycle of a request around its action: what an aborted request stores, and how inherited routes run. */
import { describe, expect, it } from 'vitest'
import { registrationsOf, type FwContext } from '../../src/runtime/action.ts'
import { FwController, FwServlet, microFilter, mix, routes } from '../../src/runtime/controller.ts'
import { FwSessionFilter } from '../../src/runtime/feature.ts'
import { emptyUnit } from '../support/empty-unit.ts'
import { serve } from '../support/serve.ts'

describe('a request whose client has gone', () => {
  it('stores nothing in its session', async () => {
    const client = new AbortController()
    class Counter extends mix(FwController, FwSessionFilter) {
      write() {
        this.session.set('n', this.params.get('n'))
        return 'set'
      }
      leave() {
        this.session.set('n', 'lost')
        client.abort()
        return 'nobody reads this'
      }
      read() {
        return String(this.session.get('n'))
      }
    }
    const counter = routes(Counter, (r) => ({
      write: r.get('/set', 'write'),
      leave: r.get('/leave', 'leave'),
      read: r.get('/read', 'read'),
    }))
    const { app } = await serve([counter])
    const set = await app.fetch(new Request('http://localhost/set?n=kept'))
    const cookie = set.headers.get('set-cookie')!.split(';', 1)[0]!
    const send = (path: string, signal?: AbortSignal) =>
      app.fetch(
        new Request(`http://localhost${path}`, { headers: { cookie }, signal: signal ?? null }),
      )
    await send('/leave', client.signal).catch(() => undefined)
    expect(client.signal.aborted).toBe(true)
    expect(await (await send('/read')).text()).toBe('kept')
  })
})

describe('an attempt that is repeated', () => {
  /** Fails in its first attempt, and then responds. */
  function failOnce(ended: string[] = []) {
    let attempts = 0
    return ({ ctx }: { readonly ctx: FwContext }) => {
      attempts++
      const attempt = `attempt ${attempts}`
      ctx.atRequestEnd(() => ended.push(attempt))
      ctx.response.headers.set('X-Attempt', String(attempts))
      if (attempts === 1) throw new RangeError('again')
      return attempt
    }
  }
  abstract class Retrying extends FwController {
    static {
      registrationsOf(this).beginUnit = () => ({
        ...emptyUnit,
        mayRetry: (error) => error instanceof RangeError,
      })
    }
  }
  const own = (registering: (controllerClass: typeof Retrying) => void) => {
    class Pages extends Retrying {
      index() {
        return 'index'
      }
    }
    registering(Pages)
    return routes(Pages, (r) => ({ index: r.get('/', 'index') }))
  }

  it('of a fallback handler has the status and headers with which the handler began', async () => {
    const missing = await serve([own((pages) => pages.notFound(failOnce()))])
    expect(await missing.get('/none')).toMatchObject({ status: 404, body: 'attempt 2' })
    const wrong = await serve([own((pages) => pages.methodNotAllowed(failOnce()))])
    const page = await wrong.post('/')
    expect([page.status, page.body, page.headers.get('allow')]).toEqual([
      405,
      'attempt 2',
      'GET, HEAD, OPTIONS',
    ])
  })

  it('has the status and headers that an earlier route has set before pass()', async () => {
    const first = microFilter((r) => ({
      page: r.get('/page', (c) => {
        c.status = 203
        c.response.headers.set('X-First', 'first')
        c.pass()
      }),
    }))
    class Second extends Retrying {}
    const second = routes(Second, (r) => ({ page: r.get('/page', failOnce()) }))
    const page = await (await serve([first, second])).get('/page')
    expect([page.status, page.body, page.headers.get('x-first')]).toEqual([
      203,
      'attempt 2',
      'first',
    ])
  })

  it('calls the callbacks of atRequestEnd of each attempt, which release what it has opened', async () => {
    const ended: string[] = []
    class Pages extends Retrying {}
    const pages = routes(Pages, (r) => ({ page: r.get('/page', failOnce(ended)) }))
    expect((await (await serve([pages])).get('/page')).body).toBe('attempt 2')
    await expect.poll(() => ended).toEqual(['attempt 1', 'attempt 2'])
  })
})

describe('inherited routes', () => {
  class Base extends FwController {
    static {
      this.before((c) => c.response.headers.set('X-Base', '1'))
    }
    greeting() {
      return 'hello'
    }
    index() {
      return `${this.greeting()} from the base`
    }
    show() {
      return `show ${this.params.get('id')}`
    }
  }
  const base = routes(Base, (r) => ({
    indexUrl: r.get('/', 'index'),
    showUrl: r.get('/things/:id', 'show'),
    inlineUrl: r.get('/inline', (c) => c.greeting()),
  }))
  class Sub extends Base {
    override greeting() {
      return 'hi'
    }
    override show() {
      return `${super.show()} of the subclass, ${this.url(base.showUrl, { id: 2 })}`
    }
    extra() {
      return 'extra'
    }
  }
  const sub = routes(Sub, (r) => ({ extraUrl: r.get('/extra', 'extra') }))

  it('answer for a subclass, with its methods and below its mount path', async () => {
    const app = await serve([[sub, '/sub']])
    expect((await app.get('/sub')).body).toBe('hi from the base')
    expect((await app.get('/sub/things/1')).body).toBe('show 1 of the subclass, /sub/things/2')
    expect((await app.get('/sub/inline')).body).toBe('hi')
    const extra = await app.get('/sub/extra')
    expect([extra.body, extra.headers.get('x-base')]).toEqual(['extra', '1'])
    expect((await app.get('/things/1')).status).toBe(404)
  })

  it('do not reach the base class', async () => {
    const app = await serve([base])
    expect((await app.get('/')).body).toBe('hello from the base')
    expect((await app.get('/extra')).status).toBe(404)
  })

  it('are replaced by an own route with the same method and name', async () => {
    class Moved extends Base {}
    const moved = routes(Moved, (r) => ({ indexUrl: r.get('/moved', 'index') }))
    const app = await serve([moved])
    expect((await app.get('/moved')).body).toBe('hello from the base')
    expect((await app.get('/')).status).toBe(404)
    expect((await app.get('/things/1')).body).toBe('show 1')
  })

  it('may be named in filters of the subclass, and come and go at run time', async () => {
    class Late extends Base {
      static {
        this.beforeAction({ only: ['show', 'late'] }, (c) => c.response.headers.set('X-Late', '1'))
      }
      late() {
        return 'late'
      }
    }
    const late = routes(Late, (r) => ({ lateUrl: r.get('/late', 'late') }))
    const app = await serve([late])
    expect((await app.get('/things/1')).headers.get('x-late')).toBe('1')
    expect((await app.get('/')).headers.get('x-late')).toBeNull()
    const added = base.addRoute((r) => r.get('/added', () => 'added'))
    expect((await app.get('/added')).body).toBe('added')
    base.removeRoute(added)
    expect((await app.get('/added')).status).toBe(404)
  })

  it('of the ready-made base classes do not exist', async () => {
    routes(FwServlet, (r) => ({ everything: r.get('/*', () => 'everything') }))
    class Own extends FwServlet {
      index() {
        return 'own'
      }
    }
    const app = await serve([routes(Own, (r) => ({ index: r.get('/', 'index') }))])
    expect((await app.get('/else')).status).toBe(404)
  })
})

describe('an action with the name of a member', () => {
  class Members extends FwController {}

  it.each([
    'status',
    'request',
    'session',
    'render',
    'view',
    'ctx',
    'awaitFutures',
    'transaction',
    'fileParams',
  ])('%s stops the start with one sentence', (name) => {
    Object.defineProperty(Members.prototype, name, { value: () => 'x', configurable: true })
    expect(() => routes(Members, (r) => ({ url: r.get('/x', name as never) }))).toThrow(
      `Members has an action named '${name}', which is a member of every controller: give the action another name.`,
    )
  })

  it('names outside the list stay free', async () => {
    class Free extends FwController {
      form() {
        return 'form'
      }
      stream() {
        return 'stream'
      }
      layout() {
        return 'layout'
      }
    }
    const app = await serve([
      routes(Free, (r) => ({
        form: r.get('/form', 'form'),
        stream: r.get('/stream', 'stream'),
        layout: r.get('/layout', 'layout'),
      })),
    ])
    const bodies = await Promise.all(
      ['form', 'stream', 'layout'].map(async (name) => (await app.get(`/${name}`)).body),
    )
    expect(bodies).toEqual(['form', 'stream', 'layout'])
  })
})
