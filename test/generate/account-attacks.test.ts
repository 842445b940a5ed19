/** Attacks on the accounts of `fw g authentication`: planted sessions, forms of other sites, kept cookies, racing registrations. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  emptyDatabaseOn,
  hasTestServer,
  runOnServer,
} from '../../src/runtime/db/test-server.fixture.ts'
import { runExample } from '../support/example.ts'
import { change, fw, generate, linkSources, newFolder, removeFolder } from './folder.ts'

/** A test of the generated application. */
const test = `import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sentMails, testApp, type Visitor } from 'fwjs/testing'
import { Secret, TOTP } from 'otpauth'
import { Bootstrap } from '#main/bootstrap'
import { Authenticator } from '#test/authenticator'
import { createSampleAccount, samplePassword as password } from '#test/factory/account'
import { createVisitor, logIn } from '#test/log-in'

const app = await testApp(Bootstrap)
const own = { 'sec-fetch-site': 'same-origin' }
const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
const cookieOf = ({ headers }: { readonly headers: Headers }) =>
  headers.getSetCookie().map((cookie) => cookie.split(';')[0]!)
const isLoggedIn = async (cookie: string) =>
  (await app.get('/account', { headers: { cookie } })).status === 200

/** The cookie of a session that the attacker has begun. */
async function plant() {
  const [cookie] = cookieOf(await app.get('/account'))
  assert.match(cookie ?? '', /session=/)
  return cookie!
}

/** Sends requests with the cookies that a browser has, at first the planted one. */
function victim(planted: string) {
  const cookies = new Map([planted.split('=', 2) as [string, string]])
  const send = async (method: 'GET' | 'POST', path: string, form?: Record<string, string>) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await app.request(method, path, { headers: { cookie, ...own }, ...(form && { form }) })
    for (const pair of cookieOf(response)) cookies.set(...(pair.split('=', 2) as [string, string]))
    return response
  }
  return { send, cookie: () => [...cookies].map((pair) => pair.join('=')).join('; ') }
}

describe('a planted session', () => {
  const cases: readonly [string, (send: ReturnType<typeof victim>['send']) => Promise<unknown>][] = [
    ['a password', async (send) => {
      const { email } = await createSampleAccount()
      await send('POST', '/login', { email, password })
    }],
    ['a mailed link', async (send) => {
      const { email } = await createSampleAccount()
      await app.post('/login/link', { form: { email }, headers: own })
      const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
      const token = new URL(href).searchParams.get('token') ?? ''
      await send('POST', '/login/link/enter', { token })
    }],
    ['a second factor', async (send) => {
      const { visitor, user } = await createVisitor(app)
      const secret = (await visitor.get('/account/second-factor')).html('main code')!
      const totp = new TOTP({ secret: Secret.fromBase32(secret) })
      const codeOf = (steps: number) => totp.generate({ timestamp: Date.now() + steps * 30_000 })
      await visitor.post('/account/second-factor', { form: { code: codeOf(0) } })
      await send('POST', '/login', { email: user.email, password })
      await send('POST', '/login/code', { code: codeOf(1) })
    }],
    ['a passkey', async (send) => {
      const { visitor } = await createVisitor(app)
      const device = new Authenticator()
      const ask = async (sender: typeof send, path: string) => (await sender('POST', path, {})).json()
      const options = await visitor.post('/account/passkeys/options', { form: {}, headers: own })
      const created = device.create(options.json())
      await visitor.post('/account/passkeys', { form: { name: 'Phone', credential: created }, headers: own })
      const credential = device.get(await ask(send, '/login/passkey/options'))
      await send('POST', '/login/passkey', { credential })
    }],
  ]
  for (const [name, enter] of cases)
    it('is not logged in when its victim logs in by ' + name, async () => {
      const planted = await plant()
      const browser = victim(planted)
      await enter(browser.send)
      assert.ok(await isLoggedIn(browser.cookie()))
      assert.ok(!(await isLoggedIn(planted)))
    })
})

describe('a form of another site', () => {
  for (const path of [
    '/login', '/login/code', '/login/link', '/login/link/enter', '/login/passkey', '/login/passkey/options',
    '/logout', '/register', '/register/finish', '/password', '/password/new', '/account/email',
    '/account/logins/end', '/account/security/email', '/account/security/password', '/account/security/delete',
    '/account/second-factor', '/account/second-factor/delete', '/account/passkeys', '/account/passkeys/delete',
    '/account/tokens',
  ])
    it('is refused: ' + path, async () => {
      const { visitor, user } = await createVisitor(app)
      const form = { email: user.email, password, currentPassword: password, name: 'x', scopes: 'read', days: '30' }
      // The second one is a program without the headers of browsers.
      for (const headers of [foreign, {}, { origin: 'null' }]) {
        const response = await visitor.post(path, { form: { ...form, 'csrf-token': 'x' }, headers })
        assert.equal(response.status, 403)
      }
      assert.equal((await visitor.get('/account')).status, 200)
    })
})

describe('guesses of the current password', () => {
  it('in an open session are limited, whatever other fields the form has', async () => {
    const { visitor } = await createVisitor(app)
    const guess = (field: string, at: number) => {
      const form = { currentPassword: 'guess ' + at, password: 'over the dunes at night', [field]: at + '@example.com' }
      return visitor.post('/account/security/password', { form, headers: own })
    }
    const statuses: number[] = []
    for (const field of ['email', 'user', 'currentUser']) statuses.push((await guess(field, 1)).status)
    for (let at = 2; at < 5; at++) statuses.push((await guess('email', at)).status)
    assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429])
  })
})

describe('a kept cookie', () => {
  it('logs nobody in after the logout, and after the password was replaced', async () => {
    const end: readonly ((visitor: Visitor, email: string) => Promise<unknown>)[] = [
      (visitor) => visitor.post('/logout', { form: {}, headers: own }),
      async (_visitor, email) => {
        await app.post('/password', { form: { email }, headers: own })
        const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
        const token = new URL(href).searchParams.get('token') ?? ''
        return app.post('/password/new', { form: { token, password: 'over the dunes at night' }, headers: own })
      },
      async (_visitor, email) => {
        const other = await logIn(app, { email })
        return other.visitor.post('/account/logins/end', { form: {}, headers: own })
      },
    ]
    for (const finish of end) {
      const { visitor, response, user } = await createVisitor(app, { remember: 'true' })
      const kept = cookieOf(response)
      for (const cookie of kept.filter((one) => /^(?:fw-)?session=|^remember_logins=/.test(one)))
        assert.ok(await isLoggedIn(cookie), cookie)
      await finish(visitor, user.email)
      for (const cookie of [...kept, kept.join('; ')]) assert.ok(!(await isLoggedIn(cookie)), cookie)
    }
  })
})
`

let root: string
const file = 'src/test/attacks.test.ts'
beforeAll(() => {
  root = newFolder()
  linkSources(root)
  generate(root, 'authentication')
  writeFileSync(join(root, file), test)
})
afterAll(() => removeFolder(root))

it('refuse planted sessions, forms of other sites, guesses and kept cookies', async () => {
  const { code, said } = await fw(root, 'test', file)
  expect([code, said]).toEqual([0, expect.stringMatching(/pass 27\n[^]*fail 0\b/)])
}, 300_000)

it.skipIf(!(await hasTestServer()))(
  'insert one row when 8 clients register an address 50 times each, on two nodes',
  async () => {
    const { url: DATABASE_URL, drop } = await emptyDatabaseOn('register')
    change(
      root,
      'src/main/resources/application.yml',
      'production:',
      'server:\n  trustedProxies: 127.0.0.1\nproduction:',
    )
    const nodes = [await runExample(root, { DATABASE_URL })]
    try {
      nodes.push(await runExample(root, { DATABASE_URL }))
      const headers = { 'sec-fetch-site': 'same-origin' }
      const send = (node: number, client: number, path: string, form: Record<string, string>) =>
        fetch(nodes[node]!.url + path, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...headers, 'x-forwarded-for': `192.0.2.${client}` },
          body: new URLSearchParams(form),
        })
      await send(0, 9, '/register', { email: 'ann@example.com' })
      const folder = join(root, 'tmp/mail')
      const readMails = () =>
        existsSync(folder)
          ? readdirSync(folder)
              .map((name) => join(folder, name, 'mail.json'))
              .filter((path) => existsSync(path))
              .map((path) => readFileSync(path, 'utf8'))
          : []
      await expect.poll(() => readMails().length, { timeout: 60_000 }).toBe(1)
      const token = /token=([\w.-]+)/.exec(readMails()[0]!)![1]!
      const register = async (at: number): Promise<Response> => {
        const form = { token, password: 'under the pier at noon' }
        const response = await send(at % 2, at % 8, '/register/finish', form)
        // A busy node refuses some of 400 requests at once: the client repeats them.
        return response.status === 503 ? register(at) : response
      }
      const requests = Array.from({ length: 400 }, (_, at) => register(at))
      const responses = await Promise.all(requests)
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([303]))
      const { rows } = await runOnServer('select email from users', DATABASE_URL)
      expect(rows).toEqual([{ email: 'ann@example.com' }])
    } finally {
      for (const { process } of nodes) await process.end()
      await drop()
    }
  },
  300_000,
)
