/** JSON Web Tokens of an authorization server: its keys, their rotation, and every kind of token that is not valid. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { FwApiController, mix, routes } from '../../src/runtime/controller.ts'
import { authenticateBearer, requireScopes } from '../../src/runtime/feature.ts'
import { sourceFlags, visibleEnvironment } from '../support/environment.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const issuer = 'https://id.example.com/'
const audience = 'https://api.example.com'

/** An authorization server: signs tokens and publishes its public keys. */
class AuthorizationServer {
  readonly #server: Server
  #keys: JWK[] = []
  #signing: { readonly kid: string; readonly key: CryptoKey; readonly alg: string } | undefined
  /** How often the keys were requested. */
  requests = 0
  status = 200

  constructor() {
    this.#server = createServer((_request, response) => {
      this.requests++
      response.writeHead(this.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ keys: this.#keys }))
    })
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    await this.rotate('first')
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`
  }

  /** Signs with a new key from now on; `keep` also publishes the old ones. */
  async rotate(kid: string, { alg = 'ES256', keep = false } = {}): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const published = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' }
    this.#keys = [...(keep ? this.#keys : []), published]
    this.#signing = { kid, key: privateKey, alg }
  }

  /** The published key, to forge tokens with. */
  get publicKey(): JWK {
    return this.#keys.at(-1)!
  }

  sign(claims: Record<string, unknown> = {}, header: { kid?: string; typ?: string } = {}) {
    const { kid, key, alg } = this.#signing!
    const now = Math.floor(Date.now() / 1000)
    const all = { iss: issuer, aud: audience, sub: 'ann', iat: now, exp: now + 300, ...claims }
    return new SignJWT(all).setProtectedHeader({ alg, kid, ...header }).sign(key)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

let server: AuthorizationServer
beforeEach(async () => {
  server = new AuthorizationServer()
  await server.start()
})
afterEach(async () => {
  vi.useRealTimers()
  await server.close()
})

type Jwt = Parameters<typeof authenticateBearer>[0] extends infer O
  ? O extends { readonly jwt: infer J }
    ? J
    : never
  : never

async function api(options: Partial<Jwt> = {}) {
  const jwt = { jwksUrl: server.jwksUrl, issuer, audience, ...options }
  class Api extends mix(
    FwApiController,
    authenticateBearer({ jwt }),
    requireScopes(['tasks:write'], { only: ['write'] }),
  ) {
    read() {
      expectTypeOf(this.bearer.sub).toEqualTypeOf<string | undefined>()
      return `for ${this.bearer.sub}`
    }
    write() {
      return 'written'
    }
  }
  const app = await serve([
    routes(Api, (r) => ({ read: r.get('/read', 'read'), write: r.get('/write', 'write') })),
  ])
  const get = (path: string, token: string) =>
    app.get(path, { headers: { authorization: `Bearer ${token}` } })
  return { app, get }
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a JWT', () => {
  it('of the issuer for this audience is valid; its claims are the bearer', async () => {
    const { get } = await api()
    expect((await get('/read', await server.sign())).body).toBe('for ann')
    const both = await server.sign({ aud: ['https://other.example', audience] })
    expect((await get('/read', both)).body).toBe('for ann')
  })

  it.each<[string, () => Promise<string>]>([
    ['that has expired', () => server.sign({ exp: inSeconds(-60) })],
    ['without expiry', () => server.sign({ exp: undefined })],
    ['that is not valid yet', () => server.sign({ nbf: inSeconds(60) })],
    ['for another audience', () => server.sign({ aud: 'https://other.example' })],
    ['without audience', () => server.sign({ aud: undefined })],
    ['of another issuer', () => server.sign({ iss: 'https://id.example.com' })],
    ['of an unknown key', () => server.sign({}, { kid: 'other' })],
    ['that is changed', async () => changePayload(await server.sign(), { sub: 'bob' })],
    ['without signature', async () => (await server.sign()).replace(/[^.]*$/, '')],
    ['that is no JWT', async () => 'abc'],
    ['of an algorithm outside the list', signedWithEs384],
    ['signed by the public key as a secret', signedWithPublicKey],
    [
      'of the algorithm none',
      async () =>
        new UnsecuredJWT({ sub: 'ann', iss: issuer, aud: audience, exp: inSeconds(60) }).encode(),
    ],
    ['of the algorithm NONE', async () => changeHeader(await server.sign(), { alg: 'NONE' })],
    ['with a key of its own in the header', signedWithOwnKey],
    [
      'with an unknown critical header',
      async () => changeHeader(await server.sign(), { crit: ['x'], x: 1 }),
    ],
  ])('%s is refused', async (_what, create) => {
    const { get } = await api()
    const page = await get('/read', await create())
    expect(page.status).toBe(401)
    expect(page.json()).toMatchObject({ status: 401, code: 'feature.token-invalid' })
    expect(page.headers.get('www-authenticate')).toMatch(
      /^Bearer realm="api", error="invalid_token"/,
    )
  })

  it('that has expired is refused with this reason, others only as not valid', async () => {
    const { get } = await api()
    const expired = await get('/read', await server.sign({ exp: inSeconds(-60) }))
    expect(expired.json().message).toBe('The token has expired.')
    const foreign = await get('/read', await server.sign({ iss: 'x' }))
    expect(foreign.json().message).toBe('The token is not valid.')
  })

  it('may be as old or young as the tolerance of the clocks', async () => {
    const { get } = await api({ clockTolerance: '2m' })
    expect((await get('/read', await server.sign({ exp: inSeconds(-60) }))).status).toBe(200)
    expect((await get('/read', await server.sign({ nbf: inSeconds(60) }))).status).toBe(200)
    expect((await get('/read', await server.sign({ exp: inSeconds(-180) }))).status).toBe(401)
  })

  it('needs the type, if the application requires one', async () => {
    const { get } = await api({ type: 'at+jwt' })
    expect((await get('/read', await server.sign())).status).toBe(401)
    expect((await get('/read', await server.sign({}, { typ: 'at+jwt' }))).status).toBe(200)
  })

  it.each([
    [{ scope: 'tasks:read tasks:write' }, 200],
    [{ scp: ['tasks:write'] }, 200],
    [{ scope: 'tasks:read' }, 403],
    [{ scope: 'tasks:writer' }, 403],
    [{}, 403],
  ])('with the claims %j gets %i from a route with a scope', async (claims, status) => {
    const { get } = await api()
    expect((await get('/write', await server.sign(claims))).status).toBe(status)
  })

  it('gets the bearer that the application maps its claims to, or is refused', async () => {
    class Users extends mix(
      FwApiController,
      authenticateBearer({
        jwt: { jwksUrl: server.jwksUrl, issuer, audience },
        principal: async ({ sub }) => (sub === 'ann' ? { id: 7 } : undefined),
      }),
      requireScopes(['a']),
    ) {
      me() {
        expectTypeOf(this.bearer).toEqualTypeOf<{ id: number }>()
        return this.bearer
      }
    }
    const app = await serve([routes(Users, (r) => ({ me: r.get('/me', 'me') }))])
    const get = async (claims: Record<string, unknown>) =>
      app.get('/me', { headers: { authorization: `Bearer ${await server.sign(claims)}` } })
    expect((await get({ scope: 'a' })).json()).toEqual({ id: 7 })
    expect((await get({ scope: 'a', sub: 'bob' })).status).toBe(401)
    expect((await get({})).status).toBe(403)
  })
})

function changePayload(token: string, change: object): string {
  const [header, payload, signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object
  return [header, encode({ ...claims, ...change }), signature].join('.')
}

function changeHeader(token: string, change: object): string {
  const [header, ...rest] = token.split('.')
  const fields = JSON.parse(Buffer.from(header!, 'base64url').toString()) as object
  return [encode({ ...fields, ...change }), ...rest].join('.')
}

const claims = () => ({ iss: issuer, aud: audience, sub: 'ann', exp: inSeconds(60) })

async function signedWithEs384(): Promise<string> {
  await server.rotate('other', { alg: 'ES384' })
  return server.sign()
}

/** An old attack: the verifier takes the public key for an HMAC secret. */
async function signedWithPublicKey(): Promise<string> {
  const secret = new TextEncoder().encode(JSON.stringify(server.publicKey))
  return new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret)
}

async function signedWithOwnKey(): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return new SignJWT(claims())
    .setProtectedHeader({ alg: 'ES256', kid: 'own', jwk })
    .sign(privateKey)
}

describe('the keys of the server', () => {
  it('are requested once for many tokens', async () => {
    const { get } = await api()
    const token = await server.sign()
    await Promise.all([get('/read', token), get('/read', token)])
    await get('/read', token)
    expect(server.requests).toBe(1)
  })

  it('are requested again for a token of a new key, but not for each unknown key', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { get } = await api()
    const old = await server.sign()
    expect((await get('/read', old)).status).toBe(200)
    await server.rotate('second', { keep: true })
    vi.advanceTimersByTime(31_000)
    expect((await get('/read', await server.sign())).status).toBe(200)
    expect((await get('/read', old)).status).toBe(200)
    expect(server.requests).toBe(2)
    for (const kid of ['a', 'b', 'c'])
      expect((await get('/read', await server.sign({}, { kid }))).status).toBe(401)
    expect(server.requests).toBe(2)
  })

  it('that the server withdrew are valid no longer than their maximum age', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const { get } = await api({ maxKeyAge: '1m' })
    const old = await server.sign({ exp: inSeconds(3600) })
    expect((await get('/read', old)).status).toBe(200)
    await server.rotate('second')
    expect((await get('/read', old)).status).toBe(200)
    vi.advanceTimersByTime(61_000)
    expect((await get('/read', old)).status).toBe(401)
  })

  it('are tried one after the other for a token that names none', async () => {
    const { get } = await api()
    const withoutName = () => server.sign({}, { kid: undefined as never })
    const old = await withoutName()
    await server.rotate('second', { keep: true })
    expect((await get('/read', old)).status).toBe(200)
    expect((await get('/read', await withoutName())).status).toBe(200)
    await server.rotate('third')
    expect((await get('/read', await withoutName())).status).toBe(401)
  })

  it('that cannot be read make the response a 503, until they can', async () => {
    const { app, get } = await api()
    const token = await server.sign()
    server.status = 500
    const page = await get('/read', token)
    expect(page.status).toBe(503)
    expect(app.lines.at(-1)?.fields['err']).toMatchObject({ code: 'feature.keys-unavailable' })
    expect(page.headers.get('www-authenticate')).toBeNull()
    server.status = 200
    expect((await get('/read', token)).status).toBe(200)
  })

  it('of a server that does not answer make it a 503 as well', async () => {
    const { get } = await api()
    const token = await server.sign()
    await server.close()
    expect((await get('/read', token)).status).toBe(503)
    server = new AuthorizationServer()
    await server.start()
  })
})

describe('the options of JWTs', () => {
  const define = (options: Partial<Jwt>) => () =>
    authenticateBearer({
      jwt: { jwksUrl: 'https://id.example.com/keys', issuer, audience, ...options },
    })

  it.each<[string, Partial<Jwt>]>([
    ['a symmetric algorithm', { algorithms: ['RS256', 'HS256'] }],
    ['the algorithm none', { algorithms: ['none'] }],
    ['keys over http', { jwksUrl: 'http://id.example.com/keys' }],
    ['keys from a file', { jwksUrl: 'file:///keys.json' }],
    ['no URL', { jwksUrl: 'keys' }],
    ['an empty issuer', { issuer: '' }],
    ['a missing issuer', { issuer: undefined as never }],
    ['an empty audience', { audience: [] }],
    ['an audience without text', { audience: [audience, ''] }],
    ['a missing audience', { audience: undefined as never }],
  ])('%s are refused', (_what, options) => {
    expect(define(options)).toThrow(expect.objectContaining({ code: 'feature.bearer-invalid' }))
  })

  it('need the package jose: without it the application does not start', () => {
    const repository = join(import.meta.dirname, '../..')
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(join(repository, 'src'), join(folder, 'src'))
    for (const name of readdirSync(join(repository, 'node_modules')))
      if (name !== 'jose')
        symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
    const code = `
      import { authenticateBearer } from './src/runtime/feature/authenticate-bearer.ts'
      const jwt = { jwksUrl: 'https://id.example.com/keys', issuer: 'a', audience: 'b' }
      try { authenticateBearer({ jwt }) } catch (error) { console.log(error.code, error.message) }`
    const { stdout } = spawnSync(
      process.execPath,
      [...sourceFlags, '--preserve-symlinks', '--input-type=module', '--eval', code],
      { cwd: folder, encoding: 'utf8', env: visibleEnvironment() },
    )
    expect(stdout).toBe('feature.package-missing JWTs need the package jose: npm install jose\n')
  })

  it('allow http for a host of the own network on request', () => {
    expect(define({ jwksUrl: 'http://keycloak:8080/certs', allowHttp: true })).not.toThrow()
  })
})
