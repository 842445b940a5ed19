/** Endpoints › Route declaration of the specification; decisions 1 to 4. */
import { describe, expect, it } from 'vitest'
import { FwController, microFilter, routes } from '../../src/runtime/controller.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

class Named extends FwController {
  tell() {
    const { splat, captures } = {
      splat: this.multiParams.get('splat'),
      captures: this.multiParams.get('captures'),
    }
    return { params: Object.fromEntries(this.params.toMap()), splat, captures }
  }
}

describe('pattern shapes', () => {
  for (const [pattern, path, told] of [
    ['/members/?', '/members', { params: {}, splat: [], captures: [] }],
    ['/members/?', '/members/', { params: {}, splat: [], captures: [] }],
    ['/members/:id', '/members/a%2Fb', { params: { id: 'a/b' }, splat: [], captures: [] }],
    [
      '/say/*/to/*',
      '/say/hello/to/world',
      { params: { splat: 'hello' }, splat: ['hello', 'world'], captures: [] },
    ],
    [
      '/download/*.*',
      '/download/path/to/file.xml',
      { params: { splat: 'path/to/file' }, splat: ['path/to/file', 'xml'], captures: [] },
    ],
    [
      /^\/fo(.*)\/ba(.*)/,
      '/foorooomma/baf',
      { params: { captures: 'orooomma' }, splat: [], captures: ['orooomma', 'f'] },
    ],
  ] as const) {
    it(`${String(pattern)} matches ${path}`, async () => {
      const app = await serve([
        routes(Named, (r) => ({
          tell: typeof pattern === 'string' ? r.get(pattern, 'tell') : r.get(pattern, 'tell'),
        })),
      ])
      const { params, splat, captures } = (await app.get(path)).json()
      expect({ params, splat, captures }).toEqual(told)
    })
  }

  it('keys and maps of the parameters contain splat and captures', async () => {
    class Maps extends FwController {
      tell() {
        const { multiParams, params } = this
        return [[...params.keys()], Object.fromEntries(multiParams.toMap())]
      }
    }
    const app = await serve([
      routes(Maps, (r) => ({
        star: r.get('/star/:id/*', 'tell').as('star'),
        regex: r.get(/^\/regex\/(.)(.)$/, 'tell').as('regex'),
      })),
    ])
    expect((await app.get('/star/1/a/b?x=2')).json()).toEqual([
      ['id', 'splat', 'x'],
      { id: ['1'], splat: ['a/b'], x: ['2'] },
    ])
    expect((await app.get('/regex/ab')).json()).toEqual([['captures'], { captures: ['a', 'b'] }])
  })

  it('a group that took no part is an empty text, that no number is', async () => {
    const app = await serve([
      microFilter((r) => ({
        page: r.get(/^\/page(-(\d+))?$/, (c) => [
          c.multiParams.get('captures'),
          c.multiParams.getAs('captures', ParamType.Int),
          c.params.getAsOrElse('captures', ParamType.Int, 1),
        ]),
      })),
    ])
    expect((await app.get('/page')).json()).toEqual([['', ''], [], 1])
    expect((await app.get('/page-7')).json()).toEqual([['-7', '7'], [-7, 7], -7])
  })

  it('every method can be declared, in place and curried', async () => {
    const app = await serve([
      routes(Named, (r) => ({
        get: r.get('/x')(() => 'get'),
        post: r.post('/x', () => 'post'),
        put: r.put('/x', () => 'put'),
        patch: r.patch('/x', () => 'patch'),
        delete: r.delete('/x', () => 'delete'),
        options: r.options('/x', () => 'options'),
        query: r.query('/x', () => 'query'),
      })),
    ])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
      expect((await app.request(method, '/x')).body).toBe(method.toLowerCase())
    }
  })

  it('method(pattern)(action).as(name): the route has this name', async () => {
    class Tells extends FwController {
      tell() {
        return this.ctx.routeName
      }
    }
    const tells = routes(Tells, (r) => ({
      indexUrl: r.get('/members/?')('tell').as('index'),
      createUrl: r
        .post('/members/?')((c) => c.tell())
        .as('create'),
    }))
    const app = await serve([tells])
    expect([(await app.get('/members')).body, (await app.post('/members/')).body]).toEqual([
      'index',
      'create',
    ])
  })

  it('a condition that does not hold skips the route', async () => {
    const app = await serve([
      routes(Named, (r) => ({
        plain: r.get('/x', () => 'plain'),
        beta: r.get(
          '/x',
          { when: (ctx) => ctx.request.header('x-beta') !== undefined },
          () => 'beta',
        ),
      })),
    ])
    expect((await app.get('/x')).body).toBe('plain')
    expect((await app.get('/x', { headers: { 'X-Beta': '1' } })).body).toBe('beta')
  })
})

describe('which route is chosen', () => {
  class One extends FwController {
    newInput() {
      return 'new'
    }
    show() {
      return `show ${this.params.get('id')}`
    }
    passes() {
      return this.pass()
    }
  }

  it('/members/new needs no ordering beside /members/:id (decision 1)', async () => {
    const app = await serve([
      routes(One, (r) => ({
        show: r.get('/members/:id', 'show'),
        new: r.get('/members/new', 'newInput'),
      })),
    ])
    expect([(await app.get('/members/new')).body, (await app.get('/members/7')).body]).toEqual([
      'new',
      'show 7',
    ])
  })

  it('the first mounted controller wins, and pass continues with the next one (decision 2)', async () => {
    class Two extends FwController {
      any() {
        return 'two'
      }
    }
    const app = await serve([
      routes(One, (r) => ({ show: r.get('/a/:id', 'show'), passes: r.get('/b', 'passes') })),
      routes(Two, (r) => ({
        a: r.get('/a/1', 'any').as('a'),
        b: r.get('/b', 'any').as('b'),
        c: r.get('/c', 'any').as('c'),
      })),
    ])
    expect([
      (await app.get('/a/1')).body,
      (await app.get('/b')).body,
      (await app.get('/c')).body,
    ]).toEqual(['show 1', 'two', 'two'])
  })

  it('a prefix is prepended to all paths of a mounted controller', async () => {
    const one = routes(One, (r) => ({ show: r.get('/members/:id', 'show') }))
    const app = await serve([[one, '/admin']])
    expect((await app.get('/admin/members/3')).body).toBe('show 3')
    expect((await app.get('/members/3')).status).toBe(404)
  })
})

describe('the end of the chain (decision 3)', () => {
  class Things extends FwController {
    index() {
      return 'things'
    }
    create() {
      return 'created'
    }
  }
  class Others extends FwController {
    replace() {
      return 'replaced'
    }
  }
  const controllers = () => [
    routes(Things, (r) => ({
      index: r.get('/things', 'index'),
      create: r.post('/things', 'create'),
    })),
    routes(Others, (r) => ({ replace: r.put('/things', 'replace') })),
  ]

  it('404 for a path that no route has', async () => {
    expect((await (await serve(controllers())).get('/nothing')).status).toBe(404)
  })

  it('405 with Allow over all mounted controllers', async () => {
    const page = await (await serve(controllers())).delete('/things')
    expect([page.status, page.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PUT, OPTIONS'])
  })

  it('OPTIONS on a known path is answered 204 with Allow', async () => {
    const page = await (await serve(controllers())).request('OPTIONS', '/things')
    expect([page.status, page.headers.get('allow'), page.body]).toEqual([
      204,
      'GET, HEAD, POST, PUT, OPTIONS',
      '',
    ])
  })

  it('HEAD is served by GET routes, without the body', async () => {
    const page = await (await serve(controllers())).head('/things')
    expect([page.status, page.headers.get('content-type'), page.body]).toEqual([
      200,
      'text/html; charset=utf-8',
      '',
    ])
  })

  it('a public file is served for a path that no route matches; WEB-INF and dotfiles never are', async () => {
    const files = {
      'src/main/webapp/assets/a.css': 'a {}',
      'src/main/webapp/.secret': 'x',
      'src/main/webapp/WEB-INF/web.txt': 'x',
    }
    const app = await serve(controllers(), { files })
    const page = await app.get('/assets/a.css')
    expect([page.status, page.body, page.headers.get('x-content-type-options')]).toEqual([
      200,
      'a {}',
      'nosniff',
    ])
    for (const path of [
      '/.secret',
      '/WEB-INF/web.txt',
      '/web-inf/web.txt',
      '/assets/../WEB-INF/web.txt',
      '/%57EB-INF/web.txt',
      '/assets',
      '/assets%2Fa.css',
    ]) {
      expect((await app.get(path)).status).toBeGreaterThanOrEqual(400)
    }
  })
})

describe('reverse routes', () => {
  class Links extends FwController {
    link() {
      return this.url(links.showUrl, { id: 'a b/c' }, { q: '1&2' })
    }
    show() {
      return 'x'
    }
  }
  const links = routes(Links, (r) => ({
    linkUrl: r.get('/link', 'link'),
    showUrl: r.get('/things/:id/?', 'show'),
  }))

  it('encode each part, drop the optional slash, and have context and mount path before them', async () => {
    expect((await (await serve([links])).get('/link')).body).toBe('/things/a%20b%2Fc?q=1%262')
    const app = await serve([[links, '/admin']], { configuration: { contextPath: '/shop' } })
    expect((await app.get('/shop/admin/link')).body).toBe('/shop/admin/things/a%20b%2Fc?q=1%262')
  })
})

describe('an invalid declaration stops the start', () => {
  class Wrong extends FwController {
    index() {
      return 'x'
    }
  }

  it('a builder that never got an action', () => {
    // @ts-expect-error a route is missing its action
    expect(() => routes(Wrong, (r) => ({ index: r.get('/x') }))).toThrow(
      /route 'index' of Wrong.*never got an action/,
    )
  })

  it('an action that does not exist', () => {
    // @ts-expect-error no such action
    expect(() => routes(Wrong, (r) => ({ index: r.get('/x', 'indx') }))).toThrow(
      /Wrong has no method 'indx'.*Did you mean 'index'/,
    )
  })

  it('two patterns under one name', () => {
    expect(() =>
      routes(Wrong, (r) => ({ a: r.get('/a', 'index'), b: r.get('/b', 'index') })),
    ).toThrow(/the name 'index' already has the pattern '\/a'/)
  })
})
