/**
 * Sends each random request twice: with a transaction that begins at the first write, and with BEGIN before the first
 * query. Results, visibility, rows and responses must be equal. Also runs transactions that enqueue jobs while connections
 * and statements fail: a job exists exactly if its transaction has committed.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FwError, HttpError } from '../../src/runtime/base.ts'
import { routes } from '../../src/runtime/controller.ts'
import {
  type Database,
  openDatabase,
  QueryError,
  runInTransaction,
  Transaction,
  useDatabase,
} from '../../src/runtime/db.ts'
import { engines, openInMemory, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { job, jobMigration } from '../../src/runtime/jobs.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { idle, TxFirst } from '../support/data-app.ts'
import { canStartPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { PostgresProxy } from '../support/postgres-proxy.ts'
import { startWithSessions } from '../support/session-app.ts'

const runs = Number(process.env['FW_FUZZ_RUNS'] ?? 100)

const Note = model('notes', { n: ParamType.Int }, { primaryKey: 'n' })

/**
 * The session tables. Tables with a foreign key come before the tables to which it refers, so that all rows can be
 * deleted in this order.
 */
const sessionTables = [
  'fw_session_attributes',
  'fw_session_owners',
  'servlet_sessions',
  'fw_sessions',
]

const simpleKinds = [
  'all',
  'count',
  'where',
  'kysely',
  'kysely count',
  'raw',
  'lock',
  'insert',
  'update',
  'delete',
  'bad read',
  'bad write',
  'concurrent reads',
  'concurrent read and write',
  'write of another connection',
  'after commit',
  'rollback only',
  'session',
  'throw',
] as const

interface StepOf<Kind> {
  readonly kind: Kind
  readonly n: number
  /** True if the code around the step catches its error. */
  readonly caught: boolean
  readonly steps: readonly StepOf<Kind>[]
}

/** Most errors are caught, so that the transaction goes on and can commit: otherwise few of long mixes store a row. */
const caught = fc.constantFrom(true, true, true, false)

/** Returns lists of steps. Steps of the kinds `outer` contain others. */
const stepsOf = <Kind>(simple: readonly Kind[], outer: readonly Kind[]) =>
  fc.letrec<{ steps: StepOf<Kind>[]; step: StepOf<Kind> }>((tie) => ({
    steps: fc.array(tie('step'), { maxLength: 6 }),
    step: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constantFrom(...simple),
          n: fc.nat(4),
          caught,
          steps: fc.constant([]),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constantFrom(...outer),
          n: fc.constant(0),
          caught,
          steps: tie('steps'),
        }),
      },
    ),
  })).steps

type Step = StepOf<(typeof simpleKinds)[number] | 'nested' | 'kysely transaction'>

const steps = stepsOf<Step['kind']>(simpleKinds, ['nested', 'kysely transaction'])

const endings: Readonly<Record<string, (c: TxFirst) => unknown>> = {
  value: () => 'value',
  'halt 202': (c) => c.halt(202),
  'halt 409': (c) => c.halt(409),
  'halt 503': (c) => c.halt(503),
  'status 500': (c) => {
    c.status = 500
    return 'broken'
  },
  'error 422': () => {
    throw new HttpError(422, 'params.invalid', 'no')
  },
  pass: (c) => c.pass(),
}

const mixes = fc.record({
  steps,
  ending: fc.constantFrom(...Object.keys(endings)),
  withSession: fc.boolean(),
})
type Mix = typeof mixes extends fc.Arbitrary<infer M> ? M : never

/**
 * Returns the part of an error that code can distinguish. The message may contain generated names, which differ between
 * the requests.
 */
const errorIdentity = (error: unknown): string =>
  error instanceof QueryError
    ? `${error.code} ${error.sqlState}`
    : error instanceof FwError
      ? error.code
      : String(error)

/** Runs the steps of a request. Records what the action reads, and what another connection sees after each step. */
class Recorder {
  readonly seen: unknown[] = []
  readonly #database: Database
  /** The other connection; `undefined` for an engine with only one connection. */
  readonly #observer: Database | undefined

  constructor(database: Database, observer: Database | undefined) {
    this.#database = database
    this.#observer = observer
  }

  async run(c: TxFirst, all: readonly Step[]): Promise<void> {
    for (const step of all) {
      try {
        this.seen.push([step.kind, await this.#step(c, step)])
      } catch (error) {
        this.seen.push([step.kind, errorIdentity(error)])
        if (!step.caught) throw error
      } finally {
        if (this.#observer) this.seen.push(await numbersOf(this.#observer))
      }
    }
  }

  async #step(c: TxFirst, step: Step): Promise<unknown> {
    const { n, kind } = step
    const { kysely } = this.#database
    const sql = (text: string, isRead = false) =>
      this.#database.query({ sql: text, parameters: [], isRead })
    switch (kind) {
      case 'all':
        return Note.findAll()
      case 'count':
        return Note.count()
      case 'where':
        return Note.where('n', '>=', n).orderBy('n', 'desc').findAll()
      case 'kysely':
        return kysely.selectFrom('notes').selectAll().where('n', '>', n).orderBy('n').execute()
      case 'kysely count':
        return kysely
          .selectFrom('notes')
          .select((eb) => eb.fn.countAll().as('c'))
          .execute()
      case 'raw':
        return (await sql('select n from notes order by n')).rows
      case 'lock':
        return Note.findByIdForUpdate(n)
      case 'insert':
        return (await sql(`insert into notes values (${n}) on conflict do nothing`)).count
      case 'update':
        return (await sql(`update notes set touched = touched + 1 where n = ${n}`)).count
      case 'delete':
        return Note.deleteById(n)
      case 'bad read':
        return Note.findById('x' as never)
      case 'bad write':
        return sql(`insert into notes values (${n}), (${n})`)
      case 'concurrent reads':
        return Promise.all([Note.findAll(), Note.count(), Note.findById(n)])
      case 'concurrent read and write':
        return Promise.all([
          Note.count(),
          sql(`insert into notes values (${n}) on conflict do nothing`).then(({ count }) => count),
          Note.count(),
        ])
      case 'write of another connection':
        await this.#observer?.query({
          sql: 'insert into notes select coalesce(max(n), 9) + 1 from notes where n > 9',
          parameters: [],
        })
        return undefined
      case 'after commit':
        return c.transaction.afterCommit(() => void this.seen.push('committed'))
      case 'rollback only':
        return c.transaction.rollbackOnly()
      case 'session':
        c.session.set('n', `${c.session.get('n') as string} ${n}`)
        return c.session.get('n')
      case 'throw':
        throw new Error('thrown')
      case 'nested':
        return this.#database.transaction(() => this.run(c, step.steps))
      case 'kysely transaction':
        return kysely.transaction().execute(() => this.run(c, step.steps))
    }
  }
}

const numbersOf = async (database: Database) =>
  (await database.query({ sql: 'select n, touched from notes order by n', parameters: [] })).rows

describe.each(engines)('on $name', ({ name, open }) => {
  let engine: OpenEngine
  let database: Database
  let observer: Database | undefined
  const isServer = name === 'postgres'

  beforeAll(async () => {
    engine = await open({ poolSize: 2, acquireTimeout: 20_000 })
    const tables = [
      ...sessionMigration.up,
      'create table notes (n int primary key, touched int not null default 0)',
      // Commits then need no flush to the disk. The setting applies to connections that are opened later.
      `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
    ]
    for (const sql of tables) await engine.database.query({ sql, parameters: [] })
    database = isServer ? await openDatabase(engine.settings) : engine.database
    observer = isServer ? await openDatabase(engine.settings) : undefined
    useDatabase(database)
    await database.ping()
  })
  afterAll(async () => {
    useDatabase(undefined)
    await observer?.close()
    await database.close()
    await engine.close()
  })

  const reset = () =>
    database.transaction(async () => {
      for (const table of [...sessionTables, 'notes'])
        await database.query({ sql: `delete from ${table}`, parameters: [] })
      await database.query({ sql: 'insert into notes values (0), (1)', parameters: [] })
    })

  /** Returns a function that sends one request. If `waits` is false, the transaction begins before the first query. */
  const serveMixes = async () => {
    let mix: Mix | undefined
    let recorder: Recorder | undefined
    const routed = routes(TxFirst, (r) => ({
      next: r.get('/*', () => 'the next one'),
      login: r.get('/login', (c) => {
        c.session.set('n', 'in')
        return 'in'
      }),
      act: r.get('/act', async (c) => {
        await recorder!.run(c, mix!.steps)
        return endings[mix!.ending]!(c)
      }),
    }))
    const { visitor } = await startWithSessions([routed], { database })
    return async (given: Mix, waits: boolean) => {
      mix = given
      recorder = new Recorder(database, observer)
      await reset()
      const client = visitor()
      if (mix.withSession) await client.get('/login')
      const { pool } = database
      const { defaultIsolation } = pool
      if (!waits) pool.defaultIsolation = undefined
      const { status } = await client.get('/act').finally(() => {
        pool.defaultIsolation = defaultIsolation
      })
      expect(database.state.reserved).toBe(0)
      const sessions = await database.query({
        sql: `select convert_from(attribute_value, 'UTF8') as text from fw_session_attributes order by 1`,
        parameters: [],
      })
      const rows = await numbersOf(database)
      return { status, seen: recorder.seen, rows, sessions: sessions.rows }
    }
  }

  test('a request has the same results, rows and visibility', { timeout: 600_000 }, async () => {
    const send = await serveMixes()
    await fc.assert(
      fc.asyncProperty(mixes, async (mix) => {
        expect(await send(mix, true)).toEqual(await send(mix, false))
      }),
      { numRuns: isServer ? runs : Math.ceil(runs / 10) },
    )
  })
})

const jobKinds = [
  'enqueue',
  'enqueue later',
  'enqueue unique',
  'enqueue many',
  'enqueue without waiting',
  'enqueue with a wrong option',
  'read',
  'write',
  'failing write',
  'failing write that is not waited for',
  'script',
  'next turn',
  'time limit',
  'abort',
  'abort while it waits',
  'kill',
  'kill without waiting',
  'throw',
  'rollback only',
] as const

type JobStep = StepOf<(typeof jobKinds)[number] | 'nested' | 'nested at once'>

const jobMixes = fc.record({
  steps: stepsOf<JobStep['kind']>(jobKinds, ['nested', 'nested at once']),
  end: fc.constantFrom(
    ...(['commit', 'commit', 'commit', 'commit'] as const),
    'final statement',
    'abort at commit',
    'kill at commit',
  ),
  beginsAtWrite: fc.boolean(),
  options: fc.constantFrom<object>({}, {}, {}, { readOnly: true }, { isolation: 'serializable' }),
})
type JobMix = typeof jobMixes extends fc.Arbitrary<infer M> ? M : never

/** Mixes that run at the same time, and the message of a client at which its connection is cut. */
const jobBatches = fc.record({
  mixes: fc.array(jobMixes, { minLength: 1, maxLength: 3 }),
  cutAt: fc.option(fc.nat(40), { freq: 1 }),
  cut: fc.constantFrom('cut before' as const, 'cut after' as const),
})

const Random = job('random-job', { mix: ParamType.Int }, () => {})

/** What a transaction, or a savepoint of it, stores if it commits. */
class Effects {
  readonly ids = new Set<string>()
  callbacks = 0
  /** The effects of the savepoints that were released. */
  readonly inner: Effects[] = []

  get allIds(): ReadonlySet<string> {
    return new Set([...this.ids, ...this.inner.flatMap((one) => [...one.allIds])])
  }

  get allCallbacks(): number {
    return this.inner.reduce((sum, one) => sum + one.allCallbacks, this.callbacks)
  }
}

/** Runs a mix of steps in a transaction, while its statements, connection or signal fail. */
class JobRun {
  readonly number: number
  readonly #database: Database
  /** Kills connections; undefined for an engine in this process. */
  readonly #killer: Database | undefined
  readonly #mix: JobMix
  readonly #controller = new AbortController()
  readonly #transaction: Transaction
  readonly #effects = new Effects()
  /** What the mix does not wait for. */
  readonly #pending: Promise<unknown>[] = []
  #calls = 0
  #error: unknown

  constructor(number: number, database: Database, killer: Database | undefined, mix: JobMix) {
    this.number = number
    this.#database = database
    this.#killer = killer
    this.#mix = mix
    const { signal } = this.#controller
    const { beginsAtWrite, options } = mix
    this.#transaction = new Transaction(database, { beginsAtWrite, ...options, signal })
  }

  async run(): Promise<void> {
    try {
      await runInTransaction(this.#transaction, () =>
        this.#runSteps(this.#mix.steps, this.#effects),
      )
      await this.#end()
    } catch (error) {
      this.#error = error
      await this.#transaction.rollback()
    }
    await Promise.allSettled(this.#pending)
  }

  /** The sorted lists of ids that the database may contain. */
  get allowed(): readonly (readonly string[])[] {
    const all = [...this.#effects.allIds].toSorted()
    if (this.#transaction.committed) return [all]
    return errorIdentity(this.#error) === 'db.commit-outcome-unknown' ? [all, []] : [[]]
  }

  get callbacksMatch(): boolean {
    return this.#calls === (this.#transaction.committed ? this.#effects.allCallbacks : 0)
  }

  async #runSteps(all: readonly JobStep[], effects: Effects): Promise<void> {
    for (const step of all) {
      try {
        await this.#runStep(step, effects)
      } catch (error) {
        if (!step.caught) throw error
      }
    }
  }

  async #runStep({ kind, n, steps: inner }: JobStep, effects: Effects): Promise<void> {
    const transaction = this.#transaction
    const enqueue = async (options = {}): Promise<void> => {
      effects.ids.add(await Random.enqueue({ mix: this.number }, options))
    }
    const query = (text: string, own = {}) =>
      this.#database.query({ sql: text, parameters: [], ...own })
    switch (kind) {
      case 'enqueue':
        await enqueue()
        return this.#addCallback(effects)
      case 'enqueue later':
        return enqueue({ in: '1h' })
      case 'enqueue unique':
        return enqueue({ uniqueBy: `${this.number} ${n}` })
      case 'enqueue many': {
        const all = Array.from({ length: n * 20 }, () => enqueue())
        this.#pending.push(...all)
        return void (await Promise.all(all))
      }
      case 'enqueue without waiting':
        return void this.#pending.push(enqueue().catch(() => {}))
      case 'enqueue with a wrong option':
        return enqueue({ queue: 'a b' })
      case 'read':
        return void (await query('select 1', { isRead: true }))
      case 'write':
        return void (await query(`insert into written values (${n})`, { name: `write ${n}` }))
      case 'failing write':
        return void (await query('insert into written values (null)'))
      case 'failing write that is not waited for': {
        const explainLate = (error: unknown): unknown => error
        return void (await query('insert into written values (null)', { explainLate }))
      }
      case 'script':
        return transaction.script('select 1; select 2')
      case 'next turn':
        return new Promise((resolve) => setImmediate(resolve))
      case 'time limit':
        await transaction.script("set local statement_timeout = '5ms'")
        return void (await query('select pg_sleep(0.02)'))
      case 'abort':
        return this.#controller.abort(new Error('aborted'))
      case 'abort while it waits':
        setImmediate(() => this.#controller.abort(new Error('aborted')))
        return void (await query(`select pg_sleep(${this.#killer === undefined ? 0 : 10})`))
      case 'kill':
        return this.#kill()
      case 'kill without waiting':
        return void this.#pending.push(this.#kill().catch(() => {}))
      case 'throw':
        throw new Error('thrown')
      case 'rollback only':
        return transaction.rollbackOnly()
      case 'nested':
        return this.#nest(inner, effects)
      case 'nested at once': {
        const all = await Promise.allSettled([1, 2].map(() => this.#nest(inner, effects)))
        for (const one of all) if (one.status === 'rejected') throw one.reason
      }
    }
  }

  async #nest(inner: readonly JobStep[], outer: Effects): Promise<void> {
    const effects = new Effects()
    await this.#database.transaction(() => this.#runSteps(inner, effects))
    outer.inner.push(effects)
  }

  #addCallback(effects: Effects): void {
    this.#transaction.afterCommit(() => void this.#calls++)
    effects.callbacks++
  }

  async #kill(): Promise<void> {
    if (this.#killer === undefined) return
    const text = 'select pg_backend_pid() as pid'
    const { rows } = await this.#transaction.query<{ pid: number }>({ sql: text, parameters: [] })
    const parameters = [rows[0]!.pid]
    await this.#killer.query({ sql: 'select pg_terminate_backend($1)', parameters })
  }

  async #end(): Promise<void> {
    const transaction = this.#transaction
    const { end } = this.#mix
    if (end === 'kill at commit') this.#pending.push(this.#kill().catch(() => {}))
    if (end === 'final statement' && transaction.begun) {
      transaction.isEnding = true
      const parameters = [this.number]
      const sql = 'insert into written values ($1)'
      await transaction.query({ sql, parameters, name: 'final', isFinal: true, isLastWrite: true })
    }
    const committed = transaction.commit()
    if (end === 'abort at commit') this.#controller.abort(new Error('aborted'))
    await committed
  }
}

interface Target {
  readonly name: string
  /** Opens the database of the application, and one that reads and kills beside it. */
  open(): Promise<{
    readonly database: Database
    readonly beside: Database
    readonly proxy?: PostgresProxy
    readonly close: () => Promise<void>
  }>
}

const poolSize = 4

/** A server behind a proxy that cuts connections; with `isPooled`, also behind pgbouncer. */
const serverTarget = (name: string, isPooled: boolean): Target => ({
  name,
  open: async () => {
    const { url, drop } = await emptyDatabaseOn('mixes')
    const pooler = isPooled ? await startPgbouncer(url, poolSize) : undefined
    const proxy = new PostgresProxy(pooler?.url ?? url)
    const database = await openDatabase({
      kind: 'postgres',
      url: await proxy.listen(),
      prepare: !isPooled,
      poolSize,
      acquireTimeout: 20_000,
    })
    const beside = await openDatabase({ kind: 'postgres', url, poolSize: 3 })
    const close = async () => {
      for (const one of [database, beside]) await one.close()
      await proxy.close()
      await pooler?.stop()
      await drop()
    }
    return { database, beside, proxy, close }
  },
})

const embeddedTarget: Target = {
  name: 'pglite',
  open: async () => {
    const database = await openInMemory()
    return { database, beside: database, close: () => database.close() }
  },
}

const serverTargets = engines.some(({ name }) => name === 'postgres')
  ? [
      serverTarget('postgres', false),
      ...(canStartPgbouncer ? [serverTarget('pgbouncer', true)] : []),
    ]
  : []

describe.each([embeddedTarget, ...serverTargets])('jobs on $name', ({ name, open }) => {
  let opened: Awaited<ReturnType<Target['open']>>

  beforeAll(async () => {
    opened = await open()
    const tables = [...jobMigration.up, 'create table written (n int not null)']
    for (const sql of tables) await opened.beside.query({ sql, parameters: [] })
    useDatabase(opened.database)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await opened.close()
  })

  const stored = async (run: JobRun): Promise<string[]> => {
    const sql = `select id::text from fw_jobs where (arguments ->> 'mix')::int = $1`
    const { rows } = await opened.beside.query<{ id: string }>({ sql, parameters: [run.number] })
    return rows.map(({ id }) => id).toSorted()
  }

  /** Checks that the pool has all of its connections, and that none is in a transaction. */
  const checkPool = async (): Promise<void> => {
    const { pool } = opened.database
    await idle(opened.database)
    const all = await Promise.all(Array.from({ length: pool.size }, () => pool.reserve()))
    expect(all.map((one) => one.inTransaction)).toEqual(all.map(() => false))
    for (const connection of all) pool.release(connection)
  }

  test('a job exists exactly if its transaction committed', { timeout: 3_600_000 }, async () => {
    let last = 0
    const finished: JobRun[] = []
    const { database, beside, proxy } = opened
    const killer = name === 'pglite' ? undefined : beside
    await fc.assert(
      fc.asyncProperty(jobBatches, async ({ mixes: all, cutAt, cut }) => {
        let left = cutAt ?? Infinity
        if (proxy !== undefined) proxy.onClient = () => (left-- === 0 ? cut : 'pass')
        const batch = all.map((mix) => new JobRun((last += 1), database, killer, mix))
        await Promise.all(batch.map((run) => run.run()))
        if (proxy !== undefined) proxy.onClient = () => 'pass'
        await checkPool()
        for (const run of batch) {
          expect(run.allowed).toContainEqual(await stored(run))
          expect(run.callbacksMatch).toBe(true)
        }
        finished.push(...batch)
      }),
      { numRuns: killer === undefined ? Math.ceil(runs / 10) : runs },
    )
    // A COMMIT whose outcome was known has not arrived later.
    for (const run of finished) expect(run.allowed).toContainEqual(await stored(run))
  })
})
