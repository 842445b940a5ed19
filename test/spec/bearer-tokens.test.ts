/** Bearer tokens: look-up by hash, tokens of the configuration, scopes, and requests without sessions. */
import { createHash } from 'node:crypto'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  FwApiController,
  FwController,
  microFilter,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import {
  authenticateBearer,
  cors,
  forgeryProtection,
  JsonParamsFeature,
  requireScopes,
} from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

interface ApiKey {
  readonly id: number
  readonly scopes: string
}
const token = (name: string) => name.padEnd(40, '-')
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const keys = new Map<string, ApiKey>([
  [hashOf(token('reader')), { id: 1, scopes: 'tasks:read' }],
  [hashOf(token('writer')), { id: 2, scopes: 'tasks:read tasks:write' }],
  [hashOf(token('nothing')), { id: 3, scopes: '' }],
])
const asked: string[] = []

class Tasks extends mix(
  FwApiController,
  authenticateBearer({
    realm: 'tasks',
    except: ['open'],
    find: async (hash) => {
      asked.push(hash)
      return keys.get(hash)
    },
  }),
  requireScopes(['tasks:read'], { except: ['open', 'who'] }),
  requireScopes(['tasks:write'], { only: ['create'] }),
  JsonParamsFeature,
) {
  who() {
    expectTypeOf(this.bearer).toEqualTypeOf<ApiKey>()
    return `key ${this.bearer.id}`
  }
  index() {
    return { id: this.bearer.id }
  }
  create() {
    return { made: this.params.get('text') }
  }
  open() {
    return { open: true }
  }
}
const tasks = routes(Tasks, (r) => ({
  who: r.get('/who', 'who'),
  index: r.get('/tasks', 'index'),
  create: r.post('/tasks', 'create'),
  open: r.get('/open', 'open'),
}))

const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } })

describe('authenticateBearer', () => {
  it('lets a request with a valid token in, whatever the case of the scheme', async () => {
    const app = await serve([tasks])
    const page = await app.get('/tasks', bearer(token('reader')))
    expect(page.json()).toEqual({ id: 1 })
    const lower = { headers: { authorization: `bearer  ${token('writer')}` } }
    expect((await app.get('/tasks', lower)).json()).toEqual({ id: 2 })
  })

  it('finds the bearer by the SHA-256 of the token, and never sees the token', async () => {
    const app = await serve([tasks])
    asked.length = 0
    await app.get('/tasks', bearer(token('reader')))
    expect(asked).toEqual([hashOf(token('reader'))])
  })

  it('refuses a request without a token: 401 with a challenge and problem details', async () => {
    const app = await serve([tasks])
    const page = await app.get('/tasks')
    expect(page.status).toBe(401)
    expect(page.headers.get('www-authenticate')).toBe('Bearer realm="tasks", scope="tasks:read"')
    expect(page.headers.get('content-type')).toBe('application/problem+json')
    expect(page.json()).toMatchObject({ status: 401, code: 'feature.token-missing' })
    const basic = await app.get('/tasks', { headers: { authorization: 'Basic YTpi' } })
    expect(basic.json()).toMatchObject({ code: 'feature.token-missing' })
  })

  it.each([
    ['an unknown token', token('other')],
    ['an empty token', ''],
    ['the beginning of a valid token', token('reader').slice(0, -1)],
    ['a valid token with more text', `${token('reader')}-`],
    ['two tokens', `${token('reader')}, ${token('reader')}`],
    ['a token outside the syntax', 'tök"en'],
    ['a token that is too long', 'a'.repeat(8193)],
  ])('refuses %s as invalid', async (_what, text) => {
    const app = await serve([tasks])
    const page = await app.get('/tasks', bearer(encodeHeader(text)))
    expect(page.status).toBe(401)
    expect(page.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="tasks", error="invalid_token", error_description="The token is (?:malformed|not valid)\.", scope="tasks:read"$/,
    )
    expect(page.json()).toMatchObject({ code: 'feature.token-invalid' })
  })

  it('looks no malformed token up', async () => {
    const app = await serve([tasks])
    asked.length = 0
    for (const text of ['', 'a b', 'a'.repeat(8193)]) await app.get('/tasks', bearer(text))
    expect(asked).toEqual([])
  })

  it('refuses a token without the scopes of the route: 403 that names them', async () => {
    const app = await serve([tasks])
    const page = await app.post('/tasks', { ...bearer(token('reader')), json: { text: 'a' } })
    expect(page.status).toBe(403)
    expect(page.headers.get('www-authenticate')).toBe(
      'Bearer realm="tasks", error="insufficient_scope", error_description="The token does not have the scope of this route.", scope="tasks:read tasks:write"',
    )
    expect(page.json()).toMatchObject({
      status: 403,
      code: 'feature.scope-missing',
      missing: ['tasks:write'],
    })
    expect((await app.get('/tasks', bearer(token('nothing')))).status).toBe(403)
    expect((await app.get('/who', bearer(token('nothing')))).body).toBe('key 3')
    const made = await app.post('/tasks', { ...bearer(token('writer')), json: { text: 'a' } })
    expect(made.json()).toEqual({ made: 'a' })
  })

  it('requires scopes by the method of the request', async () => {
    type Scope = 'read' | 'write'
    class Notes extends mix(
      FwApiController,
      authenticateBearer({ find: (hash) => ({ scopes: hash === hashOf('r') ? 'read' : 'write' }) }),
      requireScopes<Scope>(['read'], { methods: 'safe' }),
      requireScopes<Scope>(['write'], { methods: 'unsafe', except: ['open'] }),
    ) {}
    // @ts-expect-error The type has no such scope.
    requireScopes<Scope>(['wirte'])
    const notes = routes(Notes, (r) => ({
      index: r.get('/', () => 'read').as('index'),
      create: r.post('/', () => 'written').as('create'),
      open: r.post('/open', () => 'open').as('open'),
    }))
    const app = await serve([notes])
    const send = async (text: string) => {
      const responses = [
        await app.get('/', bearer(text)),
        await app.head('/', bearer(text)),
        await app.post('/', bearer(text)),
        await app.post('/open', bearer(text)),
      ]
      return responses.map(({ status }) => status)
    }
    expect(await send('r')).toEqual([200, 200, 403, 200])
    expect(await send('w')).toEqual([403, 403, 200, 200])
    const refused = await app.get('/', bearer('w'))
    expect(refused.headers.get('www-authenticate')).toMatch(/, scope="read"$/)
  })

  it('answers before it reads the body', async () => {
    const app = await serve([tasks])
    const page = await app.post('/tasks', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(page.status).toBe(401)
  })

  it('applies to the routes of only and except', async () => {
    const app = await serve([tasks])
    expect((await app.get('/open')).json()).toEqual({ open: true })
  })

  it('fails as a fault where a route without authentication reads its bearer or requires scopes', async () => {
    class Loose extends mix(
      FwApiController,
      authenticateBearer({ find: () => 1, only: ['index'] }),
      requireScopes(['a'], { only: ['scoped'] }),
    ) {}
    const loose = routes(Loose, (r) => ({
      index: r.get('/', () => '').as('index'),
      read: r.get('/read', (c) => String(c.bearer)).as('read'),
      scoped: r.get('/scoped', () => 'open').as('scoped'),
    }))
    const app = await serve([loose])
    for (const path of ['/read', '/scoped']) {
      expect((await app.get(path, bearer('a'))).status).toBe(500)
      expect(app.lines.at(-1)?.fields['err']).toMatchObject({ code: 'feature.bearer-missing' })
    }
  })

  it('of a subclass replaces that of its base, also before scopes of the base are checked', async () => {
    const find = (hash: string) =>
      hash === hashOf('hook') ? { scopes: ['tasks:read'] } : undefined
    class Hooks extends mix(Tasks, authenticateBearer({ realm: 'hooks', find })) {}
    const hooks = routes(Hooks, (r) => ({ hook: r.get('/hook', () => 'in').as('hook') }))
    const app = await serve([[hooks, '/hooks']])
    expect((await app.get('/hooks/hook', bearer('hook'))).body).toBe('in')
    const refused = await app.get('/hooks/hook', bearer(token('reader')))
    expect(refused.headers.get('www-authenticate')).toContain('realm="hooks"')
  })

  it('of a route that passes the request on does not count for the next route', async () => {
    class First extends mix(FwApiController, authenticateBearer({ find: () => 'first' })) {}
    class Next extends mix(
      FwApiController,
      authenticateBearer({ find: () => undefined, only: ['a'] }),
    ) {}
    const first = routes(First, (r) => ({ a: r.get('/:name', (c) => c.pass()) }))
    const next = routes(Next, (r) => ({
      a: r.get('/a', () => 'in').as('a'),
      b: r.get('/b', (c) => String(c.bearer)).as('b'),
    }))
    const app = await serve([first, next])
    expect((await app.get('/a', bearer('a'))).status).toBe(401)
    expect((await app.get('/b', bearer('a'))).status).toBe(500)
  })

  it('answers 500 when the look-up fails', async () => {
    class Broken extends mix(
      FwApiController,
      authenticateBearer({ find: () => Promise.reject(new Error('no database')) }),
    ) {}
    const app = await serve([routes(Broken, (r) => ({ a: r.get('/a', () => '') }))])
    expect((await app.get('/a', bearer('a'))).status).toBe(500)
  })
})

/** Headers of `fetch` contain bytes. */
const encodeHeader = (text: string) => Buffer.from(text).toString('latin1')

describe('tokens of the configuration', () => {
  let read: string[] = []
  const valid = { web: token('web'), job: token('job') }
  class Metrics extends mix(
    FwApiController,
    authenticateBearer({
      tokens: () => ({
        get web() {
          read.push('web')
          return valid.web
        },
        get job() {
          read.push('job')
          return valid.job
        },
      }),
    }),
  ) {
    index() {
      expectTypeOf(this.bearer).toEqualTypeOf<'web' | 'job'>()
      return `for ${this.bearer}`
    }
  }
  const metrics = routes(Metrics, (r) => ({ index: r.get('/metrics', 'index') }))

  it('give the bearer their name, and every one is compared whichever matches', async () => {
    const app = await serve([metrics])
    for (const [name, text] of Object.entries({ ...valid, nobody: token('nobody') })) {
      read = []
      const page = await app.get('/metrics', bearer(text))
      expect(page.body).toContain(name === 'nobody' ? 'not valid' : `for ${name}`)
      expect(read).toEqual(['web', 'job'])
    }
  })

  it.each([undefined, '', 'a'.repeat(31)])(
    'that are missing or short are a fault, and let nobody in: %s',
    async (text) => {
      class Short extends mix(
        FwApiController,
        authenticateBearer({ tokens: () => ({ web: text }) }),
      ) {}
      const app = await serve([routes(Short, (r) => ({ a: r.get('/a', () => 'in') }))])
      expect((await app.get('/a', bearer(text || 'x'))).status).toBe(500)
      expect(app.lines.at(-1)?.fields['err']).toMatchObject({ code: 'feature.bearer-invalid' })
    },
  )
})

describe('the query parameter access_token', () => {
  const find = () => 'in'
  const api = (options: { fromQuery?: boolean }) => {
    class Api extends mix(FwApiController, authenticateBearer({ find, ...options })) {}
    return routes(Api, (r) => ({ a: r.get('/a', (c) => c.bearer) }))
  }

  it('is no token unless the application wants it', async () => {
    const app = await serve([api({})])
    expect((await app.get('/a', { query: { access_token: 'a' } })).status).toBe(401)
  })

  it('is a token with fromQuery; the response is not stored, and the log redacts it', async () => {
    const app = await serve([api({ fromQuery: true })])
    const page = await app.get('/a', { query: { access_token: 'abc' } })
    expect(page.body).toBe('in')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(JSON.stringify(app.lines)).not.toContain('abc')
  })

  it('beside the header is a 400', async () => {
    const app = await serve([api({ fromQuery: true })])
    const page = await app.get('/a', { ...bearer('a'), query: { access_token: 'a' } })
    expect(page.status).toBe(400)
    expect(page.headers.get('www-authenticate')).toContain('error="invalid_request"')
    expect(page.json()).toMatchObject({ code: 'feature.token-repeated' })
  })
})

describe('a request with a token', () => {
  class Pages extends mix(
    FwController,
    forgeryProtection(),
    authenticateBearer({ find: () => 'ann', except: ['begin', 'count', 'change'] }),
  ) {
    begin() {
      this.session.set('count', 1)
      return 'begun'
    }
    count() {
      return `count ${this.session.get('count') as number}`
    }
    read() {
      return `${this.bearer} ${String(this.session.get('count'))}`
    }
    write() {
      this.session.set('count', 2)
      return 'written'
    }
    change() {
      return 'changed'
    }
  }
  const pages = routes(Pages, (r) => ({
    begin: r.get('/begin', 'begin'),
    count: r.get('/count', 'count'),
    read: r.post('/read', 'read'),
    write: r.post('/write', 'write'),
    change: r.post('/change', 'change'),
  }))

  it('needs no forgery token and does not use the session cookie', async () => {
    const app = await serve([pages])
    const begun = await app.get('/begin')
    const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
    const headers = { ...bearer('a').headers, cookie }
    const read = await app.post('/read', { headers })
    expect(read.body).toBe('ann undefined')
    expect(read.headers.getSetCookie()).toEqual([])
    expect((await app.get('/count', { headers: { cookie } })).body).toBe('count 1')
  })

  it('that changes the session fails, with the reason in the log', async () => {
    const app = await serve([pages])
    expect((await app.post('/write', bearer('a'))).status).toBe(500)
    expect(app.lines.at(-1)?.fields['err']).toMatchObject({
      code: 'session.not-saved',
      message: expect.stringContaining('authenticateBearer'),
    })
  })

  it('needs the forgery token on routes that are not authenticated by it', async () => {
    const app = await serve([pages])
    expect((await app.post('/change', bearer('a'))).status).toBe(403)
  })

  it('does not see the session that an earlier route has read', async () => {
    class First extends FwController {}
    class Me extends mix(FwController, authenticateBearer({ find: () => 'ann' })) {}
    const first = routes(First, (r) => ({
      a: r.get('/me', (c) => (c.session.has('count') ? c.pass() : 'no session')),
    }))
    const me = routes(Me, (r) => ({
      a: r.get('/me', (c) => `${c.bearer} ${String(c.session.get('count'))}`),
    }))
    const app = await serve([first, me, pages])
    const begun = await app.get('/begin')
    const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
    const page = await app.get('/me', { headers: { ...bearer('a').headers, cookie } })
    expect(page.body).toBe('ann undefined')
  })

  it('that is passed on has a session again', async () => {
    class First extends mix(FwApiController, authenticateBearer({ find: () => 'ann' })) {}
    const first = routes(First, (r) => ({ a: r.get('/count', (c) => c.pass()) }))
    const app = await serve([first, pages])
    const begun = await app.get('/begin')
    const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
    const page = await app.get('/count', { headers: { ...bearer('a').headers, cookie } })
    expect(page.body).toBe('count 1')
  })
})

describe('options', () => {
  it.each([
    ['a realm with a quote', () => authenticateBearer({ realm: 'a"b', find: () => 1 })],
    ['a scope with a space', () => requireScopes(['a b'])],
    ['an empty scope', () => requireScopes([''])],
    ['another kind of methods', () => requireScopes(['a'], { methods: 'write' as 'unsafe' })],
  ])('%s is refused', (_what, define) => {
    expect(define).toThrow(expect.objectContaining({ code: 'feature.bearer-invalid' }))
  })

  it('name routes that exist', async () => {
    class Named extends mix(FwApiController, requireScopes(['a'], { only: ['indx'] })) {}
    const named = routes(Named, (r) => ({ a: r.get('/a', () => '').as('index') }))
    await expect(serve([named])).rejects.toMatchObject({ code: 'action.unknown-route-name' })
  })

  it('an action cannot have the name of the member', async () => {
    class Taken extends FwApiController {
      bearer() {
        return ''
      }
    }
    expect(() => routes(Taken, (r) => ({ a: r.get('/a', 'bearer') }))).toThrow(
      expect.objectContaining({ code: 'controller.action-name-taken' }),
    )
  })
})

describe('an API without a session feature', () => {
  class Json extends mix(FwApiController, JsonParamsFeature) {}
  const json = routes(Json, (r) => ({
    a: r.post('/a', (c) => {
      c.session.set('a', 1)
      return ''
    }),
  }))

  it('refuses a change of the session also if it reads JSON bodies', async () => {
    const app = await serve([json])
    expect((await app.post('/a', { json: {} })).status).toBe(500)
    expect(app.lines.at(-1)?.fields['err']).toMatchObject({ code: 'session.not-saved' })
  })
})

describe('across origins', () => {
  const api = (origins: readonly string[] | '*') => {
    class Api extends mix(
      FwApiController,
      cors({ origins }),
      authenticateBearer({ find: (hash) => keys.get(hash) }),
    ) {}
    return routes(Api, (r) => ({ make: r.post('/api/a', () => 'made') }))
  }
  const from = (origin: string, text: string) => ({
    headers: {
      ...bearer(text).headers,
      origin,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
    },
  })
  const listed = 'https://app.example.com'

  it.each([[[listed]], ['*'] as const])(
    'a page uses the API, and reads its 401: %j',
    async (origins) => {
      const app = await serve([api(origins), microFilter((r) => ({ a: r.get('/', () => '') }))])
      const made = await app.post('/api/a', from(listed, token('reader')))
      expect([made.status, made.body]).toEqual([200, 'made'])
      const refused = await app.post('/api/a', from(listed, 'other'))
      expect(refused.status).toBe(401)
      expect(refused.headers.get('access-control-allow-origin')).toBe(
        origins === '*' ? '*' : listed,
      )
      const preflight = await app.request('OPTIONS', '/api/a', {
        headers: { origin: listed, 'access-control-request-method': 'POST' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization')
    },
  )

  it('a page that is not listed is refused before its token is looked up', async () => {
    const app = await serve([api([listed])])
    const page = await app.post('/api/a', from('https://evil.example', token('reader')))
    expect([page.status, page.json().code]).toEqual([403, 'action.cross-origin'])
  })
})

describe('an optional token', () => {
  class News extends mix(
    FwApiController,
    authenticateBearer({ optional: true, find: (hash) => keys.get(hash) }),
    requireScopes(['tasks:write'], { only: ['create'] }),
    JsonParamsFeature,
  ) {
    index() {
      expectTypeOf(this.bearer).toEqualTypeOf<ApiKey | undefined>()
      return { id: this.bearer?.id ?? null, session: !this.ctx.refusesSession }
    }
    create() {
      return { made: this.params.get('text') }
    }
  }
  const news = routes(News, (r) => ({
    index: r.get('/news', 'index'),
    create: r.post('/news', 'create'),
  }))

  it('serves requests with and without a token', async () => {
    const app = await serve([news])
    expect((await app.get('/news')).json()).toEqual({ id: null, session: false })
    expect((await app.get('/news', bearer(token('reader')))).json()).toMatchObject({ id: 1 })
    const basic = { headers: { authorization: 'Basic YTpi' } }
    expect((await app.get('/news', basic)).json()).toMatchObject({ id: null })
  })

  it.each(['', 'a b', token('unknown'), 'x'.repeat(9000)])(
    'refuses the invalid token %j',
    async (text) => {
      const page = await (await serve([news])).get('/news', bearer(text))
      expect([page.status, page.json()]).toMatchObject([401, { code: 'feature.token-invalid' }])
      expect(page.headers.get('www-authenticate')).toContain('error="invalid_token"')
    },
  )

  it.each(['Bearer\tunknown', `Bearer,${token('reader')}`, 'Bearer="unknown"'])(
    'refuses the malformed header %j',
    async (authorization) => {
      const page = await (await serve([news])).get('/news', { headers: { authorization } })
      expect(page.status).toBe(401)
    },
  )

  it('needs the token of a route with scopes', async () => {
    const app = await serve([news])
    const json = { text: 'x' }
    const without = await app.post('/news', { json })
    expect([without.status, without.json()]).toMatchObject([401, { code: 'feature.token-missing' }])
    expect(without.headers.get('www-authenticate')).toBe('Bearer realm="api", scope="tasks:write"')
    expect((await app.post('/news', { json, ...bearer(token('reader')) })).status).toBe(403)
    expect((await app.post('/news', { json, ...bearer(token('writer')) })).json()).toEqual({
      made: 'x',
    })
  })

  it('a subclass makes the token required again', async () => {
    class Strict extends mix(News, authenticateBearer({ find: (hash) => keys.get(hash) })) {}
    const app = await serve([routes(Strict, (r) => ({ index: r.get('/news', 'index') }))])
    expect((await app.get('/news')).status).toBe(401)
  })
})
