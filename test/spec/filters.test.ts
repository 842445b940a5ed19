/** Endpoints › Filters of the specification, and the order of decision 10. */
import { describe, expect, it } from 'vitest'
import type { Ctor } from '../../src/runtime/action.ts'
import {
  FwController,
  FwFilter,
  FwRenderingFilter,
  FwServlet,
  mix,
  routes,
  type ControllerClass,
} from '../../src/runtime/controller.ts'
import { ErrorPageFilter, errorPage, forgeryProtection } from '../../src/runtime/feature.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { serve } from '../support/serve.ts'

describe('Filters 1: before and after run for every route of the controller', () => {
  it('in the order of decision 10, once each', async () => {
    const steps: string[] = []
    class Steps extends FwController {
      static {
        this.after(() => steps.push('after'))
        this.afterAction(() => steps.push('afterAction'))
        this.beforeAction(() => steps.push('beforeAction'))
        this.before(() => steps.push('before'))
      }
      index() {
        steps.push('action')
        return 'done'
      }
    }
    const app = await serve([
      routes(Steps, (r) => ({
        index: r.get('/', 'index'),
        other: r.post('/other/:id', (c) => c.index()),
      })),
    ])
    for (const request of [() => app.get('/'), () => app.post('/other/1')]) {
      steps.length = 0
      expect((await request()).body).toBe('done')
      expect(steps).toEqual(['before', 'beforeAction', 'action', 'afterAction', 'after'])
    }
  })

  it('awaits asynchronous filters one after another', async () => {
    const steps: string[] = []
    const later = async (name: string) => {
      await Promise.resolve()
      steps.push(name)
    }
    class Later extends FwController {
      static {
        this.before(() => later('one'))
        this.before(() => steps.push('two'))
        this.afterAction(() => later('four'))
        this.after(() => steps.push('five'))
      }
      async index() {
        await later('three')
        return 'x'
      }
    }
    const app = await serve([routes(Later, (r) => ({ index: r.get('/', 'index') }))])
    await app.get('/')
    expect(steps).toEqual(['one', 'two', 'three', 'four', 'five'])
  })

  it('does not run for a path that no route matches', async () => {
    const steps: string[] = []
    class Quiet extends FwController {
      static {
        this.before(() => steps.push('before'))
        this.after(() => steps.push('after'))
      }
      index() {
        return 'x'
      }
    }
    const app = await serve([routes(Quiet, (r) => ({ index: r.get('/', 'index') }))])
    expect((await app.get('/nowhere')).status).toBe(404)
    expect(steps).toEqual([])
  })

  it('does not affect other controllers; registrations of a subclass do not affect its base', async () => {
    const seen: string[] = []
    class Base extends FwController {
      static {
        this.before((c) => seen.push(`base ${c.constructor.name}`))
      }
      index() {
        return this.constructor.name
      }
    }
    class One extends Base {
      static {
        this.before(() => seen.push('one'))
      }
    }
    class Two extends Base {}
    const app = await serve([
      routes(One, (r) => ({ index: r.get('/one', 'index') })),
      routes(Two, (r) => ({ index: r.get('/two', 'index') })),
    ])
    await app.get('/two')
    expect(seen).toEqual(['base Two'])
    await app.get('/one')
    expect(seen).toEqual(['base Two', 'base One', 'one'])
  })
})

describe('Filters 2: beforeAction and afterAction by route name', () => {
  const seen: string[] = []
  class Members extends FwController {
    static {
      this.beforeAction({ only: ['index', 'new'] }, () => seen.push('before'))
      this.afterAction({ except: ['new'] }, () => seen.push('after'))
    }
    index() {
      return 'index'
    }
    newInput() {
      return 'new'
    }
    edit() {
      return 'edit'
    }
  }
  const members = routes(Members, (r) => ({
    indexUrl: r.get('/members', 'index').as('index'),
    newUrl: r.get('/members/new', 'newInput').as('new'),
    editUrl: r.get('/members/:id/edit', 'edit').as('edit'),
    plain: r.get('/plain', () => 'plain'),
  }))

  for (const [path, expected] of [
    ['/members', ['before', 'after']],
    ['/members/new', ['before']],
    ['/members/1/edit', ['after']],
    ['/plain', ['after']],
  ] as const) {
    it(`${path} runs ${expected.join(' and ')}`, async () => {
      const app = await serve([members])
      seen.length = 0
      await app.get(path)
      expect(seen).toEqual(expected)
      seen.length = 0
      await app.head(path)
      expect(seen).toEqual(expected)
    })
  }

  it('takes filters on the routes object too, after those of the class', async () => {
    class Shown extends FwController {
      static {
        this.beforeAction(() => seen.push('class'))
      }
      show() {
        return 'x'
      }
    }
    const shown = routes(Shown, (r) => ({ showUrl: r.get('/x', 'show') })).beforeAction(
      { only: ['show'] },
      () => seen.push('object'),
    )
    const app = await serve([shown])
    seen.length = 0
    await app.get('/x')
    expect(seen).toEqual(['class', 'object'])
  })

  it('an unknown name stops the start (decision 9)', async () => {
    class Wrong extends FwController {
      static {
        this.beforeAction({ only: ['shwo'] }, () => {})
      }
      show() {
        return 'x'
      }
    }
    await expect(serve([routes(Wrong, (r) => ({ show: r.get('/x', 'show') }))])).rejects.toThrow(
      /beforeAction filter of Wrong names the route 'shwo'.*Its routes: show/,
    )
  })
})

describe('Filters 4 and 5: error filters', () => {
  interface HasLog {
    log(text: string): void
  }
  const seen: string[] = []
  const logging =
    (name: string) =>
    <B extends ControllerClass>(Base: B): B & Ctor<HasLog> => {
      abstract class Logging extends Base implements HasLog {
        static {
          this.beforeAction((c) => c.log(`${name} before`))
          this.afterAction((c) => c.log(`${name} after`))
          this.addErrorFilter((error, c) => c.log(`${name} ${(error as Error).message}`))
        }
        log(text: string): void {
          seen.push(text)
        }
      }
      return Logging
    }

  it('all run in the order added, across mixed-in traits; their results are ignored', async () => {
    class Failing extends mix(FwController, logging('a'), logging('b')) {
      index() {
        throw new Error('boom')
      }
    }
    const app = await serve([routes(Failing, (r) => ({ index: r.get('/', 'index') }))])
    seen.length = 0
    const page = await app.get('/')
    expect(page.status).toBe(500)
    expect(page.body).not.toContain('boom')
    expect(seen).toEqual(['a before', 'b before', 'a boom', 'b boom', 'a after', 'b after'])
  })

  it('the first rendering filter that returns something decides', async () => {
    class Teapot extends Error {}
    class Rendering extends FwController {
      static {
        this.addRenderingErrorFilter((error) => (error instanceof Teapot ? 'tea' : undefined))
        this.addRenderingErrorFilter(() => 'second')
      }
      teapot() {
        throw new Teapot()
      }
      other() {
        throw new Error('x')
      }
    }
    const app = await serve([
      routes(Rendering, (r) => ({
        teapot: r.get('/teapot', 'teapot'),
        other: r.get('/other', 'other'),
      })),
    ])
    expect([(await app.get('/teapot')).body, (await app.get('/other')).body]).toEqual([
      'tea',
      'second',
    ])
  })

  it('a handler that throws itself is logged, and the next ones still run', async () => {
    const ran: string[] = []
    class Broken extends FwController {
      static {
        this.addErrorFilter(() => {
          throw new Error('broken handler')
        })
        this.addErrorFilter(() => ran.push('second'))
      }
      index() {
        throw new Error('boom')
      }
    }
    const app = await serve([routes(Broken, (r) => ({ index: r.get('/', 'index') }))])
    expect((await app.get('/')).status).toBe(500)
    expect(ran).toEqual(['second'])
    expect(
      app.lines.some(({ fields }) => (fields['err'] as Error).message === 'broken handler'),
    ).toBe(true)
  })

  it('a halt inside an error filter responds (decision 6)', async () => {
    class Halting extends FwController {
      static {
        this.addErrorFilter((_error, c) => c.halt({ status: 418, body: 'short and stout' }))
      }
      index() {
        throw new Error('boom')
      }
    }
    const app = await serve([routes(Halting, (r) => ({ index: r.get('/', 'index') }))])
    const page = await app.get('/')
    expect([page.status, page.body]).toEqual([418, 'short and stout'])
  })

  it('neither a halt, nor a redirect, nor an HttpError below 500 reaches them', async () => {
    const ran: string[] = []
    class Answers extends FwController {
      static {
        this.addErrorFilter(() => ran.push('error filter'))
      }
      halts() {
        this.halt(401)
      }
      leads() {
        return this.redirect('/elsewhere')
      }
      refuses() {
        throw new HttpError(422, 'params.invalid', 'No.')
      }
    }
    const app = await serve([
      routes(Answers, (r) => ({
        a: r.get('/halts', 'halts'),
        b: r.get('/leads', 'leads'),
        c: r.get('/refuses', 'refuses'),
      })),
    ])
    const statuses = [
      (await app.get('/halts')).status,
      (await app.get('/leads')).status,
      (await app.get('/refuses')).status,
    ]
    expect(statuses).toEqual([401, 302, 422])
    expect(ran).toEqual([])
  })

  for (const [name, thrown] of [
    ['null', null],
    ['undefined', undefined],
    ['a symbol', Symbol('x')],
    ['a frozen object', Object.freeze({})],
  ] as const) {
    it(`survives ${name} being thrown`, async () => {
      class Odd extends FwController {
        index() {
          throw thrown
        }
      }
      const app = await serve([routes(Odd, (r) => ({ index: r.get('/', 'index') }))])
      expect((await app.get('/')).status).toBe(500)
    })
  }

  it('an exception in an after filter is one 500, and the filters after it still run', async () => {
    const ran: string[] = []
    class After extends FwController {
      static {
        this.after(() => {
          throw new Error('after')
        })
        this.after(() => ran.push('second'))
      }
      index() {
        return 'x'
      }
    }
    const app = await serve([routes(After, (r) => ({ index: r.get('/', 'index') }))])
    expect((await app.get('/')).status).toBe(500)
    expect(ran).toEqual(['second'])
  })
})

describe('Filters 6: ErrorPageFilter', () => {
  class Failing extends mix(FwController, ErrorPageFilter) {
    index() {
      throw new Error('the secret')
    }
  }
  const failing = routes(Failing, (r) => ({ index: r.get('/', 'index') }))

  it('logs, sets 500 and renders /error/500', async () => {
    const files = { 'src/main/webapp/WEB-INF/views/error/500.html.ssp': '<h1>Sorry</h1>' }
    const app = await serve([failing], { files })
    const page = await app.get('/')
    expect([page.status, page.html('h1')]).toEqual([500, 'Sorry'])
    expect(app.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
  })

  it('responds to a program in its format, without the text of the fault', async () => {
    const app = await serve([failing])
    const page = await app.get('/', { headers: { accept: 'application/json' } })
    expect(page.headers.get('content-type')).toContain('application/problem+json')
    expect(page.json()).toMatchObject({ status: 500, title: 'Internal Server Error' })
    expect(page.body).not.toContain('secret')
  })
})

describe('FwFilter and FwRenderingFilter (decision 34)', () => {
  const steps: string[] = []
  const Audit = FwFilter({
    name: 'Audit',
    except: ['show'],
    before: () => steps.push('audit before'),
    beforeAction: () => steps.push('audit beforeAction'),
    afterAction: (c) => steps.push(`audit afterAction ${c.status}`),
    after: () => steps.push('audit after'),
    error: (error) => steps.push(`audit error ${(error as Error).message}`),
  })
  const Teapot = FwRenderingFilter({
    name: 'Teapot',
    error: () => 'ignored',
    renderingError: (error, c) => {
      c.status = 418
      return `${c.params.get('who') ?? 'nobody'}: ${(error as Error).message}`
    },
  })
  class Pages extends mix(FwController, Audit, Teapot) {
    index() {
      steps.push('index')
      return 'index'
    }
    show() {
      steps.push('show')
      return 'show'
    }
    fails() {
      throw new Error('short and stout')
    }
  }
  const pages = routes(Pages, (r) => ({
    index: r.get('/', 'index'),
    show: r.get('/show', 'show'),
    fails: r.get('/fails', 'fails'),
  }))

  it('run all their parts, limited by only and except', async () => {
    const app = await serve([pages])
    steps.length = 0
    expect((await app.get('/')).body).toBe('index')
    expect(steps.splice(0)).toEqual([
      'audit before',
      'audit beforeAction',
      'index',
      'audit afterAction 200',
      'audit after',
    ])
    await app.get('/show')
    expect(steps.splice(0)).toEqual(['audit before', 'show', 'audit after'])
  })

  it('handle errors; a rendering filter responds', async () => {
    const app = await serve([pages])
    steps.length = 0
    const page = await app.get('/fails?who=I')
    expect([page.status, page.body]).toEqual([418, 'I: short and stout'])
    expect(steps).toContain('audit error short and stout')
  })

  it('two filters run in the order added, in each controller that mixes them in', async () => {
    const recordingFilter = (name: string) =>
      FwFilter({
        name,
        before: (c) => steps.push(`${name} before ${c.constructor.name}`),
        after: () => steps.push(`${name} after`),
        error: () => steps.push(`${name} error`),
      })
    const [First, Second] = [recordingFilter('first'), recordingFilter('second')]
    class Orders extends mix(FwController, First, Second) {
      index() {
        throw new Error('x')
      }
    }
    class Invoices extends mix(FwServlet, First, Second) {
      index() {
        throw new Error('x')
      }
    }
    const app = await serve([
      routes(Orders, (r) => ({ index: r.get('/orders', 'index') })),
      routes(Invoices, (r) => ({ index: r.get('/invoices', 'index') })),
    ])
    for (const [path, name] of [
      ['/orders', 'Orders'],
      ['/invoices', 'Invoices'],
    ] as const) {
      steps.length = 0
      expect((await app.get(path)).status).toBe(500)
      expect(steps).toEqual([
        `first before ${name}`,
        `second before ${name}`,
        'first error',
        'second error',
        'first after',
        'second after',
      ])
    }
  })

  it('are listed under their name', async () => {
    const { app } = await serve([pages])
    const owners = app.application.routes[0]!.filters().map(({ owner }) => owner)
    expect(owners).toContain('Audit')
    expect(owners).toContain('Teapot')
  })
})

it('features are traits with options, and the names of the specification stand for their defaults', async () => {
  class Broken extends mix(FwController, errorPage({ view: '/error/oops' }), forgeryProtection()) {
    index(): string {
      throw new Error('no')
    }
    save() {
      return 'saved'
    }
  }
  const files = {
    'src/main/webapp/WEB-INF/views/error/oops.html.ssp': '<h1>Oops</h1>',
    'src/main/webapp/WEB-INF/views/error/500.html.ssp': '<h1>500</h1>',
  }
  const app = await serve(
    [routes(Broken, (r) => ({ index: r.get('/', 'index'), save: r.post('/', 'save') }))],
    { files },
  )
  expect((await app.get('/')).html('h1')).toBe('Oops')
  expect((await app.post('/')).status).toBe(403)
})
