/** Who may store a response (decision 42), and the headers that every response of a server has. */
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Configuration } from '../../src/runtime/config.ts'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { authenticateBearer } from '../../src/runtime/feature.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { Forbidden, NoContent } from '../../src/runtime/http.ts'
import { FwServer, StartingServer } from '../../src/runtime/app.ts'
import { recordingLogger, serve, temporaryFolder } from '../support/serve.ts'

const uses: Readonly<Record<string, (c: FwController) => unknown>> = {
  nothing: () => undefined,
  newSession: (c) => c.session.isNew,
  flashOfNobody: (c) => c.flash.get('notice'),
  plainHeader: (c) => c.request.header('x-theme'),
  session: (c) => c.session.set('a', 1),
  nonce: (c) => c.ctx.cspNonce,
  cookieSet: (c) => c.cookies.set('a', '1'),
  cookieHeader: (c) => c.response.headers.append('Set-Cookie', 'a=1'),
  signedCookie: (c) => c.cookies.signed.get('a'),
  sealedCookie: (c) => c.cookies.sealed.get('a'),
  authorization: (c) => c.request.header('Authorization'),
  ownCredentials: (c) => (c.request.usesCredentials = true),
  allHeaders: (c) => c.request.headers.get('authorization'),
  webRequest: (c) => c.request.toWeb().headers.get('authorization'),
}
const impersonal = ['nothing', 'newSession', 'flashOfNobody', 'plainHeader']
const personal = Object.keys(uses).filter((name) => !impersonal.includes(name))

class Pages extends FwController {
  show(): unknown {
    uses[this.params.get('use')!]!(this)
    for (const [name, values] of this.request.query)
      for (const value of values) this.response.headers.append(name, value)
    return 'page'
  }
  theme(): string {
    this.response.headers.set('Cache-Control', 'public, max-age=60')
    return this.cookies.get('theme') ?? 'light'
  }
  bodies(): unknown {
    const results: Readonly<Record<string, () => unknown>> = {
      text: () => 'text',
      json: () => ({ a: 1 }),
      bytes: () => Buffer.from('bytes'),
      stream: () => this.response.stream(async function* () {}),
      web: () => new Response('web'),
      status: () => 202,
      empty: () => NoContent(),
      redirect: () => this.redirect('/elsewhere'),
      permanent: () => this.redirect301('/elsewhere'),
      forbidden: () => Forbidden('no'),
      missing: () => this.haltWithBody(404),
      refusal: () => {
        throw new HttpError(409, 'http.query-invalid', 'no')
      },
      fault: () => {
        throw new Error('broken')
      },
    }
    return results[this.params.get('body')!]!()
  }
}
const pages = routes(Pages, (r) => ({
  show: r.get('/uses/:use', 'show'),
  theme: r.get('/theme', 'theme'),
  bodies: r.get('/bodies/:body', 'bodies'),
  posted: r.post('/bodies/:body', 'bodies'),
}))
const credentials = { authorization: 'Basic YTpi', cookie: 'a=1' }
const show = async (use: string, headers: Readonly<Record<string, string>> = {}) =>
  (await serve([pages])).get(`/uses/${use}`, { query: headers, headers: credentials })

describe('a response that says nothing about caching', () => {
  it.each([
    'text',
    'json',
    'bytes',
    'stream',
    'web',
    'status',
    'empty',
    'redirect',
    'permanent',
    'forbidden',
    'missing',
    'refusal',
    'fault',
  ])('is private and validated: %s', async (body) => {
    const app = await serve([pages])
    for (const method of ['GET', 'HEAD', 'POST']) {
      const { headers } = await app.request(method, `/bodies/${body}`)
      expect([method, headers.get('cache-control')]).toEqual([method, 'private, no-cache'])
    }
  })

  it.each(['/nowhere', '/theme/', '/%zz', '/?a=%ff'])('without a route: %s', async (path) => {
    const app = await serve([pages])
    for (const method of ['GET', 'OPTIONS', 'DELETE'])
      expect((await app.request(method, path)).headers.get('cache-control')).toBe(
        'private, no-cache',
      )
  })

  it.each(impersonal)('is private and validated with %s', async (use) => {
    expect((await show(use)).headers.get('cache-control')).toBe('private, no-cache')
  })

  it.each(personal)('is stored by no cache with %s', async (use) => {
    expect((await show(use)).headers.get('cache-control')).toBe('no-store')
  })

  it('is private if it only has Expires', async () => {
    const Expires = 'Fri, 01 Jan 2100 00:00:00 GMT'
    expect((await show('nothing', { Expires })).headers.get('cache-control')).toBe('private')
  })

  it('has the Cache-Control of the setting security.headers', async () => {
    const configuration = { security: { headers: { 'cache-control': 'private, max-age=5' } } }
    const app = await serve([pages], { configuration })
    const control = async (use: string) =>
      (await app.get(`/uses/${use}`)).headers.get('cache-control')
    expect([await control('nothing'), await control('session')]).toEqual([
      'private, max-age=5',
      'no-store',
    ])
  })
})

const day = 'public, max-age=86400'

describe('a response that allows shared caches', () => {
  it.each(impersonal)('is public with %s', async (use) => {
    expect((await show(use, { 'Cache-Control': day })).headers.get('cache-control')).toBe(day)
  })

  for (const value of [day, 's-maxage=60', 'max-age=5, PUBLIC', 'private, s-maxage=5'])
    it.each(personal)(`is stored by no cache with %s instead of ${value}`, async (use) => {
      const { headers } = await show(use, { 'Cache-Control': value })
      expect(headers.get('cache-control')).toBe('no-store')
    })

  it.each(personal)('loses the headers for caches of a network with %s', async (use) => {
    const own = {
      'CDN-Cache-Control': 'max-age=60',
      'Cloudflare-CDN-Cache-Control': 'max-age=60',
      'Surrogate-Control': 'max-age=60',
      'X-Accel-Expires': '60',
      Expires: 'Fri, 01 Jan 2100 00:00:00 GMT',
    }
    const { headers } = await show(use, own)
    expect(Object.keys(own).filter((name) => headers.has(name))).toEqual([])
  })

  it.each(personal)('stays in the browser of its visitor with %s', async (use) => {
    const control = async (value: string) =>
      (await show(use, { 'Cache-Control': value })).headers.get('cache-control')
    expect(await control('max-age=60')).toBe('private, max-age=60')
    expect(await control('no-cache, no-transform')).toBe('private, no-cache, no-transform')
    expect(await control('private, max-age=60')).toBe('private, max-age=60')
    expect(await control('no-store')).toBe('no-store')
  })

  it('varies by the cookies that its code reads', async () => {
    const { headers } = await (await serve([pages])).get('/theme')
    expect(headers.get('vary')).toBe('Accept, Cookie')
  })
})

describe('a response to a bearer token', () => {
  const token = 'a'.repeat(32)
  class Api extends mix(
    FwApiController,
    authenticateBearer({ tokens: () => ({ web: token }), optional: true, fromQuery: true }),
  ) {
    show() {
      if (this.params.get('public') !== undefined) this.response.headers.set('Cache-Control', day)
      return { bearer: this.bearer ?? null }
    }
  }
  const api = routes(Api, (r) => ({ show: r.get('/', 'show') }))
  const get = async (path: string, authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    const page = await (await serve([api])).get(path, { headers })
    const { status } = page
    return [status, page.headers.get('cache-control'), page.headers.get('vary')]
  }

  it.each(['/', '/?public'])('is stored by no cache: %s', async (path) => {
    expect(await get(path, `Bearer ${token}`)).toEqual([200, 'no-store', 'Authorization'])
    expect(await get(path, `Bearer ${'b'.repeat(32)}`)).toEqual([
      401,
      'no-store',
      'Authorization, Accept',
    ])
    const query = path === '/' ? '?' : '&'
    expect(await get(`${path}${query}access_token=${token}`)).toEqual([
      200,
      'no-store',
      'Authorization',
    ])
  })

  it('varies by the token where the token is optional', async () => {
    expect(await get('/')).toEqual([200, 'private, no-cache', 'Authorization'])
    expect(await get('/?public')).toEqual([200, day, 'Authorization'])
  })
})

describe('every response of a server has the default headers:', () => {
  const names = ['content-security-policy', 'x-frame-options', 'referrer-policy', 'cache-control']
  const configuration = Configuration.from({
    metrics: { enabled: true, token: 'm'.repeat(32) },
    security: { headers: { 'X-Everywhere': '1' } },
  })

  /** Sends a request as bytes, and returns the status and the names of the default headers that the response lacks. */
  async function send(port: number, head: string) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head}\r\n\r\n`)
    let answer = ''
    for await (const data of socket) {
      answer += String(data)
      if (answer.includes('\r\n\r\n')) break
    }
    const [line = '', ...lines] = answer.split('\r\n\r\n')[0]!.split('\r\n')
    const received = lines.map((one) => one.split(':')[0]!.toLowerCase())
    const missing = [...names, 'x-everywhere'].filter((name) => !received.includes(name))
    expect(received).toHaveLength(new Set(received).size)
    return [Number(line.split(' ')[1]), missing]
  }

  async function start() {
    const logger = recordingLogger([])
    const server = new FwServer({ root: temporaryFolder(), logger, configuration })
    const { port } = await server.mount(pages).listen(0)
    onTestFinished(() => server.close(0))
    return port
  }

  it.each([
    ['an action', 'GET /bodies/text HTTP/1.1\r\nHost: localhost', 200],
    ['a fault', 'GET /bodies/fault HTTP/1.1\r\nHost: localhost', 500],
    ['no route', 'GET /none HTTP/1.1\r\nHost: localhost', 404],
    ['a malformed path', 'GET /%zz HTTP/1.1\r\nHost: localhost', 400],
    ['liveness', 'GET /up HTTP/1.1\r\nHost: 10.0.0.1', 200],
    ['readiness', 'GET /ready HTTP/1.1\r\nHost: 10.0.0.1', 200],
    ['metrics', `GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${'m'.repeat(32)}`, 200],
    ['metrics without a token', 'GET /metrics HTTP/1.1\r\nHost: 10.0.0.1', 401],
    ['another host', 'GET / HTTP/1.1\r\nHost: evil.example', 400],
    ['another method', 'TRACE / HTTP/1.1\r\nHost: localhost', 405],
    ['a long URL', `GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: localhost`, 414],
    ['large headers', `GET / HTTP/1.1\r\nHost: localhost\r\nA: ${'a'.repeat(40_000)}`, 431],
    ['no HTTP', 'junk', 400],
    ['a server-wide request', 'OPTIONS * HTTP/1.1\r\nHost: localhost', 204],
  ])('%s', async (_what, head, status) => {
    expect(await send(await start(), head)).toEqual([status, []])
  })

  it('an application that is still starting', async () => {
    const server = new StartingServer(configuration, recordingLogger([]))
    const { port } = await server.listen(0, '127.0.0.1')
    onTestFinished(() => server.close(0))
    for (const [path, status] of [
      ['/', 503],
      ['/up', 200],
      ['/ready', 503],
    ] as const)
      expect(await send(port, `GET ${path} HTTP/1.1\r\nHost: localhost`)).toEqual([status, []])
  })
})
