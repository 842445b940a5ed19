/** Accounts of programs: the login, its limits, and the tokens that it gives. */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { fetchHandler } from 'fwjs/server'
import { runJobs, testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { SweepAttempts } from '#main/job/sweep-attempts'
import { createAccount } from '#model/account'
import { apiScopes, ApiToken, tokenStore } from '#model/api-token'
import { {{User}} } from '#model/{{file}}'
import { createSampleAccount, samplePassword as password } from '#test/factory/account'

const app = await testApp(Bootstrap)
const ann = 'ann@example.com'
const create = () => createSampleAccount({ email: ann })

const logIn = (fields: object = {}) =>
  app.post('/login', { json: { email: ann, password, name: 'Script', ...fields } })

const authorize = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

interface Login {
  readonly token: string
  readonly scopes: readonly string[]
  readonly days: number
}
const list = (token: string) => app.get('/tokens', authorize(token))

describe('login', () => {
  it('gives a token with all scopes for 30 days, unless others are chosen', async () => {
    await create()
    const response = await logIn({ email: 'Ann@Example.com' })
    assert.equal(response.status, 201)
    const { token, ...rest } = response.json() as Login
    assert.deepEqual(rest, { scopes: ['read', 'write'], days: 30 })
    assert.equal((await list(token)).status, 200)
    const chosen = (await logIn({ scopes: ['read'], days: 1 })).json() as Login
    assert.deepEqual([chosen.scopes, chosen.days], [['read'], 1])
  })

  it('refuses a wrong password, and forms without values', async () => {
    await create()
    assert.equal((await logIn({ password: 'wrong password' })).status, 401)
    for (const wrong of [{ email: '' }, { password: '' }, { name: '' }, { days: 0 }, { days: 366 }])
      assert.equal((await logIn(wrong)).status, 400)
    assert.equal(await ApiToken.count(), 0)
  })

  it('refuses unknown scopes, and names the known ones', async () => {
    await create()
    for (const scopes of [['admin'], ['read', 'admin'], ['READ'], ['']]) {
      const refused = await logIn({ scopes })
      assert.equal(refused.status, 400)
      assert.match(refused.body, /read, write/)
    }
    assert.equal(await ApiToken.count(), 0)
  })

  it('responds the same, after the same work, to an unknown address', async () => {
    await create()
    const measure = async (email: string) => {
      const work: string[] = []
      const addStatement = (event: unknown) => work.push((event as { sql: string }).sql)
      const addPassword = () => work.push('password')
      diagnostics.subscribe('fw:sql:end', addStatement)
      diagnostics.subscribe('fw:password:end', addPassword)
      const { status, body } = await logIn({ email, password: 'wrong password' })
      diagnostics.unsubscribe('fw:sql:end', addStatement)
      diagnostics.unsubscribe('fw:password:end', addPassword)
      return { status, body, work }
    }
    const known = await measure(ann)
    assert.ok(known.work.includes('password'))
    assert.deepEqual(await measure('bob@example.com'), known)
  })

  it('of many wrong passwords, refuses the right one too', async () => {
    await create()
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push((await logIn({ password: 'wrong' })).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    assert.equal((await logIn()).status, 429)
  })

  it('of many wrong passwords from one IPv6 network, refuses the next address too', async () => {
    await create()
    const { handle, logger } = app.application
    const fetch = fetchHandler(handle, { logger })
    const body = JSON.stringify({ email: ann, password: 'wrong', name: 'Script' })
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) {
      const headers = { 'content-type': 'application/json' }
      const request = new Request('http://localhost/login', { method: 'POST', headers, body })
      const info = { remoteAddress: `2001:db8:0:7:${at}::1` }
      statuses.push((await fetch(request, info)).status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  })

  it('keeps 50 tokens after requests at the same time', async () => {
    const {{user}} = await create()
    const values = { name: 'Script', scopes: apiScopes, days: 1 }
    for (let at = 0; at < 45; at++) await tokenStore.create({{user}}, values)
    await Promise.all(Array.from({ length: 10 }, () => tokenStore.create({{user}}, values)))
    assert.equal(await ApiToken.count(), 50)
  })

  it('keeps the newest 50 tokens of an account', async () => {
    const {{user}} = await create()
    const first = await tokenStore.create({{user}}, { name: 'First', scopes: apiScopes, days: 1 })
    for (let at = 0; at < 50; at++)
      await tokenStore.create({{user}}, { name: 'Next', scopes: apiScopes, days: 1 })
    assert.equal(await ApiToken.count(), 50)
    assert.equal((await list(first!)).status, 401)
    assert.equal((await logIn()).status, 201)
  })
})

describe('a new password', () => {
  const newPassword = 'over the dunes at night'
  const change = (fields: object = {}) =>
    app.put('/login/password', { json: { email: ann, password, newPassword, ...fields } })

  it('replaces the old one, and ends all tokens', async () => {
    await create()
    const { token } = (await logIn()).json() as Login
    assert.equal((await change()).status, 204)
    assert.equal((await list(token)).status, 401)
    assert.equal((await logIn()).status, 401)
    assert.equal((await logIn({ password: newPassword })).status, 201)
  })

  it('needs the old one, and at least 15 characters', async () => {
    await create()
    assert.equal((await change({ newPassword: 'short' })).status, 400)
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) statuses.push((await change({ password: 'wrong' })).status)
    // The attempts count as those of a login.
    assert.deepEqual([...statuses, (await logIn()).status], [401, 401, 401, 401, 429, 429])
  })
})

describe('accounts', () => {
  it('are created once for an address, in however many requests at the same time', async () => {
    const racing = Array.from({ length: 20 }, () => createAccount(ann, password))
    const created = await Promise.all(racing)
    assert.equal(created.filter(({ isNew }) => isNew).length, 1)
    assert.equal(await {{User}}.count(), 1)
  })

  it('contain no secret that leaves the application', async () => {
    assert.doesNotMatch(JSON.stringify(await create()), /argon2/)
  })

  it('need a daily job, which removes forgotten attempts', async () => {
    await SweepAttempts.enqueue()
    await runJobs()
  })
})
