/** `rememberedDevices` and `accountLimits` over HTTP: tokens that rotate, and limits that do not lock the owner out. */
import diagnostics from 'node:diagnostics_channel'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  accountLimits,
  attemptMigrationText,
  rememberedDevices,
} from '../../src/runtime/accounts.ts'
import type { Temporal } from '../../src/runtime/base.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

const own = { 'sec-fetch-site': 'same-origin' }

describe('a remembered device', () => {
  interface Login {
    readonly id: number
    readonly rememberHash?: string | undefined
    readonly previousHash?: string | undefined
    readonly rotatedAt?: Temporal.Instant | undefined
  }
  const logins = new Map<number, Login>()
  beforeEach(() => logins.clear())
  const remembered = rememberedDevices<Login>({
    days: 60,
    find: async (id) => logins.get(id),
    replace: async ({ id, rememberHash }, columns) => {
      const login = logins.get(id)
      if (login === undefined || login.rememberHash !== rememberHash) return 0
      logins.set(id, { ...login, ...columns })
      return 1
    },
    cookie: 'remember',
    remove: async (id) => logins.delete(id),
  })

  class Devices extends FwController {
    async begin() {
      logins.set(1, { id: 1 })
      await remembered.remember(this.ctx, logins.get(1)!)
      return 'begun'
    }
    async show() {
      return String((await remembered.resume(this.ctx))?.id)
    }
    end() {
      remembered.forget(this.ctx)
      return 'ended'
    }
  }
  const devices = routes(Devices, (r) => ({
    begin: r.get('/begin', 'begin'),
    show: r.get('/', 'show'),
    end: r.get('/end', 'end'),
  }))

  const start = async () => {
    const app = await serve([devices])
    const cookieOf = ({ headers }: { readonly headers: Headers }) =>
      /^remember=([^;]+)/.exec(headers.getSetCookie().join('\n'))?.[1]
    const open = async (token: string, headers = {}) => {
      const response = await app.get('/', {
        headers: { cookie: `remember=${token}`, ...headers },
      })
      return { found: response.body, next: cookieOf(response) }
    }
    return { app, open, token: cookieOf(await app.get('/begin'))! }
  }
  /** Moves the last rotation into the past. */
  const age = (duration: Temporal.DurationLike) => {
    const login = logins.get(1)!
    logins.set(1, { ...login, rotatedAt: login.rotatedAt!.subtract(duration) })
  }

  it('is found by its token, which each use replaces', async () => {
    const { open, token } = await start()
    const { found, next } = await open(token)
    expect(found).toBe('1')
    expect(next).toMatch(/^1\.[\w-]{43}\./)
    expect(next).not.toBe(token)
    expect((await open(next!)).found).toBe('1')
    expect(JSON.stringify(logins.get(1))).not.toContain(next!.split('.')[1])
  })

  it('may use the previous token for 30 seconds; after them, it ends the login', async () => {
    const { open, token } = await start()
    const { next } = await open(token)
    expect(await open(token)).toEqual({ found: '1', next: undefined })
    age({ seconds: 31 })
    expect((await open(token)).found).toBe('undefined')
    expect(logins.size).toBe(0)
    expect((await open(next!)).found).toBe('undefined')
  })

  it('is forgotten after its days', async () => {
    const { open, token } = await start()
    age({ hours: 60 * 24 + 1 })
    expect((await open(token)).found).toBe('undefined')
    expect(logins.size).toBe(0)
  })

  it('is not found, and not logged out, by texts that visitors make up', async () => {
    const { open, token } = await start()
    const [id, , signature] = token.split('.')
    const guesses = [`${id}.${'a'.repeat(43)}`, `${id}.${'a'.repeat(43)}.${signature}`, '1', '']
    for (const guess of guesses) expect((await open(guess)).found).toBe('undefined')
    expect(logins.size).toBe(1)
  })

  it('has one token after requests at the same time, and none by a prefetch', async () => {
    const { open, token } = await start()
    const prefetched = await open(token, { 'sec-purpose': 'prefetch' })
    expect(prefetched).toEqual({ found: 'undefined', next: undefined })
    const results = await Promise.all([1, 2, 3].map(() => open(token)))
    expect(results.map(({ found }) => found)).toEqual(['1', '1', '1'])
    expect(results.filter(({ next }) => next !== undefined)).toHaveLength(1)
  })

  it('has a cookie for this host only, over https', async () => {
    const { app } = await start()
    const set = (await app.get('https://localhost/begin')).headers.getSetCookie().join()
    expect(set).toMatch(/^__Host-remember=.*; Max-Age=5184000;/)
    expect(set).toMatch(/; Secure/)
    expect(set).not.toMatch(/Domain/i)
    const ended = (await app.get('/end')).headers.getSetCookie().join()
    expect(ended).toMatch(/^remember=;.*(?:Max-Age=0|1970)/)
  })
})

describe('limits', () => {
  let database: Database
  const run = (sql: string) => database.query({ sql, parameters: [] })
  beforeAll(async () => {
    vi.stubEnv('DATABASE_URL', undefined)
    database = await openDatabase({ kind: 'pglite', folder: 'memory' })
    await run(attemptMigrationText().split(';')[0]!)
    useDatabase(database)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    useDatabase(undefined)
    await database.close()
  })
  beforeEach(() => run('delete from fw_attempts'))

  const limits = accountLimits({
    email: ({ params }) => params.get('email') ?? '',
    mails: ['reset', 'magic'],
  })
  // @ts-expect-error There is no such kind of mail.
  limits.mails('other', [])

  class Accounts extends mix(
    FwController,
    TxPerRequestFilter,
    limits.logins(['login']),
    limits.mails('reset', ['reset']),
    limits.mails('magic', ['magic']),
    limits.requests(['confirm']),
  ) {
    async login() {
      if (this.params.get('password') !== 'right') return 401
      await limits.accept(this.ctx, this.params.get('email')!)
      return 'welcome'
    }
    reset() {
      return 'sent'
    }
    magic() {
      return 'sent'
    }
    confirm() {
      return 'confirmed'
    }
  }
  const accounts = routes(Accounts, (r) => ({
    login: r.post('/login', 'login'),
    reset: r.post('/reset', 'reset'),
    magic: r.post('/magic', 'magic'),
    confirm: r.post('/confirm', 'confirm'),
  }))
  const ann = 'ann@example.com'

  it('delay passwords for an account after five, but not its owner on a known device', async () => {
    const app = await serve([accounts])
    const send = async (client: Pick<typeof app, 'post'>, password: string, email = ann) =>
      (await client.post('/login', { form: { email, password }, headers: own })).status
    const owner = app.visitor()
    expect(await send(owner, 'right')).toBe(200)
    const statuses: number[] = []
    for (let at = 0; at < 6; at++) statuses.push(await send(app, 'wrong'))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect(await send(app, 'right')).toBe(429)
    expect(await send(app, 'wrong', 'bob@example.com')).toBe(401)
    expect(await send(owner, 'right')).toBe(200)
    // The device is known for one account only.
    for (let at = 0; at < 4; at++) await send(owner, 'wrong', 'bob@example.com')
    expect(await send(owner, 'wrong', 'bob@example.com')).toBe(429)
  })

  it('of an address and an account are counted by one statement', async () => {
    const app = await serve([accounts])
    const statements: string[] = []
    const addStatement = (event: unknown) => statements.push((event as { sql: string }).sql)
    diagnostics.subscribe('fw:sql:end', addStatement)
    const form = { email: ann, password: 'wrong' }
    expect((await app.post('/login', { form, headers: own })).status).toBe(401)
    diagnostics.unsubscribe('fw:sql:end', addStatement)
    expect(statements).toHaveLength(1)
    const { rows } = await run('select name from fw_attempts order by name')
    expect(rows.map(({ name }) => name)).toEqual(['account-address', 'account-login'])
  })

  it('forget the failed attempts after a login', async () => {
    const app = await serve([accounts])
    const send = async (password: string) =>
      (await app.post('/login', { form: { email: ann, password }, headers: own })).status
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 4; at++) expect(await send('wrong')).toBe(401)
      expect(await send('right')).toBe(200)
    }
  })

  it('count each kind of mail for itself, and all requests of a client', async () => {
    const app = await serve([accounts])
    const send = async (path: string, email = ann) =>
      (await app.post(path, { form: { email }, headers: own })).status
    for (let at = 0; at < 5; at++) expect(await send('/reset')).toBe(200)
    expect(await send('/reset')).toBe(429)
    expect(await send('/magic')).toBe(200)
    const statuses: number[] = []
    for (let at = 0; at < 44; at++) statuses.push(await send('/confirm', `${at}@example.com`))
    expect([statuses[42], statuses[43]]).toEqual([200, 429])
  })
})
