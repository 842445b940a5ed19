/** Device-bound sessions (DBSC), over HTTP with keys of the test: registration, refresh, theft, replay, and browsers without it. */
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { FwSessionInitializer } from '../../src/runtime/app.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { FwSessionFilter } from '../../src/runtime/feature.ts'
import {
  DeviceBinding,
  MemoryStore,
  SealedCookieStore,
  SecretKeys,
  Session,
  sessionCookie,
} from '../../src/runtime/session.ts'
import { serve } from '../support/serve.ts'

class Pages extends mix(FwController, FwSessionFilter) {
  show() {
    return String(this.session.get('userId') ?? 'nobody')
  }
  logIn() {
    this.session.renewSession()
    this.session.set('userId', 7)
    return 'in'
  }
  note() {
    this.flash.set('notice', 'noted')
    return 'noted'
  }
  change() {
    this.session.renewSession({ keepAge: true })
    return 'changed'
  }
  logOut() {
    this.session.endSession()
    return 'out'
  }
}
const pages = routes(Pages, (r) => ({
  show: r.get('/', 'show'),
  logIn: r.post('/login', 'logIn'),
  note: r.get('/flash', 'note'),
  change: r.post('/rights', 'change'),
  logOut: r.post('/logout', 'logOut'),
}))

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface ProofParts {
  readonly header?: object
  readonly challenge: string
  readonly key: KeyObject
}

/** Returns the header `Secure-Session-Response`. */
function proof({ header = {}, challenge, key }: ProofParts): string {
  const text = `${encode({ alg: 'ES256', typ: 'dbsc+jwt', ...header })}.${encode({ jti: challenge })}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `"${text}.${signature.toString('base64url')}"`
}

const publicJwk = (key: KeyObject) => {
  const { kty, crv, x, y } = key.export({ format: 'jwk' })
  return { kty, crv, x, y }
}

/** A browser that supports DBSC: it keeps cookies, a key and the instructions of the server. */
class BoundBrowser {
  readonly cookies = new Map<string, string>()
  readonly keys = newKeys()
  readonly #origin: string
  session:
    | { session_identifier: string; refresh_url: string; credentials: { name: string }[] }
    | undefined

  constructor(origin: string) {
    this.#origin = origin
  }

  async send(method: string, path: string, headers: Record<string, string> = {}) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.#origin + path, { method, headers: { cookie, ...headers } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0(;|$)/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return { status: response.status, headers: response.headers, body: await response.text() }
  }

  /** Logs in, and returns the path and the challenge of the registration. */
  async logIn() {
    const { headers } = await this.send('POST', '/login')
    const field = headers.get('secure-session-registration')
    return field === null
      ? undefined
      : /^\(ES256\);path="(.+)";challenge="(.+)"$/.exec(field)!.slice(1)
  }

  register(path: string, response: string) {
    return this.send('POST', path, { 'secure-session-response': response })
  }

  async logInBound() {
    const [path = '', challenge = ''] = (await this.logIn()) ?? []
    const response = this.proveNew(challenge)
    const registered = await this.register(path, response)
    if (registered.status !== 200) throw new Error(`the key was refused: ${registered.body}`)
    this.session = JSON.parse(registered.body)
    return { path, response, registered }
  }

  proveNew(challenge: string): string {
    const { publicKey, privateKey } = this.keys
    return proof({ header: { jwk: publicJwk(publicKey) }, challenge, key: privateKey })
  }

  get boundName(): string {
    return this.session!.credentials[0]!.name
  }

  refresh(response?: string, id = this.session!.session_identifier) {
    return this.send('POST', this.session!.refresh_url, {
      'sec-secure-session-id': `"${id}"`,
      ...(response === undefined ? {} : { 'secure-session-response': response }),
    })
  }

  /** Sends the first request of a refresh, and returns the challenge. */
  async challenge(): Promise<string> {
    const { status, headers } = await this.refresh()
    const field = headers.get('secure-session-challenge') ?? ''
    const [, challenge, id] = /^"([^"]+)";id="([^"]+)"$/.exec(field) ?? []
    if (status !== 403 || id !== this.session!.session_identifier)
      throw new Error(`no challenge of the session: ${status} ${field}`)
    return challenge!
  }

  prove(challenge: string): string {
    return proof({ challenge, key: this.keys.privateKey })
  }

  /** What the visitor sees. */
  async sees(): Promise<string> {
    return (await this.send('GET', '/')).body
  }
}

async function startServer(session: object = { deviceBound: true }) {
  const app = await serve([pages], { configuration: { session } })
  const { url } = await app.app.listen(0)
  return { app, browser: () => new BoundBrowser(url) }
}

describe('with session.deviceBound', () => {
  it('a login registers the key of the device, and the session works with the bound cookie alone', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    const { registered } = await browser.logInBound()
    expect(registered.headers.get('content-type')).toContain('application/json')
    expect(browser.session).toMatchObject({
      refresh_url: '/device-session/refresh',
      scope: { include_site: false },
      credentials: [
        { type: 'cookie', name: 'fw_session_bound', attributes: 'Path=/; HttpOnly; SameSite=Lax' },
      ],
    })
    const [line] = registered.headers.getSetCookie()
    expect(line).toMatch(/^fw_session_bound=.+; Max-Age=600; .*HttpOnly; SameSite=Lax/)
    expect(registered.headers.get('cache-control')).toBe('no-store')
    expect(await browser.sees()).toBe('7')
  })

  it('a stolen session cookie without the bound one is nobody, and cannot refresh', async () => {
    const { app, browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    const thief = open()
    thief.cookies.set('fw_session', browser.cookies.get('fw_session')!)
    expect(await thief.sees()).toBe('nobody')
    expect(app.lines.map(({ message }) => message)).toContain(
      'a session was sent without the valid cookie of its device, and ignored',
    )
    thief.session = browser.session
    const challenge = await thief.challenge()
    expect((await thief.refresh(thief.prove(challenge))).status).toBe(403)
    expect(thief.cookies.has('fw_session_bound')).toBe(false)
    for (const forged of ['x', `${browser.session!.session_identifier}.9999999999999.x`]) {
      thief.cookies.set('fw_session_bound', forged)
      expect(await thief.sees()).toBe('nobody')
    }
    expect(await browser.sees()).toBe('7')
  })

  it('a page without the bound cookie stores nothing, so that the session goes on after it', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    const [session, bound] = [
      browser.cookies.get('fw_session'),
      browser.cookies.get(browser.boundName)!,
    ]
    browser.cookies.delete(browser.boundName)
    const page = await browser.send('GET', '/flash')
    expect([page.body, page.headers.getSetCookie()]).toEqual(['noted', []])
    expect(browser.cookies.get('fw_session')).toBe(session)
    browser.cookies.set(browser.boundName, bound)
    expect(await browser.sees()).toBe('7')
  })

  it('a login without the bound cookie begins another session', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    browser.cookies.delete(browser.boundName)
    expect((await browser.logIn())?.[0]).toBe('/device-session/registration')
    expect(await browser.sees()).toBe('7')
  })

  it('a change of rights that keeps the age registers no device', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logIn()
    const { headers } = await browser.send('POST', '/rights')
    expect(headers.has('secure-session-registration')).toBe(false)
  })

  it('a refresh proves the key with a challenge of the server, and brings a new bound cookie', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    browser.cookies.delete(browser.boundName)
    expect(await browser.sees()).toBe('nobody')
    const response = browser.prove(await browser.challenge())
    expect((await browser.refresh(response)).status).toBe(200)
    expect(await browser.sees()).toBe('7')
  })

  it('a challenge is valid once, in refreshes and registrations', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    const { path, response } = await browser.logInBound()
    expect((await browser.register(path, response)).status).toBe(400)
    const used = browser.prove(await browser.challenge())
    expect((await browser.refresh(used)).status).toBe(200)
    expect((await browser.refresh(used)).status).toBe(403)
    const old = browser.prove(await browser.challenge())
    await browser.challenge()
    expect((await browser.refresh(old)).status).toBe(403)
    const next = browser.prove(await browser.challenge())
    expect((await browser.refresh(next)).status).toBe(200)
  })

  it('refuses malformed, foreign and unsigned proofs, and consumes their challenge', async () => {
    const { browser: open } = await startServer()
    const { publicKey, privateKey } = newKeys()
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = publicJwk(publicKey)
    const wrong: ((challenge: string) => string)[] = [
      () => '',
      () => '"x"',
      () => `"${'a'.repeat(9000)}"`,
      () => '"e30.e30.e30"',
      () => '"W10.W10.x"',
      (challenge) => proof({ header: { jwk }, challenge: `${challenge}x`, key: privateKey }),
      (challenge) => proof({ header: { jwk }, challenge, key: newKeys().privateKey }),
      (challenge) => proof({ header: { jwk, typ: 'JWT' }, challenge, key: privateKey }),
      (challenge) => proof({ header: { jwk, alg: 'none' }, challenge, key: privateKey }),
      (challenge) => proof({ header: { jwk, alg: 'RS256' }, challenge, key: rsa.privateKey }),
      (challenge) => proof({ challenge, key: privateKey }),
      (challenge) => proof({ header: { jwk: { ...jwk, x: jwk.y } }, challenge, key: privateKey }),
      (challenge) =>
        proof({ header: { jwk: { ...jwk, crv: 'P-384' } }, challenge, key: privateKey }),
      (challenge) => `${proof({ header: { jwk }, challenge, key: privateKey }).slice(0, -1)}.x"`,
    ]
    for (const create of wrong) {
      const browser = open()
      const [path = '', challenge = ''] = (await browser.logIn()) ?? []
      expect((await browser.register(path, create(challenge))).status).toBe(400)
      const right = proof({ header: { jwk }, challenge, key: privateKey })
      expect((await browser.register(path, right)).status).toBe(400)
      expect(await browser.sees()).toBe('7')
    }
  })

  it('a refresh cannot change the key, and knows no other session', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    const other = newKeys()
    const challenge = await browser.challenge()
    const header = { jwk: publicJwk(other.publicKey) }
    const replaced = proof({ header, challenge, key: other.privateKey })
    expect((await browser.refresh(replaced)).status).toBe(403)
    expect((await browser.refresh(undefined, 'another')).status).toBe(400)
    expect((await open().send('POST', '/device-session/refresh')).status).toBe(400)
    expect((await open().send('POST', '/device-session/registration')).status).toBe(400)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expect((await browser.send('POST', '/device-session/refresh', foreign)).status).toBe(403)
  })

  it('a browser that does not take part has a plain session, which nobody can bind later', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logIn()
    expect(await browser.sees()).toBe('7')
    const response = browser.proveNew('guess')
    expect((await browser.register('/device-session/registration', response)).status).toBe(400)
    expect(await browser.sees()).toBe('7')
  })

  it('a second login keeps the device; a logout ends it and its cookie', async () => {
    const { browser: open } = await startServer()
    const browser = open()
    await browser.logInBound()
    expect(await browser.logIn()).toBeUndefined()
    expect(await browser.sees()).toBe('7')
    await browser.send('POST', '/logout')
    expect([...browser.cookies.keys()]).toEqual([])
    expect((await browser.refresh()).status).toBe(400)
    expect((await browser.logIn())?.[0]).toBe('/device-session/registration')
  })
})

it('without the setting there is neither a header nor an endpoint', async () => {
  const { browser: open } = await startServer({})
  const browser = open()
  expect(await browser.logIn()).toBeUndefined()
  expect((await browser.send('POST', '/device-session/refresh')).status).toBe(404)
})

it('sessions in cookies cannot be bound', async () => {
  const keys = new SecretKeys(['s'.repeat(32)])
  const sealed = new FwSessionInitializer(({ lifetime }) => new SealedCookieStore(keys, lifetime))
  await expect(
    serve([sealed], { configuration: { session: { deviceBound: true } } }),
  ).rejects.toMatchObject({ code: 'session.store-limited' })
})

describe('by the clock', () => {
  const keys = new SecretKeys(['s'.repeat(32)])
  const cookie = sessionCookie(true)
  let now = 1_000_000

  async function bind() {
    const binding = new DeviceBinding({
      keys,
      cookie,
      lifetime: 600_000,
      registrationPath: '/r',
      refreshPath: '/f',
      now: () => now,
    })
    const session = new Session(new MemoryStore({ idleSeconds: 60, absoluteSeconds: 60 }))
    const { publicKey, privateKey } = newKeys()
    const start = () => /challenge="(.+)"/.exec(binding.startRegistration(session) ?? '')![1]!
    const register = (challenge: string) =>
      binding.register(
        session,
        proof({ header: { jwk: publicJwk(publicKey) }, challenge, key: privateKey }),
      )
    return { binding, session, privateKey, start, register }
  }

  it('a challenge lasts a minute', async () => {
    const { start, register } = await bind()
    const late = start()
    now += 60_001
    expect(register(late).status).toBe(400)
    const timely = start()
    now += 60_000
    expect(register(timely).status).toBe(200)
  })

  it('a bound cookie lasts as long as its setting, with ten seconds for requests on their way', async () => {
    const { binding, session, start, register } = await bind()
    const { name, value, options } = register(start()).cookie!
    expect([name, options]).toEqual([
      '__Host-fw_session_bound',
      { path: '/', httpOnly: true, sameSite: 'lax', secure: true, maxAge: 600 },
    ])
    now += 610_000
    expect(binding.accepts(session, `a=b; ${name}=${value}`)).toBe(true)
    now += 1
    expect(binding.accepts(session, `a=b; ${name}=${value}`)).toBe(false)
    expect(binding.accepts(session, undefined)).toBe(false)
  })
})
