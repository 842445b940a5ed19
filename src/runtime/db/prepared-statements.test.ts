/** What is sent for a prepared statement: its text and the request for its columns once on each connection. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { PostgresProxy } from '../../../test/support/postgres-proxy.ts'
import { openDatabase, Transaction, withLocalSettings, type Database } from '../db.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'

describe.skipIf(servers.length === 0)('a prepared statement', () => {
  let engine: OpenEngine
  let proxy: PostgresProxy
  let database: Database
  let sent: string

  beforeAll(async () => {
    engine = await servers[0]!.open({ poolSize: 1 })
    proxy = new PostgresProxy((engine.settings as { url: string }).url)
    database = await openDatabase({ kind: 'postgres', url: await proxy.listen(), poolSize: 1 })
    await database.ping()
    proxy.onClient = (type) => {
      sent += type
      return 'pass'
    }
  })
  afterAll(async () => {
    await database.close()
    await proxy.close()
    await engine.close()
  })

  const rows = [
    { id: 1, at: '2026-03-01', bytes: new Uint8Array([0, 255]), nothing: null },
    { id: 2, at: '2026-03-02', bytes: new Uint8Array([0, 255]), nothing: null },
  ]
  const statement = {
    sql: `select id, date '2026-02-28' + id as at, $1::bytea as bytes, null as nothing from generate_series(1, 2) as id`,
    // Bytes that are a part of a larger block of memory.
    parameters: [new Uint8Array([7, 0, 255, 7]).subarray(1, 3)],
    name: 'rows',
  }
  const texts = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array || value === null ? value : JSON.parse(JSON.stringify(value)),
      ]),
    )

  test.each([
    { kind: 'objects', asArrays: false },
    { kind: 'arrays', asArrays: true },
  ])('returns the same $kind at each execution', async ({ kind, asArrays }) => {
    const run = () => database.query<object>({ ...statement, name: `rows as ${kind}`, asArrays })
    const results = []
    for (const messages of ['PBDES', 'BES', 'BES']) {
      sent = ''
      results.push(await run())
      expect(sent).toBe(messages)
    }
    for (const result of results) {
      expect(result).toMatchObject({ count: 2, command: 'SELECT' })
      expect(result.rows.map(texts)).toEqual(
        rows.map((row) => (asArrays ? { ...Object.values(row) } : row)),
      )
    }
  })

  test('has its own columns for objects and for arrays', async () => {
    for (const asArrays of [false, true, true, false]) {
      const { rows: found } = await database.query<object>({ ...statement, name: 'both', asArrays })
      expect(found.map((row) => Object.keys(row))).toEqual(
        Array.from({ length: 2 }, () => (asArrays ? ['0', '1', '2', '3'] : Object.keys(rows[0]!))),
      )
    }
  })

  test('is rejected for bytes that another thread owns, and the connection stays', async () => {
    await database.query(statement)
    const bytes = new Uint8Array(4)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
    await expect(database.query({ ...statement, parameters: [bytes] })).rejects.toThrow(/detached/)
    expect((await database.query(statement)).count).toBe(2)
    expect(database.state).toMatchObject({ open: 1, reserved: 0 })
  })

  test('counts the rows that it writes, also without columns', async () => {
    await database.query({ sql: 'create table counted (id integer)', parameters: [] })
    for (const count of [1, 2, 3]) {
      const insert = {
        sql: 'insert into counted select generate_series(1, $1::int)',
        parameters: [count],
        name: 'insert',
      }
      expect(await database.query(insert)).toEqual({ rows: [], count, command: 'INSERT' })
    }
  })

  describe('that is sent with COMMIT', () => {
    const insert = (n: number) => ({
      sql: 'insert into kept (n) values ($1)',
      parameters: [n],
      name: 'kept',
    })
    const late = (n: number) => ({
      ...insert(n),
      explainLate: (cause: unknown) => new Error('late', { cause }),
    })
    const final = (n: number) => ({ ...insert(n), isLastWrite: true, isFinal: true })
    /** Begins a transaction whose first write is `n`. */
    const begin = async (n: number): Promise<Transaction> => {
      const transaction = new Transaction(database, { beginsAtWrite: true })
      await transaction.query(insert(n))
      sent = ''
      return transaction
    }
    const numbers = async () =>
      (
        await database.query<{ n: number }>({
          sql: 'select n from kept order by n',
          parameters: [],
        })
      ).rows.map(({ n }) => n)

    beforeAll(async () => {
      await database.query({
        sql: `create table kept (n int primary key,
          other int references kept deferrable initially deferred)`,
        parameters: [],
      })
      await database.query(insert(0))
    })
    beforeEach(async () => {
      await database.query({ sql: 'delete from kept', parameters: [] })
    })

    test('shares one Sync with COMMIT', async () => {
      const transaction = await begin(1)
      await transaction.query(late(2))
      expect(sent).toBe('')
      await transaction.commit()
      expect(sent).toBe('BEPBES')
      expect(await numbers()).toEqual([1, 2])
    })

    test('is sent before any other statement, and not at all before a rollback', async () => {
      const transaction = await begin(1)
      await transaction.query(late(2))
      await transaction.query(insert(3))
      expect(sent).toBe('BESBES')
      await transaction.query(late(4))
      await transaction.savepoint()
      await transaction.query(late(5))
      await transaction.script('select 1')
      expect(sent).toBe('BESBESBESQBESQ')
      await transaction.rollback()
      const rolledBack = await begin(1)
      await rolledBack.query(late(2))
      await rolledBack.rollback()
      expect(sent).toBe('Q')
      expect(await numbers()).toEqual([])
    })

    test('shares COMMIT with the final statement, whose result is its own', async () => {
      const transaction = await begin(1)
      await transaction.query(late(2))
      transaction.isEnding = true
      expect(await transaction.query(final(3))).toEqual({ rows: [], count: 1, command: 'INSERT' })
      await transaction.commit()
      expect(sent).toBe('BEBEPBES')
      expect(await numbers()).toEqual([1, 2, 3])
    })

    test('is rolled back if it fails, with all other writes', async () => {
      const taken = { message: 'late', cause: { sqlState: '23505' } }
      const alone = await begin(1)
      await alone.query(late(1))
      await expect(alone.commit()).rejects.toMatchObject(taken)
      expect(sent).toBe('BEPBESQ')
      const before = await begin(1)
      await before.query(late(1))
      before.isEnding = true
      await expect(before.query(final(2))).rejects.toMatchObject(taken)
      await expect(before.commit()).rejects.toMatchObject(taken)
      const beside = await begin(1)
      await beside.query(late(2))
      beside.isEnding = true
      await expect(beside.query(final(1))).rejects.toMatchObject({ sqlState: '23505' })
      await expect(beside.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
      expect(database.state).toMatchObject({ open: 1, reserved: 0 })
    })

    test('is rolled back if COMMIT fails', async () => {
      const refused = await begin(1)
      await refused.query({ sql: 'update kept set other = 9', parameters: [] })
      await refused.query(late(2))
      await expect(refused.commit()).rejects.toMatchObject({
        code: 'db.commit-failed',
        cause: { sqlState: '23503' },
      })
      expect(await numbers()).toEqual([])
    })

    test.each([
      { reason: 'its columns have changed', change: 'alter table changed add other int' },
      { reason: 'the server has lost it', change: 'deallocate all' },
    ])('is rolled back and later prepared again if $reason', async ({ change }) => {
      const run = (sql: string) => database.query({ sql, parameters: [] })
      const returning = (n: number) => ({
        sql: 'insert into changed values ($1) returning *',
        parameters: [n],
        name: 'changed',
        explainLate: (error: unknown) => error,
      })
      await run('create table changed (n int)')
      onTestFinished(() => run('drop table changed').then(() => {}))
      await database.query(returning(1))
      await run(change)
      const refused = await begin(1)
      await refused.query(returning(2))
      await expect(refused.commit()).rejects.toMatchObject({ code: 'db.schema-changed' })
      expect(sent).toBe('BEPBESQ')
      expect(await numbers()).toEqual([])
      for (const [n, messages] of ['PBDESQ', 'BEPBES'].entries()) {
        const transaction = await begin(n)
        await transaction.query(returning(3))
        await transaction.commit()
        expect(sent).toBe(messages)
      }
      expect((await run('select n from changed')).rows).toEqual([{ n: 1 }, { n: 3 }, { n: 3 }])
      expect(database.state).toMatchObject({ open: 1, reserved: 0 })
    })

    test('has the local settings of its caller', async () => {
      const transaction = await begin(1)
      const insertSetting = {
        sql: "insert into kept (n) values (current_setting('app.n')::int)",
        parameters: [],
        name: 'setting',
        explainLate: (error: unknown) => error,
      }
      for (const n of [2, 3])
        await withLocalSettings({ 'app.n': n }, () => transaction.query(insertSetting))
      await transaction.commit()
      expect(await numbers()).toEqual([1, 2, 3])
    })
  })
})
