/** A transaction that begins with its first write: what waits outside, what begins it, and what must not change. */
import { sql as raw, type Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { model } from '../model.ts'
import { ParamType } from '../params.ts'
import type { AnyTables } from './database.ts'
import {
  type Database,
  isolateDatabase,
  openDatabase,
  runInTransaction,
  Transaction,
  type TransactionOptions,
  useDatabase,
} from '../db.ts'
import { enginesAndPooler, servers, type OpenEngine } from './engines.fixture.ts'

const T = model('t', { n: ParamType.Int }, { primaryKey: 'n' })
const Child = model('child', { n: ParamType.Int }, { primaryKey: 'n' })

const insert = (n: number) => ({
  sql: 'insert into t (n) values ($1)',
  parameters: [n],
  name: 'insert',
})
const read = { sql: 'select n from t order by n', parameters: [], isRead: true }
const failing = { sql: `select 'x'::int`, parameters: [], isRead: true }

type Work = (kysely: Kysely<AnyTables>) => Promise<unknown>

const reads: Readonly<Record<string, Work>> = {
  'findAll of a model': () => T.findAll(),
  'findById of a model': () => T.findById(1),
  'findBy of a model': () => T.findBy({ n: 1 }),
  'findPage of a model': () => T.findPage({ page: 1, size: 2 }),
  'count of a model': () => T.count(),
  'conditions, order, limit of a model': () =>
    T.where('n', '>', 0).where('n', 'in', []).orderBy('n', 'desc').limit(1).findAll(),
  'count and exists of a condition': () =>
    Promise.all([T.where({ n: 1 }).count(), T.where({ n: 1 }).exists()]),
  'a page by key of a model, with filters, a search and a count': async () => {
    const request = { size: 1, filters: { n: 1 }, search: undefined }
    await Promise.all([T.paginate(request), T.paginate({ size: 1, before: '' })])
  },
  'a join of a model': () =>
    T.query()
      .modify((query) => query.innerJoin('child' as never, 'child.n' as never, 't.n'))
      .findAll(),
  'a Kysely select': (k) =>
    k.selectFrom('t').selectAll().distinct().where('n', '>', 1).orderBy('n', 'asc').execute(),
  'a Kysely select with a reading CTE, a subquery and a union': (k) =>
    k
      .with('other', (db) => db.selectFrom('child').select('n'))
      .selectFrom('other')
      .select('n')
      .where((eb) => eb.exists(eb.selectFrom('t').select('n').whereRef('t.n', '=', 'other.n')))
      .union(k.selectFrom('t').select('n'))
      .execute(),
  'a Kysely value that looks like a node': (k) =>
    k
      .selectFrom('t')
      .selectAll()
      .where('n', '=', Object.assign([], { kind: 'RawNode' }) as never)
      .execute()
      .catch(() => {}),
}

const writes: Readonly<Record<string, Work>> = {
  'a raw statement': () => currentQuery('select 1'),
  'set local': () => currentQuery(`set local lock_timeout = '1s'`),
  'findByIdForUpdate of a model': () => T.findByIdForUpdate(1),
  'a model query with a lock': () =>
    T.where({ n: 1 })
      .modify((query) => query.forUpdate())
      .findAll(),
  'a model query with raw SQL': () => T.where(() => raw<boolean>`n > 0`).findAll(),
  'a model query with a function': () =>
    T.where((eb) => eb(eb.fn<number>('abs', ['n']), '>', 0)).findAll(),
  'a Kysely insert': (k) => k.insertInto('t').values({ n: 1 }).execute(),
  'a Kysely select with a writing CTE': (k) =>
    k
      .with('gone', (db) => db.deleteFrom('t').returning('n'))
      .selectFrom('gone')
      .select('n')
      .execute(),
  'a Kysely select for share': (k) => k.selectFrom('t').selectAll().forShare().execute(),
  'a Kysely select with raw SQL': (k) =>
    k
      .selectFrom('t')
      .select(raw<number>`txid_current()`.as('x'))
      .execute(),
  'a Kysely select with a function': (k) =>
    k
      .selectFrom('t')
      .select((eb) => eb.fn<number>('abs', ['n']).as('x'))
      .execute(),
  'a Kysely select with an aggregate': (k) =>
    k
      .selectFrom('t')
      .select((eb) => eb.fn.countAll().as('c'))
      .execute(),
  'a Kysely explain': (k) =>
    k
      .selectFrom('t')
      .selectAll()
      .explain('text', raw`analyze`),
  'a Kysely raw query': (k) => raw`select 1`.execute(k),
  'a Kysely update': (k) => k.updateTable('t').set({ n: 1 }).execute(),
}

let current: Database
const currentQuery = (sql: string) => current.query({ sql, parameters: [] })

describe.each(enginesAndPooler)(
  'a transaction that begins at its first write on $name',
  ({ name, open }) => {
    let engine: OpenEngine
    let database: Database

    beforeAll(async () => {
      engine = await open({ poolSize: 2, acquireTimeout: 5000 })
      current = database = engine.database
      useDatabase(database)
      await database.query({ sql: 'create table t (n int primary key)', parameters: [] })
      await database.query({
        sql: 'create table child (n int references t (n) deferrable initially deferred)',
        parameters: [],
      })
    })
    beforeEach(async () => {
      current = database
      await database.query({ sql: 'truncate t, child', parameters: [] })
    })
    afterAll(async () => {
      useDatabase(undefined)
      await engine.close()
    })

    const numbers = async () => (await database.query<{ n: number }>(read)).rows.map(({ n }) => n)
    const begin = (options: TransactionOptions = {}) =>
      new Transaction(database, { beginsAtWrite: true, ...options })

    /** Whether the work began the transaction. */
    const begins = async (work: Work, options?: TransactionOptions): Promise<boolean> => {
      const transaction = begin(options)
      await runInTransaction(transaction, () => work(database.kysely))
      const { begun } = transaction
      expect(database.state.reserved).toBe(begun ? 1 : 0)
      await transaction.rollback()
      return begun
    }

    test.each(Object.entries(reads))('waits: %s', async (_name, work) => {
      await database.query(insert(1))
      expect(await begins(work)).toBe(false)
    })

    test.each(Object.entries(writes))('begins: %s', async (_name, work) => {
      expect(await begins(work)).toBe(true)
    })

    test.each<[string, TransactionOptions]>([
      ['repeatable read', { isolation: 'repeatable read' }],
      ['serializable', { isolation: 'serializable' }],
      ['read-only mode', { readOnly: true }],
      ['no time limit', { unlimited: true }],
      ['no wish for it', { beginsAtWrite: false }],
    ])('begins with a read: %s', async (_name, options) => {
      expect(await begins(() => T.findAll(), options)).toBe(true)
      expect(await begins(() => T.findAll(), { isolation: 'read committed' })).toBe(false)
    })

    const lastWrite = (n: number) => ({ ...insert(n), isLastWrite: true })

    test('the last write needs no BEGIN if it is the only one', async () => {
      const transaction = begin()
      await transaction.query(read)
      await transaction.query(lastWrite(1))
      expect(transaction).toMatchObject({ begun: false, hasWritten: true })
      expect(transaction.commitUnused()).toBe(true)
      expect(await numbers()).toEqual([1])
    })

    test('the last write shares the fate of earlier writes', async () => {
      const transaction = begin()
      await transaction.query(insert(1))
      await transaction.query(lastWrite(2))
      await transaction.rollback()
      expect(await numbers()).toEqual([])
    })

    describe('a final statement at the end of a request', () => {
      const final = (n: number) => ({ ...insert(n), isLastWrite: true, isFinal: true })
      const beginEnd = async (options?: TransactionOptions): Promise<Transaction> => {
        const transaction = begin(options)
        await transaction.query(insert(1))
        transaction.isEnding = true
        return transaction
      }

      test('is sent with COMMIT, which commit confirms', async () => {
        const transaction = await beginEnd()
        const callbacks: string[] = []
        transaction.afterCommit(() => callbacks.push('after'))
        await transaction.query(final(2))
        expect(transaction).toMatchObject({ active: false, committed: false })
        await expect(transaction.query(insert(3))).rejects.toMatchObject({
          code: 'db.transaction-ended',
        })
        expect(callbacks).toEqual([])
        await transaction.commit()
        expect(transaction.committed).toBe(true)
        expect(callbacks).toEqual(['after'])
        expect(await numbers()).toEqual([1, 2])
        expect(database.state.reserved).toBe(0)
      })

      test('rolls all back if it fails', async () => {
        const transaction = await beginEnd()
        await expect(transaction.query(final(1))).rejects.toMatchObject({
          code: 'db.query-failed',
        })
        await transaction.rollback()
        expect(transaction.committed).toBe(false)
        expect(database.state.reserved).toBe(0)
        expect(await numbers()).toEqual([])
      })

      test('sends no COMMIT if a value is invalid', async () => {
        const transaction = await beginEnd()
        const invalid = { ...final(2), parameters: [Symbol('no value')] }
        await expect(transaction.query(invalid)).rejects.toMatchObject({
          code: 'db.parameter-invalid',
        })
        expect(transaction.active).toBe(true)
        await transaction.rollback()
        expect(await numbers()).toEqual([])
      })

      test('sends no COMMIT if an earlier write failed that was not waited for, also after a savepoint', async () => {
        const transaction = begin()
        await transaction.query(insert(1))
        const explainLate = (cause: unknown): unknown => new Error('late', { cause })
        // JavaScript cannot represent the returned value, so that the server continues.
        const sql = `insert into t (n) values (2) returning 'infinity'::date`
        await transaction.query({ sql, parameters: [], explainLate })
        await expect(transaction.nested(() => Promise.resolve())).rejects.toThrow()
        transaction.isEnding = true
        await transaction.query(final(3)).catch(() => {})
        await expect(transaction.commit()).rejects.toMatchObject({ message: 'late' })
        expect(await numbers()).toEqual([])
      })

      test('makes commit fail if the database refuses the COMMIT', async () => {
        const transaction = begin()
        await transaction.query({ sql: 'insert into child (n) values (9)', parameters: [] })
        transaction.isEnding = true
        await transaction.query(final(2))
        await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
        await transaction.rollback()
        expect(await numbers()).toEqual([])
      })

      test('does not commit before the end of the request, nor after rollbackOnly or a failure', async () => {
        const early = begin()
        await early.query(insert(1))
        await early.query(final(2))
        await early.rollback()
        const refused = await beginEnd()
        refused.rollbackOnly()
        await refused.query(final(3))
        await refused.commit()
        const failed = await beginEnd()
        await failed.query(insert(1)).catch(() => {})
        await failed.query(final(4)).catch(() => {})
        await expect(failed.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
        expect(await numbers()).toEqual([])
      })
    })

    test('the last write is rolled back after rollbackOnly, and in other modes', async () => {
      const refused = begin()
      refused.rollbackOnly()
      await refused.query(lastWrite(1))
      await refused.commit()
      const strict = begin({ isolation: 'serializable' })
      await strict.query(lastWrite(2))
      await strict.rollback()
      expect(await numbers()).toEqual([])
    })

    test('a failed last write leaves nothing to commit', async () => {
      const transaction = begin()
      await database.query(insert(1))
      await expect(transaction.query(lastWrite(1))).rejects.toMatchObject({
        code: 'db.query-failed',
      })
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
    })

    test('begins with a read in the database of one test', async () => {
      const { database: isolated, end } = await isolateDatabase(database)
      const transaction = new Transaction(isolated, { beginsAtWrite: true })
      await transaction.query(read)
      expect(transaction.begun).toBe(true)
      await transaction.rollback()
      await end()
    })

    test('with reads alone, commit and rollback use no connection; callbacks run', async () => {
      const seen: string[] = []
      for (const end of ['commit', 'rollback'] as const) {
        const transaction = begin()
        transaction.afterCommit(() => seen.push(end))
        await transaction.query(read)
        const taken = [await database.pool.reserve()]
        if (name !== 'pglite') taken.push(await database.pool.reserve())
        await transaction[end]()
        for (const connection of taken) database.pool.release(connection)
        await expect(transaction.query(read)).rejects.toMatchObject({
          code: 'db.transaction-ended',
        })
      }
      expect(seen).toEqual(['commit'])
    })

    test('a transaction that only read ends without a promise', async () => {
      for (const isRollback of [false, true]) {
        const transaction = begin()
        await transaction.query(read)
        if (isRollback) transaction.rollbackOnly()
        expect(transaction.commitUnused()).toBe(true)
        expect(transaction.commitUnused()).toBe(false)
        await expect(transaction.query(read)).rejects.toMatchObject({
          code: 'db.transaction-ended',
          message: expect.stringContaining(isRollback ? 'rolled back' : 'committed'),
        })
      }
    })

    test.each<[string, (transaction: Transaction) => unknown]>([
      ['a write', (transaction) => transaction.query(insert(1))],
      ['a failed read', (transaction) => transaction.query(failing).catch(() => {})],
      ['a read in flight', (transaction) => void transaction.query(read).catch(() => {})],
      ['a callback', (transaction) => transaction.afterCommit(() => {})],
    ])('after %s it is not unused', async (_name, work) => {
      const transaction = begin()
      await work(transaction)
      expect(transaction.commitUnused()).toBe(false)
      expect(transaction.active).toBe(true)
      await transaction.rollback()
    })

    test('reads after the first write see it, and nobody else does before COMMIT', async () => {
      const transaction = begin()
      expect((await transaction.query(read)).rows).toEqual([])
      await transaction.query(insert(1))
      expect((await transaction.query(read)).rows).toEqual([{ n: 1 }])
      await transaction.rollback()
      expect(await numbers()).toEqual([])
    })

    test('a read that failed aborts it: later statements fail, and the commit does', async () => {
      const transaction = begin()
      await expect(transaction.query(failing)).rejects.toMatchObject({ sqlState: '22P02' })
      for (const statement of [read, insert(1)])
        await expect(transaction.query(statement)).rejects.toMatchObject({ sqlState: '25P02' })
      await expect(transaction.savepoint()).rejects.toMatchObject({ sqlState: '25P02' })
      await expect(transaction.commit()).rejects.toMatchObject({
        code: 'db.commit-failed',
        cause: { sqlState: '22P02' },
      })
      expect(await numbers()).toEqual([])
      expect(database.state.reserved).toBe(0)
    })

    test('a write waits for the reads before it, and fails after the failure of one', async () => {
      const transaction = begin()
      const all = await Promise.allSettled([
        transaction.query(failing),
        transaction.query(insert(1)),
      ])
      expect(all).toMatchObject([
        { reason: { sqlState: '22P02' } },
        { reason: { sqlState: '25P02' } },
      ])
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
    })

    test('a commit waits for reads that nobody awaited', async () => {
      const transaction = begin()
      void transaction.query(failing).catch(() => {})
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
    })

    describe('a savepoint before the first write', () => {
      const nested = (transaction: Transaction, work: () => Promise<unknown>) =>
        runInTransaction(transaction, () => database.transaction(work))

      test('of reads sends nothing; a failure inside is undone', async () => {
        const transaction = begin()
        await nested(transaction, () => T.findAll())
        const failed = nested(transaction, () => transaction.query(failing))
        await expect(failed).rejects.toMatchObject({ sqlState: '22P02' })
        expect(transaction.begun).toBe(false)
        await transaction.query(insert(1))
        await transaction.commit()
        expect(await numbers()).toEqual([1])
      })

      test('that fails undoes its writes and its callbacks, and the transaction goes on', async () => {
        const seen: string[] = []
        const transaction = begin()
        const failed = nested(transaction, async () => {
          await transaction.query(insert(1))
          transaction.afterCommit(() => seen.push('inner'))
          await transaction.query(insert(1))
        })
        await expect(failed).rejects.toMatchObject({ sqlState: '23505' })
        expect(transaction.inTransaction).toBe(true)
        await nested(transaction, () => transaction.query(insert(2)))
        const again = nested(transaction, async () => {
          await transaction.query(insert(3))
          throw new Error('again')
        })
        await expect(again).rejects.toThrow('again')
        await transaction.commit()
        expect(await numbers()).toEqual([2])
        expect(seen).toEqual([])
      })

      test('at any depth undoes its part alone', async () => {
        const transaction = begin()
        await nested(transaction, async () => {
          await nested(transaction, async () => {
            await transaction.query(insert(1))
            throw new Error('inner')
          }).catch(() => {})
          await transaction.query(insert(2))
          await nested(transaction, async () => {
            await transaction.query(insert(3))
            throw new Error('second')
          }).catch(() => {})
        })
        await transaction.commit()
        expect(await numbers()).toEqual([2])
      })

      test('whose failed read was swallowed fails at its end', async () => {
        const transaction = begin()
        const work = nested(transaction, () => transaction.query(failing).catch(() => {}))
        await expect(work).rejects.toMatchObject({ code: 'db.commit-failed' })
        await nested(transaction, () => Child.findAll())
        await transaction.commit()
      })
    })

    test('an aborted signal rejects the next read with its reason', async () => {
      const controller = new AbortController()
      const transaction = begin({ signal: controller.signal })
      await transaction.query(read)
      controller.abort(new Error('client gone'))
      await expect(transaction.query(read)).rejects.toThrow('client gone')
      await expect(transaction.query(insert(1))).rejects.toThrow('client gone')
      await transaction.rollback()
    })

    test('after an aborted signal the commit fails, and no callback runs', async () => {
      const controller = new AbortController()
      const transaction = begin({ signal: controller.signal })
      transaction.afterCommit(() => expect.unreachable())
      await transaction.query(read)
      controller.abort(new Error('client gone'))
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.transaction-ended' })
    })
  },
)

describe.each(servers)('on a server', ({ open }) => {
  test('a database whose transactions are stricter begins them with a read', async () => {
    const { database, settings, close } = await open()
    onTestFinished(close)
    await database.query({
      sql: `do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database()); end $$`,
      parameters: [],
    })
    const strict = await openDatabase(settings)
    await strict.ping()
    const transaction = new Transaction(strict, { beginsAtWrite: true })
    await transaction.query({ ...read, sql: 'select 1' })
    expect(transaction.begun).toBe(true)
    await transaction.rollback()
    await strict.close()
  })

  test('an abort cancels a read, unless another statement waits on its connection', async () => {
    const { database, close } = await open({ poolSize: 1 })
    onTestFinished(close)
    const slow = { sql: 'select pg_sleep(30)', parameters: [], isRead: true }
    await database.ping()
    const controller = new AbortController()
    const transaction = new Transaction(database, {
      beginsAtWrite: true,
      signal: controller.signal,
    })
    const cancelled = transaction.query(slow)
    controller.abort(new Error('client gone'))
    await expect(cancelled).rejects.toThrow('client gone')
    await transaction.rollback()
    await database.ping()

    const second = new AbortController()
    const sharing = new Transaction(database, { beginsAtWrite: true, signal: second.signal })
    const own = sharing.query({ ...slow, sql: 'select pg_sleep(0.05)' })
    const other = database.query({ sql: 'select 1 as one', parameters: [] })
    second.abort(new Error('client gone'))
    await expect(own).rejects.toThrow('client gone')
    expect((await other).rows).toEqual([{ one: 1 }])
  })
})
