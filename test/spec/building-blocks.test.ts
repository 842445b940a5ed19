/** What the service does › Base building blocks of the specification. */
import { describe, expect, it } from 'vitest'
import { FwContext } from '../../src/runtime/action.ts'
import {
  AsyncFwApiController,
  AsyncFwApiServlet,
  AsyncFwController,
  AsyncFwServlet,
  FwApiController,
  FwApiServlet,
  FwController,
  FwMicroFilter,
  FwMicroServlet,
  FwServlet,
  microFilter,
  microServlet,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { MainThreadLocalEverywhere } from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

describe('controllers pass unmatched paths on, servlets own their paths', () => {
  class Files extends FwServlet {
    show() {
      return `file ${this.params.get('name')}`
    }
  }
  const files = () => routes(Files, (r) => ({ show: r.get('/:name', 'show') }))
  const pages = () => microFilter((r) => ({ page: r.get('/files/*', () => 'page') }))
  const rest = () =>
    microServlet((r) => ({ deep: r.get('/files/*', () => 'rest'), other: r.get('/x', () => 'x') }))

  it.each([FwController, AsyncFwController])(
    '%o: the next controller serves an unmatched path',
    async (Base) => {
      class First extends Base {
        index() {
          return 'first'
        }
      }
      const app = await serve([
        routes(First, (r) => ({ index: r.get('/', 'index') })),
        microFilter((r) => ({ next: r.get('/next', () => 'next') })),
      ])
      expect([(await app.get('/')).body, (await app.get('/next')).body]).toEqual(['first', 'next'])
    },
  )

  class AsyncFiles extends AsyncFwServlet {
    async show() {
      await Promise.resolve()
      return `file ${this.params.get('name')}`
    }
  }
  const asyncFiles = () => routes(AsyncFiles, (r) => ({ show: r.get('/:name', 'show') }))

  it.each([
    ['FwServlet', files],
    ['AsyncFwServlet', asyncFiles],
  ])('%s: an unmatched path is its own 404, not another servlet’s', async (_name, servlet) => {
    const app = await serve([rest(), [servlet(), '/files']])
    expect((await app.get('/files/a')).body).toBe('file a')
    expect((await app.get('/files/a/b')).status).toBe(404)
    expect((await app.get('/files')).status).toBe(404)
    expect((await app.get('/filesystem')).status).toBe(404)
    expect((await app.get('/x')).body).toBe('x')
  })

  it('FwServlet: its 405 names its own methods', async () => {
    const app = await serve([rest(), [files(), '/files/*']])
    const page = await app.post('/files/a')
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('a servlet comes after all other controllers, in any mount order', async () => {
    const app = await serve([[files(), '/files'], pages()])
    expect([(await app.get('/files/a')).body, (await app.get('/files/a/b')).body]).toEqual([
      'page',
      'page',
    ])
  })

  it('a servlet at the root still lets public files through', async () => {
    const app = await serve([rest()], { files: { 'src/main/webapp/a.txt': 'public' } })
    expect((await app.get('/a.txt')).body).toBe('public')
    expect((await app.get('/b.txt')).status).toBe(404)
  })
})

describe('API bases', () => {
  for (const Base of [FwApiController, FwApiServlet, AsyncFwApiController, AsyncFwApiServlet]) {
    it(`${Base.name} tells errors as JSON unless asked otherwise`, async () => {
      class Api extends Base {
        index() {
          return { ok: true }
        }
        missing() {
          this.halt(404)
        }
      }
      const app = await serve([
        routes(Api, (r) => ({ index: r.get('/', 'index'), missing: r.get('/missing', 'missing') })),
      ])
      expect((await app.get('/')).json()).toEqual({ ok: true })
      const plain = await app.get('/missing')
      expect(plain.headers.get('content-type')).toContain('application/problem+json')
      expect(plain.json()).toMatchObject({ status: 404, message: 'Not Found' })
      const html = await app.get('/missing', { headers: { accept: 'text/html' } })
      expect(html.html('h1')).toBe('404 Not Found')
    })
  }

  it('have no page features', () => {
    expect('render' in FwApiController.prototype).toBe(false)
    expect('flash' in FwApiController.prototype).toBe(false)
    expect('protectFromForgery' in FwApiController).toBe(false)
    expect('validation' in FwApiController.prototype).toBe(true)
  })

  it('an API servlet’s own 404 is JSON too', async () => {
    class Api extends FwApiServlet {
      index() {
        return {}
      }
    }
    const app = await serve([[routes(Api, (r) => ({ index: r.get('/', 'index') })), '/api']])
    expect((await app.get('/api/nothing')).json()).toMatchObject({ status: 404 })
    expect((await app.get('/nothing')).html('h1')).toBe('404 Not Found')
  })
})

describe('asynchronous bases', () => {
  for (const Base of [AsyncFwController, AsyncFwServlet]) {
    it(`${Base.name}: actions and filters receive the context explicitly`, async () => {
      const seen: unknown[] = []
      class Dashboard extends Base {
        static {
          this.beforeAction(async (c, ctx) => {
            await Promise.resolve()
            seen.push(ctx === c.ctx)
          })
        }
        async index(ctx: FwContext) {
          const [path, two] = await this.awaitFutures(
            5000,
            this.futureWithRequest((request) => request.path.text),
            this.ctx.futureWithContext(async ({ params }) => params.get('n')),
          )
          ctx.requestScope().set('path', path)
          return `${path} ${two} ${String(this.view.get('path'))}`
        }
      }
      const app = await serve([routes(Dashboard, (r) => ({ index: r.get('/d', 'index') }))])
      expect((await app.get('/d?n=2')).body).toBe('/d 2 /d')
      expect(seen).toEqual([true])
    })
  }
})

describe('the micro layer', () => {
  it('FwMicroFilter and FwMicroServlet answer in plain text, errors too', async () => {
    class Filter extends FwMicroFilter {
      index() {
        return 'filter'
      }
    }
    class Servlet extends FwMicroServlet {
      index() {
        return 'servlet'
      }
    }
    const app = await serve([
      routes(Filter, (r) => ({ index: r.get('/f', 'index') })),
      routes(Servlet, (r) => ({ index: r.get('/s', 'index') })),
    ])
    for (const [path, body] of [
      ['/f', 'filter'],
      ['/s', 'servlet'],
      ['/nothing', '404 Not Found'],
    ] as const) {
      const page = await app.get(path)
      expect([page.body, page.headers.get('content-type')]).toEqual([
        body,
        'text/plain; charset=utf-8',
      ])
    }
  })
})

describe('MainThreadLocalEverywhere', () => {
  const paths: string[] = []
  const note = () => paths.push(FwContext.current().request.path.text)
  const bases: Readonly<Record<string, typeof FwController>> = {
    first: mix(FwController, MainThreadLocalEverywhere),
    last: mix(AsyncFwController, MainThreadLocalEverywhere),
  }
  for (const [name, Base] of Object.entries(bases)) {
    it(`gives filters, actions and handlers the context of their own request (${name})`, async () => {
      class Everywhere extends Base {
        static {
          this.before(note)
          this.after(note)
          this.error(() => note() && 'told')
        }
        async index() {
          await Promise.resolve()
          return FwContext.current().request.path.text
        }
        fails() {
          throw new Error('x')
        }
      }
      const app = await serve([
        routes(Everywhere, (r) => ({
          fails: r.get('/fails', 'fails'),
          index: r.get('/:x', 'index'),
        })),
      ])
      const bodies = await Promise.all(
        ['/a', '/b', '/c'].map(async (path) => (await app.get(path)).body),
      )
      expect(bodies).toEqual(['/a', '/b', '/c'])
      paths.length = 0
      expect((await app.get('/fails')).body).toBe('told')
      expect(paths).toEqual(['/fails', '/fails', '/fails'])
    })
  }

  it('outside a request throws an error that names the solution', () => {
    expect(() => FwContext.current()).toThrow(/mix MainThreadLocalEverywhere/)
  })
})
