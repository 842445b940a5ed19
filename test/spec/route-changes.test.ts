/** Endpoints › Route declaration of the specification: precedence, conditions, pass, routes added and removed at run time; decisions 1 to 3, 12 and 19. */
import { describe, expect, it } from 'vitest'
import {
  FwController,
  type FwMicroFilter,
  microFilter,
  mix,
  microServlet,
  routes,
} from '../../src/runtime/controller.ts'
import { registrationsOf } from '../../src/runtime/action.ts'
import { MethodOverride } from '../../src/runtime/app.ts'
import { HttpError } from '../../src/runtime/base.ts'
import {
  FileUploadFeature,
  JsonParamsFeature,
  XmlParamsFeature,
} from '../../src/runtime/feature.ts'
import { emptyUnit } from '../support/empty-unit.ts'
import { serve } from '../support/serve.ts'

class Any extends FwController {
  any() {
    return 'any'
  }
}

describe('precedence inside a controller (decision 1)', () => {
  // From the least specific to the most specific: the last match responds, in any order of declaration.
  const patterns = ['/*', '/a/*', '/a/:x', '/a/:x.:y', '/a/b.:y', '/a/b.c'] as const

  for (const [order, declared] of [
    ['as written', patterns],
    ['turned round', patterns.toReversed()],
  ] as const) {
    it(`the most specific route responds, ${order}`, async () => {
      const app = await serve([
        microFilter((r) => ({
          ...Object.fromEntries(
            declared.map((pattern) => [pattern, r.get(pattern, () => pattern)]),
          ),
          regexp: r.get(/^\/a/, () => 'regexp'),
          everything: r.get({}, () => 'everything'),
        })),
      ])
      for (const [path, pattern] of [
        ['/a/b.c', '/a/b.c'],
        ['/a/b.x', '/a/b.:y'],
        ['/a/x.c', '/a/:x.:y'],
        ['/a/x', '/a/:x'],
        ['/a/x/y', '/a/*'],
        ['/z', '/*'],
      ] as const)
        expect([path, (await app.get(path)).body]).toEqual([path, pattern])
    })
  }

  it('a route with a condition precedes the same pattern without one, in any order', async () => {
    const app = await serve([
      microFilter((r) => ({
        beta: r.get(
          '/x',
          { when: ({ request }) => request.header('x-beta') === '1' },
          () => 'beta',
        ),
        plain: r.get('/x', () => 'plain'),
      })),
    ])
    expect((await app.get('/x', { headers: { 'x-beta': '1' } })).body).toBe('beta')
    expect((await app.get('/x')).body).toBe('plain')
  })

  it('of equally specific routes, the last declared one responds', async () => {
    const app = await serve([
      microFilter((r) => ({ one: r.get('/:a', () => 'one'), two: r.get('/:b', () => 'two') })),
    ])
    expect((await app.get('/x')).body).toBe('two')
  })

  it('regular expressions come after all patterns, a route without a pattern last', async () => {
    const app = await serve([
      microFilter((r) => ({
        everything: r.get({}, () => 'everything'),
        regexp: r.get(/^\/r/, () => 'regexp'),
        splat: r.get('/rs/*', () => 'splat'),
      })),
    ])
    const bodies = await Promise.all(
      ['/rs/1', '/r/1', '/1'].map(async (path) => (await app.get(path)).body),
    )
    expect(bodies).toEqual(['splat', 'regexp', 'everything'])
  })

  it('a route without a pattern can have a condition', async () => {
    const app = await serve([
      microFilter((r) => ({
        down: r.get({ when: (ctx) => ctx.queryParams.has('down') }, () => 'down'),
      })),
    ])
    expect((await app.get('/x?down')).body).toBe('down')
    expect((await app.get('/x')).status).toBe(404)
  })

  it('pass tries the next candidate, also from a filter, and responds with 404 after the last', async () => {
    class Passing extends Any {
      static {
        this.before((c) => (c.params.get('in') === 'filter' ? c.pass() : undefined))
      }
      passes() {
        this.pass()
      }
    }
    const app = await serve([
      routes(Passing, (r) => ({
        passes: r.get('/p/:in', 'passes'),
        alone: r.get('/alone', 'passes').as('alone'),
        both: r.get('/both', 'passes').as('both'),
        post: r.post('/both', () => 'post'),
      })),
      microFilter((r) => ({ next: r.get('/p/*', () => 'next') })),
    ])
    expect((await app.get('/p/action')).body).toBe('next')
    expect((await app.get('/p/filter')).body).toBe('next')
    expect((await app.get('/alone')).status).toBe(404)
    const page = await app.get('/both')
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it('the changes of a route that passes are undone before the next one', async () => {
    const steps: string[] = []
    class Passing extends Any {
      static {
        registrationsOf(this).beginUnit = () => ({
          ...emptyUnit,
          async rollback() {
            await Promise.resolve()
            steps.push('undone')
          },
        })
        this.after(() => steps.push('after'))
      }
      passes() {
        steps.push('passes')
        this.pass()
      }
    }
    const app = await serve([
      routes(Passing, (r) => ({ passes: r.get('/x', 'passes') })),
      microFilter((r) => ({ next: r.get('/x', () => steps.push('next') && 'next') })),
    ])
    expect((await app.get('/x')).body).toBe('next')
    expect(steps).toEqual(['passes', 'undone', 'next'])
  })

  it('pass after the action is a fault', async () => {
    class Late extends Any {
      static {
        this.after((c) => c.pass())
      }
    }
    const app = await serve([routes(Late, (r) => ({ any: r.get('/', 'any') }))])
    expect((await app.get('/')).status).toBe(500)
  })
})

describe('precedence between controllers (decision 2)', () => {
  it('mount order decides, not specificity; a controller can be mounted twice', async () => {
    const wide = microFilter((r) => ({ wide: r.get('/:x', () => 'wide') }))
    const exact = microFilter((r) => ({ exact: r.get('/x', () => 'exact') }))
    expect((await (await serve([wide, exact])).get('/x')).body).toBe('wide')
    const app = await serve([exact, wide, [exact, '/deep']])
    expect((await app.get('/x')).body).toBe('exact')
    expect((await app.get('/deep/x')).body).toBe('exact')
  })
})

describe('HEAD, OPTIONS and QUERY (decision 3)', () => {
  it('a HEAD route responds to HEAD, otherwise a GET route does', async () => {
    const app = await serve([
      microFilter((r) => ({
        get: r.get('/x', () => 'get'),
        head: r.head('/x', (c) => c.response.headers.set('X-Head', '1')),
        only: r.head('/only', () => undefined),
      })),
    ])
    expect((await app.head('/x')).headers.get('x-head')).toBe('1')
    const page = await app.get('/only')
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'HEAD, OPTIONS'])
  })

  it('a declared OPTIONS route runs; an unknown path is 404', async () => {
    const app = await serve([microFilter((r) => ({ o: r.options('/x', () => 'own') }))])
    expect((await app.request('OPTIONS', '/x')).body).toBe('own')
    expect((await app.request('OPTIONS', '/y')).status).toBe(404)
  })

  it('QUERY is safe: pages of other sites may send it, with a body', async () => {
    const app = await serve([
      microFilter((r) => ({ q: r.query('/x', async (c) => c.request.body()) })),
    ])
    const page = await app.request('QUERY', '/x', {
      body: 'find me',
      headers: { origin: 'https://else.example' },
    })
    expect(page.body).toBe('find me')
  })
})

describe('paths (decision 12)', () => {
  for (const [path, told] of [
    ['/name/ac%2Fdc', 'ac/dc'],
    ['/name/%23toc', '#toc'],
    ['/name/a%2fb%3Fc', 'a/b?c'],
    ['/name/a;b', 'a;b'],
    ['/name/a+b', 'a+b'],
    ['/name/ö%C3%B6%25C3%25B6', 'öö%C3%B6'],
    ['/name/%252F', '%2F'],
  ] as const) {
    it(`${path} is ${told}, decoded once`, async () => {
      const app = await serve([
        microFilter((r) => ({ n: r.get('/name/:name', (c) => c.params.get('name')) })),
      ])
      expect((await app.get(path)).body).toBe(told)
    })
  }
})

describe('routes added and removed while the application runs', () => {
  it('an added route responds to the next request, a removed one does not', async () => {
    const object = microFilter((r) => ({ old: r.get('/old', () => 'old') }))
    const app = await serve([[object, '/deep']])
    expect((await app.get('/deep/new/1')).status).toBe(404)
    const added = object.addRoute((r) => r.get('/new/:id', (c): string => link(c)).as('new'))
    const link = (c: FwMicroFilter) => c.url(added, { id: c.params.get('id')! })
    expect((await app.get('/deep/new/1')).body).toBe('/deep/new/1')
    expect(app.app.application.routes.map(({ path }) => path)).toEqual([
      '/deep/old',
      '/deep/new/:id',
    ])
    expect(object.removeRoute(added)).toBe(true)
    expect((await app.get('/deep/new/1')).status).toBe(404)
    expect(object.removeRoute(added)).toBe(false)
    expect(object.removeRoute(object.old)).toBe(true)
    expect((await app.get('/deep/old')).status).toBe(404)
  })

  it('an invalid route changes nothing', async () => {
    const object = routes(Any, (r) => ({ any: r.get('/any', 'any') }))
    const app = await serve([object])
    expect(() => object.addRoute((r) => r.get('/other', 'any'))).toThrow(/already has the pattern/)
    expect(() => object.addRoute((r) => r.get('', () => 'x'))).toThrow(/pattern/)
    expect((await app.get('/any')).body).toBe('any')
    expect((await app.get('/other')).status).toBe(404)
  })

  it('a request in flight sees one version of the routes', async () => {
    const object = microFilter((r) => ({ a: r.get('/a', () => 'a') }))
    const app = await serve([object])
    const answers: string[] = []
    for (let i = 0; i < 50; i++) {
      const route = object.addRoute((r) => r.get('/b', () => 'b'))
      const pages = [app.get('/a'), app.get('/b')]
      object.removeRoute(route)
      for (const page of pages) answers.push((await page).body)
    }
    expect(new Set(answers.filter((_, i) => i % 2 === 0))).toEqual(new Set(['a']))
  })

  it('a closed application ignores changes', async () => {
    const object = microFilter((r) => ({ a: r.get('/a', () => 'a') }))
    const app = await serve([object])
    await app.app.close()
    object.addRoute((r) => r.get('/b', () => 'b'))
    expect(app.app.application.routes).toHaveLength(1)
  })

  it('reserved keys are refused', () => {
    expect(() => microFilter((r) => ({ addRoute: r.get('/x', () => 'x') }))).toThrow(
      /use another key/,
    )
  })
})

const formType = 'application/x-www-form-urlencoded'

describe('?_method= (decision 19)', () => {
  const things = () =>
    microServlet((r) => ({
      post: r.post('/things/:id', (c) => `post ${c.request.method}`),
      put: r.put('/things/:id', (c) => `put ${c.request.method}`),
      delete: r.delete('/things/:id', (c) => `delete ${c.params.get('id')}`),
    }))

  it('has no effect unless mounted', async () => {
    expect((await (await serve([things()])).post('/things/1?_method=delete')).body).toBe(
      'post POST',
    )
  })

  for (const [method, query, body] of [
    ['POST', '?_method=delete', 'delete 1'],
    ['POST', '?a=1&_method=PUT', 'put PUT'],
    ['POST', '?_method=get', 'post POST'],
    ['POST', '?_method=connect', 'post POST'],
    ['POST', '', 'post POST'],
    ['PUT', '?_method=delete', 'put PUT'],
  ] as const) {
    it(`${method} ${query} is ${body}`, async () => {
      const app = await serve([new MethodOverride(), things()])
      expect((await app.request(method, `/things/1${query}`)).body).toBe(body)
    })
  }

  it.each([[[new MethodOverride()]], [[]]])(
    'is refused in the form, never an update',
    async (mounted) => {
      const app = await serve([things(), ...mounted])
      for (const name of ['delete', 'PATCH', 'put']) {
        const page = await app.post('/things/1', { form: { _method: name } })
        expect(page.status).toBe(400)
        expect(page.body).toContain(`/things/1?_method=${name.toUpperCase()}`)
      }
      for (const body of ['_method=post&_method=delete', '_method=%20delete%0d%0a'])
        expect(
          (await app.post('/things/1', { body, headers: { 'content-type': formType } })).status,
        ).toBe(400)
      expect((await app.post('/things/1', { form: { _method: 'post' } })).body).toBe('post POST')
      expect((await app.put('/things/1', { form: { _method: 'delete' } })).body).toBe('put PUT')
    },
  )

  it('is refused in a multipart form, in JSON and in XML, too', async () => {
    class Things extends mix(
      FwController,
      FileUploadFeature,
      JsonParamsFeature,
      XmlParamsFeature,
    ) {}
    const uploads = routes(Things, (r) => ({
      update: r.post('/things/:id', (c) => `updated ${c.params.get('id')}`),
    }))
    const app = await serve([uploads])
    const form = new FormData()
    form.append('_method', 'delete')
    form.append('file', new File(['text'], 'a.txt'))
    const bodies = [
      { body: form },
      {
        body: JSON.stringify({ _method: 'DELETE' }),
        headers: { 'content-type': 'application/json' },
      },
      {
        body: '<thing><_method>delete</_method></thing>',
        headers: { 'content-type': 'application/xml' },
      },
    ]
    for (const sent of bodies) {
      const request = new Request('http://localhost/things/1', { method: 'POST', ...sent })
      const response = await app.app.fetch(request)
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('/things/1?_method=DELETE')
    }
  })

  it('is ignored for other methods', async () => {
    const app = await serve([things(), new MethodOverride()])
    expect((await app.post('/things/1?_method=patch')).status).toBe(405)
    expect((await app.post('/things/1?_method=%ff')).status).toBe(400)
  })

  it('an overridden request stays unsafe', async () => {
    const app = await serve([things(), new MethodOverride()])
    const headers = { origin: 'https://else.example' }
    expect((await app.post('/things/1?_method=delete', { headers })).status).toBe(403)
  })
})

describe('at the start', () => {
  it('an error in a condition fails only its request', async () => {
    const app = await serve([
      microFilter((r) => ({
        bad: r.get(
          '/x',
          {
            when: () => {
              throw new Error('x')
            },
          },
          () => 'x',
        ),
        refused: r.get(
          '/y',
          {
            when: () => {
              throw new HttpError(403, 'feature.forged-request', 'No.')
            },
          },
          () => 'y',
        ),
      })),
    ])
    expect([(await app.get('/x')).status, (await app.get('/y')).status]).toEqual([500, 403])
  })
})
