/**
 * Sends each random request twice: with a transaction that begins at the first write, and with BEGIN before the first
 * query. Results, visibility, rows and responses must be equal.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FwError, HttpError } from '../../src/runtime/base.ts'
import { routes } from '../../src/runtime/controller.ts'
import { type Database, openDatabase, QueryError, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { TxFirst } from '../support/data-app.ts'
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

interface Step {
  readonly kind: (typeof simpleKinds)[number] | 'nested' | 'kysely transaction'
  readonly n: number
  /** True if the action catches the error of the step. */
  readonly caught: boolean
  readonly steps: readonly Step[]
}

const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 6 }),
  step: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom(...simpleKinds),
        n: fc.nat(4),
        caught: fc.boolean(),
        steps: fc.constant([]),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('nested' as const, 'kysely transaction' as const),
        n: fc.constant(0),
        caught: fc.boolean(),
        steps: tie('steps'),
      }),
    },
  ),
}))

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
