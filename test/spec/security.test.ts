/** Security headers, other origins, rate limits, secret cookies and request ids. */
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { afterAll, describe, expect, it } from 'vitest'
import { FwEnv } from '../../src/runtime/config.ts'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { cors, rateLimit, XsrfCookie, type RateLimiter } from '../../src/runtime/feature.ts'
import { startWithSessions, type SessionAppOptions } from '../support/session-app.ts'
import { serve } from '../support/serve.ts'
import { MemoryStore } from '../../src/runtime/session.ts'
import { developmentErrorReporter } from '../../src/tools/dev.ts'

const redis = createClient({
  url: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
  socket: { reconnectStrategy: false },
})
redis.on('error', () => {})
const hasRedis = await redis.connect().then(
  () => true,
  () => false,
)
afterAll(() => redis.destroy())

const secret = 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'
const production: SessionAppOptions = {
  environment: 'production',
  store: () => new MemoryStore(),
  database: false,
}
const hosts = { hosts: ['localhost', 'shop.example'] }
const fetched = (url: string, init?: RequestInit) => new Request(url, init)

class Pages extends FwController {
  index() {
    return 'page'
  }
  own() {
    this.response.headers.set('X-Frame-Options', 'DENY')
    this.response.headers.set('Content-Security-Policy', "default-src 'none'")
    return 'own'
  }
  inline() {
    this.response.headers.set('ETag', '"1"')
    return `<script nonce="${this.ctx.cspNonce}">1</script>`
  }
  moved() {
    return this.redirect('/')
  }
  fault(): never {
    throw new Error('secret detail')
  }
  cached() {
    this.response.headers.set('Cache-Control', 'public, max-age=60')
    if (this.params.get('set') !== undefined) this.cookies.set('theme', 'dark')
    return 'cached'
  }
}
const pages = routes(Pages, (r) => ({
  index: r.get('/', 'index'),
  own: r.get('/own', 'own'),
  inline: r.get('/inline', 'inline'),
  moved: r.get('/moved', 'moved'),
  fault: r.get('/fault', 'fault'),
  cached: r.get('/cached', 'cached'),
}))

describe('security headers', () => {
  it.each(['/', '/moved', '/fault', '/nowhere', '/%zz', '/a.txt', '/?a=%ff&b'])(
    'are on every response: %s',
    async (path) => {
      const app = await serve([pages], { files: { 'src/main/webapp/a.txt': 'a' } })
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { headers } = await app.request(method, path)
        expect(headers.get('x-content-type-options')).toBe('nosniff')
        expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
        expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
        expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
        expect(headers.get('server') ?? headers.get('x-powered-by')).toBeNull()
      }
    },
  )

  it('do not replace headers that the response sets', async () => {
    const { headers } = await (await serve([pages])).get('/own')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('a nonce has 128 bits, belongs to one response and both directives, and prevents caching', async () => {
    const app = await serve([pages])
    const seen = new Set<string>()
    for (let count = 0; count < 2; count++) {
      const { headers, body } = await app.get('/inline')
      const nonce = /nonce="([^"]+)"/.exec(body)![1]!
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
      const policy = headers.get('content-security-policy')
      expect(policy).toContain(`script-src 'self' 'nonce-${nonce}';`)
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}';`)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('etag')).toBeNull()
      seen.add(nonce)
    }
    expect(seen.size).toBe(2)
  })

  it('are added, replaced and removed by the configuration', async () => {
    const app = await serve([pages], {
      configuration: {
        security: {
          headers: { 'x-frame-options': 'DENY', 'Permissions-Policy': 'off', 'X-Own': 'a' },
          contentSecurityPolicy: {
            'img-src': "'self' data:",
            'script-src': "'none'",
            'base-uri': 'off',
          },
        },
      },
    })
    const { headers } = await app.get('/')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('permissions-policy')).toBeNull()
    expect(headers.get('x-own')).toBe('a')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self'; script-src 'none'; style-src 'self'; object-src 'none'; form-action 'self'; frame-ancestors 'self'; img-src 'self' data:",
    )
    const inline = (await app.get('/inline')).headers.get('content-security-policy')
    expect(inline).toMatch(/script-src 'nonce-[^']+';/)
  })

  it('form-action contains the hosts of redirects, and a second policy only reports', async () => {
    const app = await serve([pages], {
      configuration: {
        redirect: { allowedHosts: ['pay.example'] },
        security: { contentSecurityPolicyReportOnly: { 'report-uri': '/reports' } },
      },
    })
    const { headers } = await app.get('/inline')
    expect(headers.get('content-security-policy')).toContain("form-action 'self' pay.example;")
    expect(headers.get('content-security-policy-report-only')).toMatch(
      /script-src 'self' 'nonce-[^']+'.*; report-uri \/reports$/,
    )
    const own = await serve([pages], {
      configuration: {
        redirect: { allowedHosts: ['pay.example'] },
        security: { contentSecurityPolicy: { 'form-action': "'none'" } },
      },
    })
    expect((await own.get('/')).headers.get('content-security-policy')).toContain(
      "form-action 'none'",
    )
  })

  it('in development, the log names a host that form-action does not permit', async () => {
    class Payments extends FwController {
      pay() {
        const target = `https://${this.params.get('to')}/pay`
        return this.redirect303(target, { allowOtherHost: true })
      }
    }
    const payments = routes(Payments, (r) => ({
      pay: r.post('/pay', 'pay'),
      link: r.get('/pay', 'pay'),
    }))
    const configuration = { redirect: { allowedHosts: ['listed.example'] } }
    const errorReporter = developmentErrorReporter(new FwEnv('development'), join('/', 'nowhere'))!
    const development = await serve([payments], { configuration, errorReporter })
    await development.get('/pay', { query: { to: 'other.example' } })
    await development.post('/pay', { query: { to: 'listed.example' } })
    expect(development.lines).toEqual([])
    await development.post('/pay', { query: { to: 'other.example' } })
    expect(development.lines).toMatchObject([
      {
        level: 'warn',
        fields: { host: 'other.example' },
        message: expect.stringContaining('list the host in redirect.allowedHosts'),
      },
    ])
    const production = await serve([payments], { configuration })
    await production.post('/pay', { query: { to: 'other.example' } })
    expect(production.lines).toEqual([])
  })

  it('a 304 has no policy, and a page with a nonce never becomes one', async () => {
    class Dated extends FwController {
      page() {
        this.response.headers.set('Last-Modified', 'Sat, 28 Nov 2026 00:00:00 GMT')
        this.response.headers.set('ETag', '"a"')
        if (this.params.get('nonce') !== undefined) void this.ctx.cspNonce
        return 'page'
      }
    }
    const app = await serve([routes(Dated, (r) => ({ page: r.get('/dated', 'page') }))], {
      configuration: {
        security: { contentSecurityPolicyReportOnly: { 'img-src': "'self'" } },
      },
    })
    const reportOnly = 'content-security-policy-report-only'
    expect((await app.get('/dated')).headers.get(reportOnly)).toContain("img-src 'self'")
    const conditions = [
      { 'If-None-Match': '"a"' },
      { 'If-Modified-Since': 'Sat, 28 Nov 2026 00:00:00 GMT' },
    ]
    for (const headers of conditions) {
      const page = await app.get('/dated', { headers })
      expect([page.status, page.headers.get('content-security-policy')]).toEqual([304, null])
      expect(page.headers.get(reportOnly)).toBeNull()
      expect(page.headers.get('x-content-type-options')).toBe('nosniff')
      const withNonce = await app.get('/dated?nonce', { headers })
      expect([withNonce.status, withNonce.headers.get('last-modified')]).toEqual([200, null])
    }
  })

  it.each([
    [{ headers: { 'X A': 'b' } }, /not a header/],
    [{ headers: { 'X-A': 'a\nb' } }, /a header cannot have/],
    [{ headers: { 'content-security-policy': 'a' } }, /contentSecurityPolicy/],
    [{ contentSecurityPolicy: { 'img-src': "'self'; script-src *" } }, /semicolon/],
    [{ contentSecurityPolicy: { 'Img Src': "'self'" } }, /not a directive/],
  ])('an invalid setting stops the start: %j', async (security, message) => {
    await expect(serve([pages], { configuration: { security } })).rejects.toThrow(message)
  })

  it('Strict-Transport-Security is sent only on https in production', async () => {
    const live = await startWithSessions([pages], {
      ...production,
      configuration: { secretKeyBase: secret, server: hosts },
    })
    const header = async (app: typeof live, url: string) =>
      (await app.app.fetch(fetched(url))).headers.get('strict-transport-security')
    expect(await header(live, 'https://shop.example/')).toBe('max-age=63072000; includeSubDomains')
    expect(await header(live, 'https://shop.example/nowhere')).toContain('max-age')
    expect(await header(live, 'http://shop.example/')).toBeNull()
    const test = await startWithSessions([pages], {
      ...production,
      environment: 'test',
      configuration: { server: hosts },
    })
    expect(await header(test, 'https://shop.example/')).toBeNull()
  })

  it('a response that sets a cookie is never public', async () => {
    const app = await serve([pages])
    expect((await app.get('/cached')).headers.get('cache-control')).toBe('public, max-age=60')
    expect((await app.get('/cached?set=1')).headers.get('cache-control')).toBe('no-store')
  })
})

describe('the session cookie', () => {
  class Counter extends FwController {
    index() {
      this.session.set('count', 1)
      return 'x'
    }
  }
  const counter = routes(Counter, (r) => ({ index: r.get('/', 'index') }))

  it('in production is bound to the host: __Host-, Secure, HttpOnly, SameSite=Lax, Path=/, no Domain, no age', async () => {
    const app = await startWithSessions([counter], {
      ...production,
      configuration: { secretKeyBase: secret, server: hosts },
    })
    const response = await app.app.fetch(fetched('https://shop.example/'))
    const [pair, ...attributes] = response.headers.getSetCookie()[0]!.split('; ')
    expect(pair).toMatch(/^__Host-fw_session=[A-Za-z0-9_-]{32}$/)
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'])
  })

  it('production does not start without a secret, or with a short one', async () => {
    for (const secretKeyBase of [undefined, '', 'short'])
      await expect(
        startWithSessions([counter], {
          ...production,
          configuration: {
            server: hosts,
            ...(secretKeyBase === undefined ? {} : { secretKeyBase }),
          },
        }),
      ).rejects.toThrow(/secretKeyBase/)
  })

  it('lifetimes come from the configuration, and invalid ones stop the start', async () => {
    await expect(
      startWithSessions([counter], {
        ...production,
        environment: 'test',
        store: ({ lifetime }) => new MemoryStore(lifetime),
        configuration: { session: { idleTimeout: '2h', absoluteTimeout: '1h' } },
      }),
    ).rejects.toMatchObject({ code: 'session.lifetime-invalid' })
    await expect(
      serve([counter], { configuration: { session: { idleTimout: '2h' } } }),
    ).rejects.toThrow(/idleTimout/)
  })
})

describe('secret cookies', () => {
  class Secrets extends FwController {
    put() {
      this.cookies.signed.set('plan', 'free')
      this.cookies.sealed.set('note', 'for my eyes')
      return 'x'
    }
    read() {
      return {
        plan: this.cookies.signed.get('plan') ?? '-',
        note: this.cookies.sealed.get('note') ?? '-',
      }
    }
  }
  const secrets = routes(Secrets, (r) => ({
    put: r.get('/put', 'put'),
    read: r.get('/read', 'read'),
  }))

  it('are read back, also under a rotated key; a changed byte or another key makes them undefined', async () => {
    const old = await serve([secrets], { configuration: { secretKeyBase: secret } })
    const page = await old.get('/put')
    const pairs = page.headers.getSetCookie().map((line) => line.split(';', 1)[0]!)
    expect(pairs.join()).not.toContain('eyes')
    const cookie = pairs.join('; ')
    const rotated = await serve([secrets], {
      configuration: { secretKeyBase: [[...secret].toReversed().join(''), secret] },
    })
    for (const app of [old, rotated])
      expect((await app.get('/read', { headers: { cookie } })).json()).toEqual({
        plan: 'free',
        note: 'for my eyes',
      })
    const other = await serve([secrets], { configuration: { secretKeyBase: 'z'.repeat(32) } })
    expect((await other.get('/read', { headers: { cookie } })).json()).toEqual({
      plan: '-',
      note: '-',
    })
    for (const pair of pairs) {
      const at = pair.indexOf('=') + 1
      for (let position = at; position < pair.length; position++) {
        const changed =
          pair.slice(0, position) + (pair[position] === 'A' ? 'B' : 'A') + pair.slice(position + 1)
        const { plan, note } = (
          await old.get('/read', { headers: { cookie: changed } })
        ).json() as Record<string, string>
        expect([plan, note]).toEqual(['-', '-'])
      }
    }
  })
})

describe('pages of other origins', () => {
  const app = 'https://app.example.com'
  class Api extends mix(
    FwController,
    cors({ origins: [app], credentials: true, exposedHeaders: ['X-Total'] }),
  ) {
    index() {
      return { items: [] }
    }
  }
  class Open extends mix(FwController, cors({ origins: '*', credentials: true })) {}
  const api = routes(Api, (r) => ({
    index: r.get('/items', 'index'),
    create: r.post('/items', () => 'made'),
    fault: r.get('/fault', () => {
      throw new Error('x')
    }),
  }))
  const open = routes(Open, (r) => ({
    index: r.get('/open', () => 'open'),
    create: r.post('/open', () => 'made'),
  }))

  it('may read nothing by default', async () => {
    const { headers } = await (await serve([pages])).get('/', { headers: { origin: app } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('may read routes that list them; an origin is never reflected, null is never allowed', async () => {
    const client = await serve([api, open])
    for (const path of ['/items', '/fault']) {
      const { headers } = await client.get(path, { headers: { origin: app } })
      expect(headers.get('access-control-allow-origin')).toBe(app)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('access-control-expose-headers')).toBe('X-Total')
      expect(headers.get('vary')).toContain('Origin')
    }
    for (const origin of [
      'https://evil.example',
      'null',
      `${app}.evil.example`,
      app.toUpperCase(),
      `${app}:443`,
    ]) {
      const { headers } = await client.get('/items', { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('vary')).toContain('Origin')
    }
    const all = await client.get('/open', { headers: { origin: 'https://evil.example' } })
    expect(all.headers.get('access-control-allow-origin')).toBe('*')
    expect(all.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('get the permissions from a preflight request', async () => {
    const client = await serve([api])
    const ask = (path: string, origin: string, method = 'POST') =>
      client.request('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': method },
      })
    const { status, headers } = await ask('/items', app)
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(app)
    expect(headers.get('access-control-allow-methods')).toContain('POST')
    expect(headers.get('access-control-allow-headers')).toBe(
      'Content-Type, Authorization, X-CSRF-Token',
    )
    expect(headers.get('access-control-max-age')).toBe('600')
    for (const [path, origin, method] of [
      ['/items', 'https://evil.example', 'POST'],
      ['/items', 'https://evil.example', 'DELETE'],
      ['/nowhere', 'https://evil.example', 'DELETE'],
      ['/items', app, 'x'],
      ['/nowhere', app, 'x'],
    ] as const) {
      const refused = await ask(path, origin, method)
      expect(refused.headers.get('access-control-allow-methods')).toBeNull()
    }
  })

  it('may read the 404 and the 405 of requests that need a preflight', async () => {
    const client = await serve([api])
    for (const [path, status] of [
      ['/nowhere', 404],
      ['/items', 405],
    ] as const) {
      const headers = { origin: app, 'access-control-request-method': 'DELETE' }
      const preflight = await client.request('OPTIONS', path, { headers })
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
        204,
        app,
      ])
      expect(preflight.headers.get('access-control-allow-methods')).toContain('DELETE')
      const page = await client.request('DELETE', path, { headers: { origin: app } })
      expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([status, app])
    }
  })

  it('may send unsafe requests only to routes that list them', async () => {
    const client = await serve([api, open])
    const send = (path: string, origin: string) =>
      client.post(path, { headers: { origin, 'sec-fetch-site': 'cross-site' } })
    expect((await send('/items', app)).body).toBe('made')
    expect((await send('/items', 'https://evil.example')).status).toBe(403)
  })

  it('may send unsafe requests to routes of every origin, unless the browser adds credentials', async () => {
    class Tokens extends mix(FwApiController, cors({ origins: '*' })) {}
    const tokens = routes(Tokens, (r) => ({ create: r.post('/tokens', () => 'made') }))
    const client = await serve([open, tokens])
    const send = (path: string, headers: Record<string, string>) =>
      client.post(path, {
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', ...headers },
      })
    const bearer = { authorization: 'Bearer x', 'sec-fetch-mode': 'cors' }
    for (const path of ['/open', '/tokens']) {
      const made = await send(path, bearer)
      expect([made.status, made.body]).toEqual([200, 'made'])
      expect(made.headers.get('access-control-allow-origin')).toBe('*')
      for (const headers of [
        { ...bearer, cookie: 'fw_session=x' },
        { 'sec-fetch-mode': 'cors', authorization: 'Basic eA==' },
        { 'sec-fetch-mode': 'navigate' },
        { 'sec-fetch-mode': 'no-cors' },
      ]) {
        const refused = await send(path, headers)
        expect([headers, refused.status]).toEqual([headers, 403])
        expect(refused.headers.get('access-control-allow-origin')).toBe('*')
      }
    }
    // An old browser sends no mode: only a controller without sessions is safe.
    expect((await send('/open', {})).status).toBe(403)
    expect((await send('/tokens', {})).status).toBe(200)
  })

  it('get the headers without Origin, on 404, 405 and errors too', async () => {
    const client = await serve([open])
    for (const [method, path, status] of [
      ['GET', '/open', 200],
      ['GET', '/nowhere', 404],
      ['PUT', '/open', 405],
      ['POST', '/open?x=%', 200],
    ] as const) {
      const page = await client.request(method, path)
      expect([path, page.status]).toEqual([path, status])
      expect(page.headers.get('access-control-allow-origin')).toBe('*')
    }
    const listed = await serve([api])
    for (const [method, path, status] of [
      ['GET', '/nowhere', 404],
      ['PUT', '/items', 405],
    ] as const) {
      const without = await listed.request(method, path)
      expect([without.status, without.headers.get('vary')]).toEqual([status, 'Origin, Accept'])
      const { headers } = await listed.request(method, path, { headers: { origin: app } })
      expect(headers.get('access-control-allow-origin')).toBe(app)
    }
  })

  it.each(['*', 'app.example.com', 'https://*.example.com', 'https://app.example.com/', 'null'])(
    'an origin that is not exact stops the start: %s',
    (origin) => {
      expect(() => cors({ origins: [origin] })).toThrow(/Trusted origin/)
    },
  )
})

describe('XsrfCookie', () => {
  class Spa extends mix(FwController, XsrfCookie) {
    static {
      this.protectFromForgery()
    }
  }
  const spa = routes(Spa, (r) => ({
    index: r.get('/', () => 'page'),
    create: r.post('/items', () => 'made'),
    login: r.post('/login', (c) => c.session.renewSession()),
  }))

  it('a script copies the cookie into the header; the cookie alone is refused', async () => {
    const visitor = (await serve([spa])).visitor()
    const line = (await visitor.get('/')).headers
      .getSetCookie()
      .find((each) => each.startsWith('XSRF-TOKEN='))!
    expect(line).toMatch(/SameSite=Strict/)
    expect(line).not.toMatch(/HttpOnly/)
    const token = line.split(';', 1)[0]!.slice('XSRF-TOKEN='.length)
    expect((await visitor.post('/items')).status).toBe(403)
    expect((await visitor.post('/items', { headers: { 'X-XSRF-TOKEN': token } })).body).toBe('made')
    expect((await visitor.get('/')).headers.getSetCookie()).toEqual([])
    const login = await visitor.post('/login', { headers: { 'X-XSRF-TOKEN': token } })
    expect(login.headers.getSetCookie().join()).toContain('XSRF-TOKEN=')
    expect((await visitor.post('/items', { headers: { 'X-XSRF-TOKEN': token } })).status).toBe(403)
  })

  it('protects an API controller by itself, and leaves only and except to another protection', async () => {
    class Api extends mix(FwApiController, XsrfCookie) {}
    class Some extends mix(FwController, XsrfCookie) {
      static {
        this.protectFromForgery({ only: ['create'] })
      }
      create() {
        return 'made'
      }
    }
    const api = routes(Api, (r) => ({
      index: r.get('/api', () => ({})),
      create: r.post('/api/items', () => 'made'),
    }))
    const some = routes(Some, (r) => ({
      index: r.get('/some', () => 'page'),
      create: r.post('/some', 'create'),
      other: r.post('/other', () => 'other'),
    }))
    const visitor = (await serve([api, some])).visitor()
    const line = (await visitor.get('/api')).headers.getSetCookie().join()
    const token = /XSRF-TOKEN=([^;]*)/.exec(line)![1]!
    expect((await visitor.post('/api/items')).status).toBe(403)
    const headers = { 'X-XSRF-TOKEN': token }
    expect((await visitor.post('/api/items', { headers })).body).toBe('made')
    expect((await visitor.post('/some')).status).toBe(403)
    expect((await visitor.post('/other')).body).toBe('other')
  })

  it('a client whose first request is refused gets the token with the 403, and can go on', async () => {
    class Api extends mix(FwApiController, XsrfCookie) {}
    const api = routes(Api, (r) => ({ create: r.post('/api/items', () => 'made') }))
    const app = await serve([spa, api])
    for (const path of ['/items', '/api/items']) {
      const visitor = app.visitor()
      const refused = await visitor.post(path, { headers: { accept: '*/*' } })
      const token = /XSRF-TOKEN=([^;]*)/.exec(refused.headers.getSetCookie().join('\n'))?.[1] ?? ''
      expect([refused.status, refused.body]).toEqual([
        403,
        expect.stringMatching(/cookie XSRF-TOKEN .* header X-XSRF-TOKEN/),
      ])
      const again = await visitor.post(path, { headers: { 'X-XSRF-TOKEN': token } })
      expect(again.body).toBe('made')
    }
    // A page of another site cannot change the visitor's cookies.
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await app.post('/items', { headers })).headers.getSetCookie()).toEqual([])
  })

  it('a cookie that another site set has no effect', async () => {
    const visitor = (await serve([spa])).visitor()
    await visitor.get('/')
    const page = await visitor.request('POST', '/items', {
      headers: { cookie: `XSRF-TOKEN=${'A'.repeat(86)}`, 'X-XSRF-TOKEN': 'A'.repeat(86) },
    })
    expect(page.status).toBe(403)
  })
})

describe('rateLimit', () => {
  const limited = (limiter: RateLimiter) => {
    class Login extends mix(FwController, rateLimit({ limiter, only: ['login'] })) {
      login() {
        return 'in'
      }
    }
    return routes(Login, (r) => ({
      login: r.post('/login', 'login').as('login'),
      other: r.get('/', () => 'other'),
    }))
  }

  it('1000 logins: the first ten pass, the rest get Retry-After', async () => {
    const app = await serve([limited(new RateLimiterMemory({ points: 10, duration: 60 }))])
    const pages = await Promise.all(Array.from({ length: 1000 }, () => app.post('/login')))
    expect(pages.filter(({ status }) => status === 200)).toHaveLength(10)
    const refused = pages.find(({ status }) => status === 429)!
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await app.get('/')).body).toBe('other')
  })

  it('a limiter with a failing store refuses requests and logs the error', async () => {
    const failing = { consume: () => Promise.reject(new Error('connect ECONNREFUSED')) }
    const app = await serve([limited(failing)])
    const page = await app.post('/login')
    expect(page.status).toBe(503)
    expect(page.body).not.toContain('ECONNREFUSED')
    expect(app.lines).toHaveLength(1)
  })

  it.skipIf(!hasRedis)('counts for all nodes on Redis', async () => {
    const keyPrefix = `fw:spec:limit:${process.pid}`
    const node = () => {
      const options = {
        storeClient: redis,
        useRedisPackage: true,
        keyPrefix,
        points: 3,
        duration: 60,
      }
      return serve([limited(new RateLimiterRedis(options))])
    }
    const [one, two] = [await node(), await node()]
    const statuses: number[] = []
    for (let turn = 0; turn < 3; turn++) {
      statuses.push((await one.post('/login')).status, (await two.post('/login')).status)
    }
    await redis.sendCommand([
      'EVAL',
      `for _, k in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', k) end`,
      '0',
      keyPrefix,
    ])
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
  })
})

describe('a fault', () => {
  it('is logged with the request id, which is all that the client gets', async () => {
    const app = await startWithSessions([pages], {
      ...production,
      configuration: { secretKeyBase: secret, server: hosts },
    })
    const page = await app.get('/fault', {
      headers: { accept: 'application/json', 'x-request-id': 'a\u001b[31m' },
    })
    const id = page.headers.get('x-request-id')
    expect(id).toMatch(/^[A-Za-z0-9_-]{16}$/)
    expect(page.json()).toMatchObject({ status: 500, requestId: id })
    expect(page.body).not.toContain('secret detail')
    expect(app.lines.map(({ message, fields }) => [message, fields['requestId']])).toEqual([
      ['request failed', id],
      ['request', id],
    ])
  })
})
