/** Tokens for programs: what they allow, how they end, and what is stored of them. */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { permitValues, Temporal } from 'fwjs'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { apiScopes, ApiToken, tokenStore, type ApiScope } from '#model/api-token'
import { {{User}} } from '#model/{{file}}'
import { createSampleAccount } from '#test/factory/account'

const app = await testApp(Bootstrap)

const create = async (scopes: readonly ApiScope[] = apiScopes) => {
  const {{user}} = await createSampleAccount()
  const token = await tokenStore.create({{user}}, { name: 'Script', scopes, days: 30 })
  return { {{user}}, token: token ?? '' }
}

const authorize = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const list = (token: string) => app.get('/tokens', authorize(token))
const revoke = (token: string, id: number | string) => app.delete(`/tokens/${id}`, authorize(token))
const change = (values: Partial<ApiToken>) =>
  ApiToken.query().updateAll(permitValues(values, 'lastUsedAt', 'expiresAt'))

describe('a token', () => {
  it('acts for its {{words}}, and a request without one is refused', async () => {
    const { {{user}}, token } = await create()
    await create()
    const response = await list(token)
    assert.equal(response.status, 200)
    const { tokens } = response.json() as { readonly tokens: readonly ApiToken[] }
    assert.deepEqual(
      tokens.map((one) => one.{{userId}}),
      [{{user}}.id],
    )
    const refused = await app.get('/tokens')
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer realm=/)
  })

  it('is stored as a hash, and leaves the application with its beginning only', async () => {
    const { token } = await create()
    const [row] = await ApiToken.query().findAll()
    assert.equal(row!.prefix, token.slice(0, 12))
    const stored = JSON.stringify([row, row!.tokenHash])
    assert.ok(!stored.includes(token.slice(12)))
    assert.ok(!JSON.stringify(row).includes(row!.tokenHash))
  })

  it('allows what its scopes contain, and its own end', async () => {
    const statuses = async (scopes: readonly ApiScope[]) => {
      const { token } = await create(scopes)
      const [row] = await ApiToken.query().findAll()
      const all = [
        await list(token),
        await revoke(token, row!.id + 1),
        await revoke(token, 'current'),
        await list(token),
      ]
      return all.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(['read']), [200, 403, 204, 401])
    assert.deepEqual(await statuses(['write']), [403, 404, 204, 401])
    assert.deepEqual(await statuses([]), [403, 403, 204, 401])
  })

  it('ends at its time, and when it is revoked', async () => {
    const { token } = await create()
    await change({ expiresAt: Temporal.Now.instant() })
    assert.equal((await list(token)).status, 401)
    await change({ expiresAt: Temporal.Now.instant().add({ hours: 1 }) })
    assert.equal((await revoke(token, 'current')).status, 204)
    assert.equal((await list(token)).status, 401)
  })

  it('ends with its account', async () => {
    const { {{user}}, token } = await create()
    assert.equal((await list(token)).status, 200)
    await {{User}}.deleteById({{user}}.id)
    assert.equal((await list(token)).status, 401)
    assert.equal(await ApiToken.count(), 0)
  })

  it('records its last use, at most once a minute', async () => {
    const { token } = await create()
    const lastUse = async () => (await ApiToken.query().findFirst())?.lastUsedAt?.epochMilliseconds
    assert.equal(await lastUse(), undefined)
    await list(token)
    const recent = Temporal.Now.instant().subtract({ seconds: 50 })
    await change({ lastUsedAt: recent })
    await list(token)
    assert.equal(await lastUse(), recent.epochMilliseconds)
    const earlier = Temporal.Now.instant().subtract({ seconds: 70 })
    await change({ lastUsedAt: earlier })
    await list(token)
    assert.ok(((await lastUse()) ?? 0) > recent.epochMilliseconds)
  })

  it('that is unknown, expired or malformed takes the same work: one statement, or none', async () => {
    const { token } = await create()
    await change({ expiresAt: Temporal.Now.instant() })
    const count = async (text: string) => {
      let statements = 0
      const add = () => (statements += 1)
      diagnostics.subscribe('fw:sql:end', add)
      assert.equal((await list(text)).status, 401)
      diagnostics.unsubscribe('fw:sql:end', add)
      return statements
    }
    const unknown = [`api_${'a'.repeat(43)}`, `${token.slice(0, -1)}-`, token.slice(0, 12), 'x']
    for (const text of [token, ...unknown]) assert.equal(await count(text), 1)
    for (const text of ['', 'a'.repeat(8193), 'ä']) assert.equal(await count(encodeURI(text)), 0)
  })

  it('revokes tokens of its {{words}} only', async () => {
    const { {{user}}, token } = await create()
    const { token: other } = await create()
    await tokenStore.create({{user}}, { name: 'Second', scopes: apiScopes, days: 1 })
    const [, second] = await ApiToken.where({ {{userId}}: {{user}}.id }).orderBy('id').findAll()
    assert.equal((await revoke(other, second!.id)).status, 404)
    assert.equal((await revoke(token, second!.id)).status, 204)
    assert.equal(await ApiToken.where({ {{userId}}: {{user}}.id }).count(), 1)
  })

  it('logs a test in without the page of the login', async () => {
    const visitor = app.session().as(await createSampleAccount())
    assert.equal((await visitor.get('/tokens')).status, 200)
  })
})
