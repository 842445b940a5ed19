/** Open redirects: whatever address a visitor was led to before the login, the login leads to no other site. */
import { describe, expect, it } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { LoginRedirects } from '../../src/runtime/feature.ts'
import { close, RawClient } from '../../src/runtime/server/raw-client.fixture.ts'
import { serve } from '../support/serve.ts'

/** An application whose every address requires a login, so that the visitor's link chooses the whole target. */
class Members extends mix(FwController, LoginRedirects) {
  login() {
    this.session.renewSession()
    return this.redirectAfterLogin('/home')
  }
  page() {
    return this.redirectToLogin('/login')
  }
}
const members = routes(Members, (r) => ({
  login: r.post('/login', 'login'),
  root: r.get('/', 'page').as('root'),
  page: r.get('/*', 'page'),
}))

class Trusting extends mix(FwController, LoginRedirects) {
  enter() {
    return this.redirectAfterLogin(this.params.get('target') ?? '/home')
  }
}
const trusting = routes(Trusting, (r) => ({ enter: r.get('/', 'enter') }))

/** Texts that some browsers, or a careless server, read as an address of evil.example. */
const foreign = [
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '//evil.example/%2e%2e',
  '//evil.example%2f..',
  '//localhost@evil.example/',
  '//localhost:80@evil.example/',
  '//evil.example?.localhost',
  '//evil.example#localhost',
  '//evil%2eexample',
  '//[::1]/',
  '//0x7f.1/',
  '/\\evil.example',
  '/\\/evil.example',
  '\\\\evil.example',
  '\\/evil.example',
  '/\\\\evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/./\\evil.example',
  '/a/..//evil.example',
  '/a/../\\evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  '/%2E%2E/%2F/evil.example',
  '/%2f/evil.example',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/%5c%5cevil.example',
  '/%09/evil.example',
  '/%0d%0aLocation:%20https://evil.example',
  '/%0d%0a//evil.example',
  '/%00//evil.example',
  '/\t/evil.example',
  '/\u000b/evil.example',
  '\t//evil.example',
  '/;@evil.example',
  '/@evil.example',
  '@evil.example',
  '.evil.example',
  ':80@evil.example',
  'https://evil.example/',
  'HTTPS://evil.example/',
  'http:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'http://localhost@evil.example/',
  'http://localhost:80@evil.example/',
  'http://localhost\\@evil.example/',
  'http://localhost.evil.example/',
  'http://evil.example\\.localhost/',
  'javascript:alert(1)',
  'java\tscript:alert(1)',
  'JavaScript://localhost/%0aalert(1)',
  'data:text/html,x',
  'vbscript:x',
  'ftp://evil.example/',
  'blob:https://evil.example/1',
  '/\u2028/evil.example',
  '\u3000//evil.example',
  '/\u2215evil.example',
  '/\uff0fevil.example',
  '/\u2044/evil.example',
]

/** The origin to which a browser at http://localhost goes by a header that a server has sent as these bytes. */
const originOf = (location: string) => new URL(location, 'http://localhost/login').origin

describe('a login leads to no other site', () => {
  async function start() {
    const { app } = await serve([members])
    const { port } = await app.listen(0)
    const send = async (request: string) => {
      const client = await RawClient.open(port)
      client.write(Buffer.from(request, 'utf8'))
      const response = await client.closed()
      return {
        status: Number(response.slice(9, 12)),
        location: /^location: (.*?)\r$/im.exec(response)?.[1],
        cookie: /^set-cookie: ([^;]*)/im.exec(response)?.[1] ?? '',
      }
    }
    const head = (cookie: string, host = 'localhost') =>
      `Host: ${host}\r\nAccept: text/html\r\nCookie: ${cookie}\r\n${close}`
    const logIn = (cookie: string, query = '') =>
      send(
        `POST /login${query} HTTP/1.1\r\n${head(cookie)}Content-Length: 0\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
      )
    return { send, head, logIn }
  }

  it('but to the page of the own link, with its query', async () => {
    const { send, head, logIn } = await start()
    const target = '/members/7?tab=%2F%2Fevil.example'
    const asked = await send(`GET ${target} HTTP/1.1\r\n${head('')}\r\n`)
    expect([asked.status, asked.location]).toEqual([303, '/login'])
    expect((await logIn(asked.cookie)).location).toBe(target)
  })

  it.each([...foreign, ...foreign.map((text) => `/page?next=${text}`)])(
    'from the link %j',
    async (target) => {
      const { send, head, logIn } = await start()
      const asked = await send(`GET ${target} HTTP/1.1\r\n${head('')}\r\n`)
      expect([303, 400]).toContain(asked.status)
      if (asked.location !== undefined) expect(originOf(asked.location)).toBe('http://localhost')
      const { status, location } = await logIn(asked.cookie)
      expect(status).toBe(303)
      expect(originOf(location!)).toBe('http://localhost')
      expect(location).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
    },
  )

  it.each(foreign)('from a parameter of the login: %j', async (target) => {
    const { logIn } = await start()
    for (const name of ['next', 'return-to', 'url'])
      expect((await logIn('', `?${name}=${encodeURIComponent(target)}`)).location).toBe('/home')
  })

  it.each(foreign)('from an application that trusts a parameter: %j', async (target) => {
    const { status, location } = await (await serve([trusting])).get('/', { query: { target } })
    if (status === 303) expect(originOf(location!)).toBe('http://localhost')
    else expect([status, location]).toEqual([500, undefined])
  })

  it.each([
    ['X-Forwarded-Host', 'evil.example'],
    ['Forwarded', 'host=evil.example'],
    ['X-Original-URL', '//evil.example'],
    ['X-Rewrite-URL', '//evil.example'],
  ])('from the header %s, in which proxies name a host or an address', async (name, value) => {
    const { send, head, logIn } = await start()
    const request = `GET /page HTTP/1.1\r\n${name}: ${value}\r\n${head('')}\r\n`
    const { location, cookie } = await send(request)
    expect([location, (await logIn(cookie)).location]).toEqual(['/login', '/page'])
  })
})
