/** The page of the tokens for programs. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import diagnostics from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { permitValues, Temporal } from 'fwjs'
import { testApp, type Visitor } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { apiScopes, ApiToken, tokenStore } from '#model/api-token'
import { createVisitor } from '#test/log-in'

const app = await testApp(Bootstrap)
const path = '/account/tokens'

const form = { name: 'Script', scopes: 'read', days: '30' }
const create = (visitor: Visitor, fields: object = {}) =>
  visitor.post(path, { form: { ...form, ...fields } })

describe('the page of the tokens', () => {
  it('creates a token, and shows it once', async () => {
    const { visitor, user } = await createVisitor(app)
    await visitor.get(path)
    const created = await create(visitor)
    const token = created.html('[role="status"] code') ?? ''
    const found = await tokenStore.find(hash('sha256', token))
    assert.equal(found?.account.id, user.id)
    assert.deepEqual(found.scopes, ['read'])
    assert.match(created.headers.get('cache-control') ?? '', /no-store/)
    const page = await visitor.get(path)
    assert.ok(!page.body.includes(token))
    assert.ok(page.body.includes(token.slice(0, 12)))
  })

  it('refuses a token without a name, scopes or an end, and with unknown scopes', async () => {
    const { visitor } = await createVisitor(app)
    await visitor.get(path)
    const lifetimes = ['', '0', '-1', '9999'].map((days) => ({ days }))
    const scopes = ['', 'admin', ['write', 'admin']].map((chosen) => ({ scopes: chosen }))
    for (const wrong of [{ name: '' }, ...scopes, ...lifetimes])
      assert.equal((await create(visitor, wrong)).status, 400)
    assert.equal(await ApiToken.count(), 0)
    const refused = await create(visitor, { scopes: 'admin' })
    assert.match(refused.html('#scopes-error') ?? '', /read, write/)
  })

  it('revokes a token of its owner only', async () => {
    const { visitor } = await createVisitor(app)
    const { visitor: other } = await createVisitor(app)
    await visitor.get(path)
    await create(visitor)
    const revoke = (await visitor.get(path)).attribute('tbody form', 'action')!
    await other.get(path)
    assert.equal((await other.post(revoke, { form: {} })).status, 404)
    assert.equal(await ApiToken.count(), 1)
    assert.equal((await visitor.post(revoke, { form: {} })).location, path)
    assert.equal(await ApiToken.count(), 0)
  })

  it('refuses more than 50 tokens; those that have expired do not count', async () => {
    const { visitor, user } = await createVisitor(app)
    await visitor.get(path)
    for (let at = 0; at < 50; at++)
      await tokenStore.create(user, { name: 'Script', scopes: apiScopes, days: 30 })
    assert.equal((await create(visitor)).status, 409)
    const expiresAt = Temporal.Now.instant()
    await ApiToken.query().updateAll(permitValues({ expiresAt }, 'expiresAt'))
    assert.equal((await create(visitor)).status, 200)
    assert.equal(await ApiToken.count(), 1)
  })

  it('refuses more than 50 tokens of requests at the same time', async () => {
    const { user } = await createVisitor(app)
    const values = { name: 'Script', scopes: apiScopes, days: 30 }
    for (let at = 0; at < 45; at++) await tokenStore.create(user, values)
    const racing = Array.from({ length: 10 }, () => tokenStore.create(user, values))
    const refused = (await Promise.all(racing)).filter((token) => token === undefined)
    assert.deepEqual([refused.length, await ApiToken.count()], [5, 50])
    // The tests share one connection, on which no statement waits for a lock.
    const statements: string[] = []
    const add = (event: unknown) => statements.push((event as { sql: string }).sql)
    diagnostics.subscribe('fw:sql:end', add)
    await tokenStore.create(user, values)
    diagnostics.unsubscribe('fw:sql:end', add)
    const locks = statements.findIndex((sql) => /^update|for update$/.test(sql))
    const counts = statements.findIndex((sql) => sql.includes('count('))
    assert.ok(locks !== -1 && locks < counts)
  })

  it('requires a recent login', async () => {
    assert.equal((await app.get(path)).location, '/login')
  })
})
