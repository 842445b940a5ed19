/** `accountLogins`, `accountTokens` and links that work once, over models of an application. */
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { accountLink, accountLogins, accountTokens } from '../../src/runtime/accounts.ts'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { model, type RowOf } from '../../src/runtime/model.ts'
import { ParamType, permitValues } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

const tables = `
create table members (id bigint generated always as identity primary key, email text not null unique, used_at timestamptz);
create table logins (id bigint generated always as identity primary key, member_id bigint not null, user_agent text not null,
  remember_hash text, previous_hash text, rotated_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null);
create table admin_logins (like logins including all);
create table factors (member_id bigint primary key, sealed_secret text not null, last_step bigint not null);
create table codes (id bigint generated always as identity primary key, member_id bigint not null, code_hash text not null);
create table tokens (id bigint generated always as identity primary key, member_id bigint not null, name text not null,
  prefix text not null, token_hash text not null, scopes text[] not null, last_used_at timestamptz, expires_at timestamptz not null)`

const Member = model('members', {
  id: ParamType.Long,
  email: ParamType.String,
  usedAt: ParamType.optional(ParamType.DateTime),
})
type Member = RowOf<typeof Member>
const loginColumns = {
  id: ParamType.Long,
  memberId: ParamType.Long,
  userAgent: ParamType.String,
  rememberHash: ParamType.optional(ParamType.String),
  previousHash: ParamType.optional(ParamType.String),
  rotatedAt: ParamType.optional(ParamType.DateTime),
  createdAt: ParamType.DateTime,
  updatedAt: ParamType.DateTime,
}
const Login = model('logins', loginColumns)
const AdminLogin = model('admin_logins', loginColumns)
const stored: string[] = []
const ObservedLogin = model('logins', loginColumns, {
  hooks: { afterSave: ({ userAgent }) => void stored.push(userAgent) },
})
const Factor = model(
  'factors',
  { memberId: ParamType.Long, sealedSecret: ParamType.String, lastStep: ParamType.Long },
  { primaryKey: 'memberId' },
)
const Code = model('codes', {
  id: ParamType.Long,
  memberId: ParamType.Long,
  codeHash: ParamType.String,
})
const Token = model('tokens', {
  id: ParamType.Long,
  memberId: ParamType.Long,
  name: ParamType.String,
  prefix: ParamType.String,
  tokenHash: ParamType.String,
  scopes: ParamType.array(ParamType.String),
  lastUsedAt: ParamType.optional(ParamType.DateTime),
  expiresAt: ParamType.DateTime,
})

const [accounts, owner] = [Member, 'memberId'] as const
const bind = ({ email }: Member) => [email]
const times = { bind, rememberedDays: 60, freshMinutes: 10 }
const logins = accountLogins({ logins: Login, accounts, owner, ...times })
const adminLogins = accountLogins({ logins: AdminLogin, accounts, owner, ...times })
const tokenOptions = {
  tokens: Token,
  accounts,
  owner,
  bind,
  scopes: ['read'],
  prefix: 'test_',
} as const
const few = accountTokens({ ...tokenOptions, most: 2, more: 'refuse' })
const newest = accountTokens({ ...tokenOptions, most: 2, more: 'replace' })
const single = accountTokens({ ...tokenOptions, most: 1, more: 'replace' })

let database: Database
let ann: Member
beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  database = await openDatabase({ kind: 'pglite', folder: 'memory' })
  for (const sql of tables.split(';')) await database.query({ sql, parameters: [] })
  useDatabase(database)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  useDatabase(undefined)
  await database.close()
})
const create = (email: string) => Member.create(permitValues({ email }))
beforeEach(async () => {
  for (const table of [Token, Login, AdminLogin, Factor, Member]) await table.query().deleteAll()
  ann = await create('ann@example.com')
})

const own = { 'sec-fetch-site': 'same-origin' }

it('a login without the field of the owner is refused by its type, and at the start', () => {
  // @ts-expect-error A login has no such field.
  const begin = () => accountLogins({ logins: Login, accounts, owner: 'userId', ...times })
  expect(begin).toThrow(expect.objectContaining({ code: 'model.column-unknown' }))
})

it('a token without the field of the owner is refused by its type', () => {
  const create = () =>
    // @ts-expect-error A token has no such field, and `name` is none of an account.
    accountTokens({ ...tokenOptions, owner: 'name', most: 1, more: 'refuse' })
  expect(create).not.toThrow()
})

describe('logins with second factors', () => {
  const secondFactors = { factors: Factor, codes: Code }
  /** A model with hooks has statements of its own. */
  it.each([
    ['a model', Login, []],
    ['a model with hooks', ObservedLogin, ['Device']],
  ] as const)(
    'of %s ask for the code in any controller that begins one',
    async (_, table, saved) => {
      const protectedLogins = accountLogins({
        logins: table,
        accounts,
        owner,
        secondFactors,
        ...times,
      })
      class Plain extends mix(FwController, TxPerRequestFilter) {
        async logIn() {
          const account = (await Member.findById(ann.id))!
          return String(await protectedLogins.begin(this.ctx, account, false))
        }
      }
      const app = await serve([routes(Plain, (r) => ({ logIn: r.post('/', 'logIn') }))])
      const logIn = async () =>
        (await app.post('/', { headers: { ...own, 'user-agent': 'Device' } })).body
      stored.length = 0
      expect([await logIn(), await Login.count()]).toEqual(['true', 1])
      expect((await Login.query().findFirst())?.userAgent).toBe('Device')
      expect(stored).toEqual(saved)
      await Factor.create(permitValues({ memberId: ann.id, sealedSecret: 'x', lastStep: 0 }))
      expect([await logIn(), await Login.count()]).toEqual(['false', 1])
    },
  )
})

describe('logins', () => {
  class Base extends mix(FwController, TxPerRequestFilter, logins.currentUser) {}
  const ask = (controller: Base) =>
    controller.halt({ status: 303, headers: { Location: '/login' } })
  class Open extends Base {
    async logIn() {
      const user = (await Member.findBy({ email: this.params.get('email') ?? '' }))!
      await logins.begin(this.ctx, user, this.params.get('remember') === 'true')
      return String(logins.currentId(this.ctx))
    }
    async logOut() {
      await logins.end(this.ctx)
      return String(logins.currentId(this.ctx))
    }
    async endOthers() {
      const email = this.params.get('email')
      const account = email === undefined ? this.currentUser : await Member.findBy({ email })
      return String(await logins.endOthers(this.ctx, account!))
    }
    show() {
      return `${this.currentUser?.email} ${logins.current(this.ctx)?.email}`
    }
  }
  class Closed extends mix(Base, logins.requireLogin(ask)) {
    show() {
      return this.currentUser.email
    }
  }
  class Fresh extends mix(Base, logins.requireFresh(ask)) {
    show() {
      return this.currentUser.email
    }
  }
  class Silent extends mix(
    Base,
    // JavaScript may pass a function that returns.
    logins.requireLogin((() => {}) as unknown as () => never),
  ) {
    show() {
      return 'shown'
    }
  }
  class SilentLater extends mix(
    Base,
    logins.requireLogin((async () => {}) as unknown as () => never),
  ) {
    show() {
      return 'shown'
    }
  }
  class Later extends mix(
    Base,
    logins.requireLogin(async (controller: Base) => {
      await Member.count()
      return ask(controller)
    }),
  ) {
    show() {
      return 'shown'
    }
  }
  class Admin extends mix(FwController, TxPerRequestFilter, adminLogins.currentUser) {
    show() {
      return String(this.currentUser?.email)
    }
  }
  /** Its class does not mix in `currentUser`. */
  class Plain extends mix(FwController, TxPerRequestFilter) {
    async logOut() {
      await logins.end(this.ctx)
      return 'ended'
    }
  }
  const controllers = [
    routes(Silent, (r) => ({ show: r.get('/silent', 'show') })),
    routes(SilentLater, (r) => ({ show: r.get('/silent-later', 'show') })),
    routes(Later, (r) => ({ show: r.get('/later', 'show') })),
    routes(Admin, (r) => ({ show: r.get('/admin', 'show') })),
    routes(Plain, (r) => ({ logOut: r.post('/plain', 'logOut') })),
    routes(Open, (r) => ({
      logIn: r.post('/login', 'logIn'),
      logOut: r.post('/logout', 'logOut'),
      endOthers: r.post('/end-others', 'endOthers'),
      show: r.get('/', 'show'),
    })),
    routes(Closed, (r) => ({ show: r.get('/closed', 'show') })),
    routes(Fresh, (r) => ({ show: r.get('/fresh', 'show') })),
  ]
  const start = async () => {
    const app = await serve(controllers)
    const enter = async (email = ann.email) => {
      const visitor = app.visitor()
      const { body } = await visitor.post('/login', { form: { email }, headers: own })
      return { visitor, id: Number(body) }
    }
    return { app, enter }
  }

  it('are known to controllers until they end', async () => {
    const { enter } = await start()
    const { visitor, id } = await enter()
    expect((await visitor.get('/')).body).toBe('ann@example.com ann@example.com')
    expect((await Login.findById(id))?.memberId).toBe(ann.id)
    expect((await visitor.post('/logout', { headers: own })).body).toBe('undefined')
    expect((await visitor.get('/')).body).toBe('undefined undefined')
    expect(await Login.count()).toBe(0)
  })

  it('are required, and are fresh for ten minutes', async () => {
    const { app, enter } = await start()
    const { visitor } = await enter()
    for (const path of ['/closed', '/fresh']) {
      expect((await app.get(path)).status).toBe(303)
      expect((await visitor.get(path)).body).toBe(ann.email)
    }
    vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ['Date'] })
    expect((await visitor.get('/closed')).body).toBe(ann.email)
    expect((await visitor.get('/fresh')).status).toBe(303)
    vi.useRealTimers()
  })

  it('are required also if the function returns that should refuse the visitor', async () => {
    const { app, enter } = await start()
    for (const path of ['/silent', '/silent-later']) {
      expect((await app.get(path)).status).toBe(401)
      expect((await (await enter()).visitor.get(path)).body).toBe('shown')
    }
  })

  it('are required by a function that refuses the visitor later', async () => {
    const { app } = await start()
    expect((await app.get('/later')).location).toBe('/login')
  })

  it('of another table with the same id are others', async () => {
    const { enter } = await start()
    const { visitor, id } = await enter()
    const values = { memberId: ann.id, userAgent: 'test' }
    const ids = []
    while (ids.at(-1) !== id) ids.push((await AdminLogin.create(permitValues(values))).id)
    expect((await visitor.get('/admin')).body).toBe('undefined')
    // The session has not ended.
    expect((await visitor.get('/closed')).body).toBe(ann.email)
  })

  it('end also where the controller does not read them', async () => {
    const { visitor } = await (await start()).enter()
    expect((await visitor.post('/plain', { headers: own })).body).toBe('ended')
    expect([await Login.count(), (await visitor.get('/')).body]).toEqual([0, 'undefined undefined'])
  })

  it('of an account end all, or all others', async () => {
    const { enter } = await start()
    const bob = await create('bob@example.com')
    const all = [await enter(), await enter(), await enter(bob.email)]
    const show = () =>
      Promise.all(all.map(async ({ visitor }) => (await visitor.get('/closed')).status))
    expect((await all[1]!.visitor.post('/end-others', { headers: own })).body).toBe('1')
    expect(await show()).toEqual([303, 200, 200])
    // Those of another account than that of the visitor.
    const { body } = await all[2]!.visitor.post('/end-others?email=ann@example.com', {
      headers: own,
    })
    expect([body, await show()]).toEqual(['1', [303, 303, 200]])
    expect(await logins.endAll(bob)).toBe(1)
    expect(await show()).toEqual([303, 303, 303])
  })

  it('get a new session id when the others end', async () => {
    const { visitor } = await (await start()).enter()
    const { headers } = await visitor.post('/end-others', { headers: own })
    expect(headers.getSetCookie().join()).toContain('session=')
    expect((await visitor.get('/closed')).body).toBe(ann.email)
  })
})

describe('tokens', () => {
  const values = { name: 'Script', scopes: ['read'], days: 1 } as const

  it('are found by their hash, with their account', async () => {
    const token = (await few.create(ann, values)) ?? ''
    expect(token).toMatch(/^test_[\w-]{43}$/)
    const found = await few.find(hash('sha256', token))
    expect(found).toMatchObject({ account: { email: ann.email }, token: { name: 'Script' } })
    expect(await few.find(hash('sha256', `${token}x`))).toBeUndefined()
  })

  it('over the limit are refused, or replace the oldest', async () => {
    const results = [1, 2, 3].map(() => few.create(ann, values))
    expect((await Promise.all(results)).filter((token) => token === undefined)).toHaveLength(1)
    const oldest = (await Token.query().orderBy('id').findFirst())!
    const token: string = await newest.create(ann, values)
    expect(await newest.find(hash('sha256', token))).toBeDefined()
    expect([await Token.count(), await Token.findById(oldest.id)]).toEqual([2, undefined])
  })

  it('of which an account has only one end with the next', async () => {
    const [old, token] = [await single.create(ann, values), await single.create(ann, values)]
    expect(await single.find(hash('sha256', old))).toBeUndefined()
    expect(await single.find(hash('sha256', token))).toBeDefined()
  })

  it('are not created once a bound value has changed', async () => {
    await Member.where({ id: ann.id }).updateAll(permitValues({ email: 'changed@example.com' }))
    const refused = expect.objectContaining({ status: 409, code: 'accounts.account-changed' })
    await expect(few.create(ann, values)).rejects.toThrow(refused)
    expect(await Token.count()).toBe(0)
  })

  it('act for their account in controllers', async () => {
    class Tasks extends mix(FwApiController, few.currentUser) {
      index() {
        return { email: this.currentUser.email, token: this.bearer.token.name }
      }
    }
    const app = await serve([routes(Tasks, (r) => ({ index: r.get('/tasks', 'index') }))])
    const headers = await few.headersOf(ann)
    expect((await app.get('/tasks', { headers })).json()).toEqual({
      email: ann.email,
      token: 'test',
    })
    expect((await app.get('/tasks')).status).toBe(401)
  })
})

it('a link is used once, with changes that no other account has', async () => {
  // The keys of links are those of a running application.
  await serve([])
  const link = accountLink({
    purpose: 'email',
    expires: '1h',
    accounts: Member,
    bind: ({ email }) => [email],
    usedAt: 'usedAt',
  })
  const bob = await create('bob@example.com')
  const [token, other] = [link.sign(ann, 'new@example.com'), link.sign(ann)]
  const found = (await link.find(token))!
  expect(await link.use(found.account, { email: bob.email })).toBe(false)
  expect(await link.use(found.account, { email: found.text })).toBe(true)
  expect(await link.use(found.account, { email: 'third@example.com' })).toBe(false)
  expect((await Member.findById(ann.id))?.email).toBe('new@example.com')
  await Member.where({ id: ann.id }).updateAll(permitValues({ email: ann.email }))
  for (const used of [token, other]) expect(await link.find(used)).toBeUndefined()
})

it('a link is not used once a bound value has changed', async () => {
  await serve([])
  const bind = ({ email }: Member) => [email]
  const link = accountLink({
    purpose: 'email',
    expires: '1h',
    accounts: Member,
    bind,
    usedAt: 'usedAt',
  })
  const { account } = (await link.find(link.sign(ann)))!
  await Member.where({ id: ann.id }).updateAll(permitValues({ email: 'changed@example.com' }))
  expect(await link.use(account, { email: 'new@example.com' })).toBe(false)
  expect((await Member.findById(ann.id))?.email).toBe('changed@example.com')
})
