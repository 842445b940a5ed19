/**
 * Logins that verify a password, a link, a passkey or a code while the owner changes it, on a server. Each test has two transactions:
 * one waits at a gate, or for a lock of the other.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  accountLink,
  accountLogins,
  accountTokens,
  attemptMigrationText,
} from '../../src/runtime/accounts.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'
import { transaction, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { model, type RowOf } from '../../src/runtime/model.ts'
import { ParamType, permitValues } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

/** Without foreign keys: the locks of Fw must suffice. */
const tables = `
create table members (id bigint generated always as identity primary key, email text not null unique, password text not null,
  used_at timestamptz);
create table logins (id bigint generated always as identity primary key, member_id bigint not null, user_agent text not null,
  remember_hash text, previous_hash text, rotated_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null);
create table passkeys (id text primary key, member_id bigint not null, public_key bytea not null, counter bigint not null,
  transports text[] not null, name text not null);
create table factors (member_id bigint primary key, sealed_secret text not null, last_step bigint not null);
create table codes (id bigint generated always as identity primary key, member_id bigint not null, code_hash text not null);
create table tokens (id bigint generated always as identity primary key, member_id bigint not null, name text not null,
  prefix text not null, token_hash text not null, scopes text[] not null, last_used_at timestamptz, expires_at timestamptz not null)`

const { Long, String: Text, DateTime, ByteArray } = ParamType
const Member = model('members', {
  id: Long,
  email: Text,
  password: Text,
  usedAt: ParamType.optional(DateTime),
})
type Member = RowOf<typeof Member>
const Login = model('logins', {
  id: Long,
  memberId: Long,
  userAgent: Text,
  rememberHash: ParamType.optional(Text),
  previousHash: ParamType.optional(Text),
  rotatedAt: ParamType.optional(DateTime),
  createdAt: DateTime,
  updatedAt: DateTime,
})
const Passkey = model('passkeys', {
  id: Text,
  memberId: Long,
  publicKey: ByteArray,
  counter: Long,
  transports: ParamType.array(Text),
  name: Text,
})
const Factor = model(
  'factors',
  { memberId: Long, sealedSecret: Text, lastStep: Long },
  { primaryKey: 'memberId' },
)
const Code = model('codes', { id: Long, memberId: Long, codeHash: Text })
const Token = model('tokens', {
  id: Long,
  memberId: Long,
  name: Text,
  prefix: Text,
  tokenHash: Text,
  scopes: ParamType.array(Text),
  lastUsedAt: ParamType.optional(DateTime),
  expiresAt: DateTime,
})

const common = {
  accounts: Member,
  owner: 'memberId',
  bind: ({ email, password }: Member) => [email, password],
} as const
const logins = accountLogins({
  ...common,
  logins: Login,
  rememberedDays: 60,
  freshMinutes: 10,
  secondFactors: { factors: Factor, codes: Code },
})
const passkeys = logins.passkeys(Passkey)
const { secondFactors: factors } = logins
const link = accountLink({ ...common, purpose: 'magic', expires: '1h', usedAt: 'usedAt' })
const tokens = accountTokens({
  ...common,
  tokens: Token,
  scopes: ['read'],
  prefix: 'test_',
  most: 9,
  more: 'refuse',
})

/** Where a request waits: before the login begins, or before its transaction ends. */
type Gate = 'verified' | 'begun'
let gates: Partial<Record<Gate, () => Promise<void>>> = {}

/** Makes requests wait at a gate. */
function closeGate(gate: Gate) {
  const reached = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  gates[gate] = async () => {
    reached.resolve()
    await open.promise
  }
  return { reached: reached.promise, open: () => open.resolve() }
}

class Members extends mix(FwController, TxPerRequestFilter, logins.currentUser) {
  private async begin(account: Member | undefined) {
    await gates.verified?.()
    if (account === undefined) return 'refused'
    const remember = this.params.get('remember') !== undefined
    const isBegun = await logins.begin(this.ctx, account, remember)
    await gates.begun?.()
    return isBegun ? 'begun' : 'code'
  }
  async logIn() {
    return this.begin(await Member.findBy({ password: this.params.get('password') ?? '' }))
  }
  async logInByLink() {
    const { account } = (await link.find(this.params.get('token') ?? ''))!
    await gates.verified?.()
    return this.begin((await link.use(account)) ? account : undefined)
  }
  async logInByPasskey() {
    return this.begin(await passkeys.findAccount(this.ctx, this.params.get('credential') ?? ''))
  }
  async logInByCode() {
    const pending = await factors.findPending(this.ctx)
    const account = pending?.account
    await gates.verified?.()
    const isRight = account && (await factors.accept(this.ctx, account, this.params.get('code')!))
    return this.begin(isRight === true ? account : undefined)
  }
  async deleteAccount() {
    await logins.deleteAccount(this.ctx, this.currentUser!)
    await gates.begun?.()
    return 'deleted'
  }
  show() {
    return String(this.currentUser?.email)
  }
  passkeyOptions() {
    return passkeys.creationOptions(this.ctx, this.currentUser!, 'ann', 'Test')
  }
  async addPasskey() {
    const credential = this.params.get('credential') ?? ''
    await gates.verified?.()
    return String(await passkeys.add(this.ctx, this.currentUser!, 'Phone', credential))
  }
  challenge() {
    return passkeys.loginOptions(this.ctx)
  }
  async removePasskey() {
    const isRemoved = await passkeys.remove(this.ctx, this.currentUser!, this.params.get('id')!)
    await gates.begun?.()
    return String(isRemoved)
  }
  async secret() {
    await factors.start(this.ctx)
    return (await factors.findNew(this.ctx, 'ann', 'Test'))!.secret
  }
  async addFactor() {
    const account = this.currentUser!
    await gates.verified?.()
    const codes = await factors.add(this.ctx, account, this.params.get('code') ?? '')
    await gates.begun?.()
    return String(codes?.length)
  }
  async removeFactor() {
    await factors.remove(this.ctx, this.currentUser!)
    return 'removed'
  }
  async createToken() {
    const account = this.currentUser!
    await gates.verified?.()
    await tokens.create(account, { name: 'Script', scopes: ['read'], days: 1 })
    await gates.begun?.()
    return 'created'
  }
}
const names = [
  'logIn',
  'logInByLink',
  'logInByPasskey',
  'logInByCode',
  'passkeyOptions',
  'addPasskey',
  'challenge',
  'removePasskey',
  'secret',
  'addFactor',
  'removeFactor',
  'createToken',
  'deleteAccount',
] as const
const mount = (Controller: typeof Members) => [
  routes(Controller, (r) => ({
    show: r.get('/', 'show'),
    ...Object.fromEntries(names.map((name) => [name, r.post(`/${name}`, name)])),
  })),
]

/** Returns the code of the half minute that begins `steps` after the current one. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })

/** The device of the generated tests. */
interface Device {
  readonly id: string
  create(options: unknown): string
  get(options: unknown): string
}
async function createDevice(): Promise<Device> {
  const folder = mkdtempSync(join(tmpdir(), 'fw-device-'))
  const file = join(folder, 'authenticator.ts')
  const template = '../../templates/authentication-passkeys/test/authenticator.ts.tpl'
  writeFileSync(file, readFileSync(join(import.meta.dirname, template)))
  try {
    const { Authenticator } = (await import(file)) as { Authenticator: new () => Device }
    return new Authenticator()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.skipIf(!(await hasTestServer()))('while the owner changes it', () => {
  let server: EmptyDatabase
  let database: Database
  let ann: Member
  beforeAll(async () => {
    server = await emptyDatabaseOn('races')
    database = await openDatabase({ kind: 'postgres', url: server.url, poolSize: 6 })
    const [attempts] = attemptMigrationText().split('-- down')
    for (const sql of `${tables};${attempts}`.split(';'))
      await database.query({ sql, parameters: [] })
    useDatabase(database)
    // Else each application of a test would open a database of its own.
    vi.stubEnv('DATABASE_URL', undefined)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    useDatabase(undefined)
    await database.close()
    await server.drop()
  })
  beforeEach(async () => {
    gates = {}
    for (const table of [Token, Code, Factor, Passkey, Login, Member])
      await table.query().deleteAll()
    ann = await Member.create(permitValues({ email: 'ann@example.com', password: 'old' }))
  })

  type Guest = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['enter']>>
  const start = async (Controller: typeof Members = Members) => {
    const app = await serve(mount(Controller))
    const visitor = () => {
      const one = app.visitor()
      const post = (path: (typeof names)[number], form: Record<string, string> = {}, more = {}) =>
        one.post(`/${path}`, { form, headers: { 'sec-fetch-site': 'same-origin', ...more } })
      return { post, show: async () => (await one.get('/')).body }
    }
    /** A visitor who is logged in. */
    const enter = async () => {
      const one = visitor()
      expect((await one.post('logIn', { password: 'old' })).body).toBe('begun')
      return one
    }
    return { visitor, enter }
  }

  /** Waits until a statement of the database waits for a lock, or `work` has ended. */
  async function untilBlocked(work: Promise<unknown>): Promise<void> {
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    void work.then(end, end)
    const sql = `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const count = async () => (await database.query<{ n: number }>({ sql, parameters: [] })).rows
    await expect.poll(async () => hasEnded || (await count())[0]!.n > 0).toBe(true)
  }

  /** Replaces the password, as the page of a reset does. */
  const reset = () =>
    database.transaction(async () => {
      await Member.where({ id: ann.id }).updateAll(permitValues({ password: 'new' }))
      await logins.endAll(ann)
      await Token.query().deleteAll()
    })

  /** Resets the password while a request waits at a gate. Returns the status of its response. */
  async function resetAt(gate: Gate, send: () => Promise<{ readonly status: number }>) {
    const { reached, open } = closeGate(gate)
    const response = send()
    await Promise.race([reached, response])
    const work = reset()
    await untilBlocked(work)
    open()
    const { status } = await response
    await work
    gates = {}
    return status
  }

  for (const [name, form] of [
    ['a password', { password: 'old' }],
    ['a password on a remembered device', { password: 'old', remember: 'true' }],
  ] as const) {
    it(`${name} does not log in after a reset`, async () => {
      const visitor = (await start()).visitor()
      expect(await resetAt('verified', () => visitor.post('logIn', form))).toBe(409)
      expect([await Login.count(), await visitor.show()]).toEqual([0, 'undefined'])
    })

    it(`${name} that logs in before a reset ends with it`, async () => {
      const visitor = (await start()).visitor()
      expect(await resetAt('begun', () => visitor.post('logIn', form))).toBe(200)
      expect([await Login.count(), await visitor.show()]).toEqual([0, 'undefined'])
    })
  }

  it.each(['verified', 'begun'] as const)('a mailed link ends with the reset: %s', async (gate) => {
    const visitor = (await start()).visitor()
    const token = link.sign(ann)
    expect(await resetAt(gate, () => visitor.post('logInByLink', { token }))).toBe(200)
    expect([await Login.count(), await visitor.show()]).toEqual([0, 'undefined'])
  })

  it('a deleted account does not log in', async () => {
    const visitor = (await start()).visitor()
    const { reached, open } = closeGate('verified')
    const response = visitor.post('logIn', { password: 'old' })
    await Promise.race([reached, response])
    await Member.deleteById(ann.id)
    open()
    expect([(await response).status, await Login.count()]).toEqual([409, 0])
  })

  it('a token is not created after a reset, or ends with it', async () => {
    const { enter } = await start()
    const [first, second] = [await enter(), await enter()]
    expect(await resetAt('begun', () => first.post('createToken'))).toBe(200)
    expect(await Token.count()).toBe(0)
    await Member.where({ id: ann.id }).updateAll(permitValues({ password: 'old' }))
    const third = await enter()
    expect(await resetAt('verified', () => third.post('createToken'))).toBe(409)
    expect([await Token.count(), await second.show()]).toEqual([0, 'undefined'])
  })

  describe('a second factor', () => {
    const add = async (owner: Guest) => {
      const secret = (await owner.post('secret')).body
      return { secret, send: () => owner.post('addFactor', { code: codeOf(secret) }) }
    }

    it('that is added ends other logins, and one that begins at the same time', async () => {
      const { visitor, enter } = await start()
      const [owner, thief, late] = [await enter(), await enter(), visitor()]
      const { send } = await add(owner)
      const { reached, open } = closeGate('begun')
      const login = late.post('logIn', { password: 'old' })
      await Promise.race([reached, login])
      const adding = send()
      await untilBlocked(adding)
      open()
      expect([(await login).body, (await adding).body]).toEqual(['begun', '10'])
      gates = {}
      const shown = [await owner.show(), await thief.show(), await late.show()]
      expect(shown).toEqual([ann.email, 'undefined', 'undefined'])
    })

    it('is asked for by a login that has verified the password before', async () => {
      const { visitor, enter } = await start()
      const [owner, late] = [await enter(), visitor()]
      const { send } = await add(owner)
      const { reached, open } = closeGate('verified')
      const login = late.post('logIn', { password: 'old' })
      await Promise.race([reached, login])
      gates = {}
      await send()
      open()
      expect([(await login).body, await late.show()]).toEqual(['code', 'undefined'])
    })

    it('is asked for by a login that waits until it is added', async () => {
      const { visitor, enter } = await start()
      const [owner, late] = [await enter(), visitor()]
      const { send } = await add(owner)
      const { reached, open } = closeGate('begun')
      const adding = send()
      await Promise.race([reached, adding])
      gates = {}
      const login = late.post('logIn', { password: 'old' })
      await untilBlocked(login)
      open()
      expect([(await adding).body, (await login).body]).toEqual(['10', 'code'])
    })

    it('is not added after a reset', async () => {
      const owner = await (await start()).enter()
      const { send } = await add(owner)
      expect([await resetAt('verified', send), await Factor.count()]).toEqual([409, 0])
    })

    it('that is right does not log in after a reset', async () => {
      const { visitor, enter } = await start()
      const { secret, send } = await add(await enter())
      await send()
      const late = visitor()
      expect((await late.post('logIn', { password: 'old' })).body).toBe('code')
      const code = codeOf(secret, 1)
      expect(await resetAt('verified', () => late.post('logInByCode', { code }))).toBe(409)
      expect(await Login.count()).toBe(0)
    })

    it('that is removed ends other logins, also one by its code at the same time', async () => {
      const { visitor, enter } = await start()
      const owner = await enter()
      const { secret, send } = await add(owner)
      await send()
      const late = visitor()
      await late.post('logIn', { password: 'old' })
      const { reached, open } = closeGate('begun')
      const login = late.post('logInByCode', { code: codeOf(secret, 1) })
      await Promise.race([reached, login])
      const removing = owner.post('removeFactor')
      await untilBlocked(removing)
      open()
      expect([(await login).body, (await removing).body]).toEqual(['begun', 'removed'])
      gates = {}
      expect([await owner.show(), await late.show()]).toEqual([ann.email, 'undefined'])
    })
  })

  describe.each(['repeatable read', 'serializable'] as const)('at %s', (isolation) => {
    /** Each transaction has one snapshot, from its first statement on. A request that fails for it runs again. */
    class Isolated extends mix(Members, transaction({ isolation, retries: 3 })) {}
    const addFactor = async (owner: Guest) => {
      const secret = (await owner.post('secret')).body
      return () => owner.post('addFactor', { code: codeOf(secret) })
    }

    it('a second factor that is added meanwhile is asked for', async () => {
      const { visitor, enter } = await start(Isolated)
      const [owner, late] = [await enter(), visitor()]
      const add = await addFactor(owner)
      const { reached, open } = closeGate('verified')
      const login = late.post('logIn', { password: 'old' })
      await Promise.race([reached, login])
      gates = {}
      expect((await add()).body).toBe('10')
      open()
      expect([(await login).body, await late.show()]).toEqual(['code', 'undefined'])
    })

    it('a login that began meanwhile ends when a second factor is added', async () => {
      const { visitor, enter } = await start(Isolated)
      const [owner, thief] = [await enter(), visitor()]
      const add = await addFactor(owner)
      const { reached, open } = closeGate('verified')
      const adding = add()
      await Promise.race([reached, adding])
      gates = {}
      expect((await thief.post('logIn', { password: 'old' })).body).toBe('begun')
      open()
      expect((await adding).body).toBe('10')
      expect([await owner.show(), await thief.show()]).toEqual([ann.email, 'undefined'])
    })

    it('a reset does not miss a login that began meanwhile', async () => {
      const thief = (await start(Isolated)).visitor()
      const [begun, login] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const work = async () => {
        await Member.findById(ann.id)
        begun.resolve()
        await login.promise
        await logins.endAll(ann)
      }
      const resetting = database.transaction(work, { isolation })
      await begun.promise
      expect((await thief.post('logIn', { password: 'old' })).body).toBe('begun')
      login.resolve()
      await expect(resetting).rejects.toMatchObject({ code: 'db.conflict' })
    })
  })

  describe('has one order of locks', () => {
    it('in a deletion and a reset at the same time', async () => {
      const { enter } = await start()
      const owner = await enter()
      const { reached, open } = closeGate('begun')
      const deleting = owner.post('deleteAccount')
      await Promise.race([reached, deleting])
      const work = reset()
      await untilBlocked(work)
      open()
      expect((await deleting).body).toBe('deleted')
      await work
      expect([await Member.count(), await Login.count()]).toEqual([0, 0])
    })

    it.each(['deleteAccount', 'removePasskey', 'logInByPasskey'] as const)(
      '%s waits for the account before it writes other rows',
      async (name) => {
        const { visitor, enter } = await start()
        const owner = await enter()
        const device = await createDevice()
        const credential = device.create((await owner.post('passkeyOptions')).json())
        await owner.post('addPasskey', { credential })
        const sender = name === 'logInByPasskey' ? visitor() : owner
        const answer =
          name === 'logInByPasskey' ? device.get((await sender.post('challenge')).json()) : ''
        const [locked, blocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const holder = database.transaction(async () => {
          await Member.findByIdForUpdate(ann.id)
          locked.resolve()
          await blocked.promise
          await Login.where({ memberId: ann.id }).deleteAll()
          await Passkey.where({ memberId: ann.id }).deleteAll()
        })
        await locked.promise
        const sent = sender.post(name, { id: device.id, credential: answer })
        await untilBlocked(sent)
        blocked.resolve()
        await holder
        expect((await sent).status).toBe(200)
      },
    )

    it('a remembered device waits for the account before its token changes', async () => {
      const { visitor } = await start()
      const { headers } = await visitor().post('logIn', { password: 'old', remember: 'true' })
      const [cookie] = headers.getSetCookie().flatMap((one) => /^remember_[^;]+/.exec(one) ?? [])
      expect(cookie).toBeDefined()
      const [locked, blocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holder = database.transaction(async () => {
        await Member.findByIdForUpdate(ann.id)
        locked.resolve()
        await blocked.promise
        await Login.where({ memberId: ann.id }).deleteAll()
      })
      await locked.promise
      const shown = visitor().post('logIn', { password: 'old' }, { cookie })
      await untilBlocked(shown)
      blocked.resolve()
      await holder
      expect((await shown).status).toBe(200)
    })
  })

  describe('a passkey', () => {
    const create = async (owner: Guest) => {
      const device = await createDevice()
      const credential = device.create((await owner.post('passkeyOptions')).json())
      return { device, send: () => owner.post('addPasskey', { credential }) }
    }
    const answer = async (visitor: Guest, device: Device) =>
      device.get((await visitor.post('challenge')).json())

    /** The owner of an account adds a passkey, another visitor answers with it, and the gate of the login is closed. */
    const addAndAnswer = async () => {
      const { visitor, enter } = await start()
      const [owner, late] = [await enter(), visitor()]
      const { device, send } = await create(owner)
      await send()
      const credential = await answer(late, device)
      return { owner, late, device, credential, ...closeGate('begun') }
    }

    it('is not added after a reset', async () => {
      const { send } = await create(await (await start()).enter())
      expect([await resetAt('verified', send), await Passkey.count()]).toEqual([409, 0])
    })

    it('that is removed ends other logins, also one by it at the same time', async () => {
      const { owner, late, device, credential, reached, open } = await addAndAnswer()
      const login = late.post('logInByPasskey', { credential })
      await Promise.race([reached, login])
      const removing = owner.post('removePasskey', { id: device.id })
      await untilBlocked(removing)
      open()
      expect([(await login).body, (await removing).body]).toEqual(['begun', 'true'])
      gates = {}
      expect([await owner.show(), await late.show()]).toEqual([ann.email, 'undefined'])
    })

    it('does not log in once it is removed', async () => {
      const { owner, late, device, credential, reached, open } = await addAndAnswer()
      const removing = owner.post('removePasskey', { id: device.id })
      await Promise.race([reached, removing])
      gates = {}
      const login = late.post('logInByPasskey', { credential })
      await untilBlocked(login)
      open()
      expect([(await removing).body, (await login).body]).toEqual(['true', 'refused'])
      expect(await late.show()).toBe('undefined')
    })
  })
})
