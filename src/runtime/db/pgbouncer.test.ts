/** Connections through pgbouncer in transaction mode, whose server connections belong to no client. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  canStartPgbouncer,
  startPgbouncer,
  type Pgbouncer,
} from '../../../test/support/pgbouncer.ts'
import { openDatabase, seed, Transaction, type Database } from '../db.ts'
import type { PostgresSettings } from './settings.ts'
import { emptyDatabaseOn, hasTestServer, type EmptyDatabase } from './test-server.fixture.ts'

const sql = (text: string, parameters: unknown[] = []) => ({ sql: text, parameters })

describe.skipIf(!(await hasTestServer()) || !canStartPgbouncer)('behind pgbouncer', () => {
  let own: EmptyDatabase
  let pooler: Pgbouncer
  let direct: Database
  const open: Database[] = []

  const connect = async (settings: Partial<PostgresSettings> = {}): Promise<Database> => {
    const database = await openDatabase({
      kind: 'postgres',
      url: pooler.url,
      prepare: false,
      ...settings,
    })
    open.push(database)
    return database
  }

  beforeAll(async () => {
    own = await emptyDatabaseOn('pooler')
    direct = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 1 })
    await direct.query(sql(`alter database ${own.name} set datestyle = 'SQL, DMY'`))
    await direct.query(sql(`alter database ${own.name} set bytea_output = 'escape'`))
    await direct.query(sql(`alter database ${own.name} set timezone = 'Asia/Tokyo'`))
    await direct.query(sql('create table t (n int primary key deferrable initially deferred)'))
    pooler = await startPgbouncer(own.url, 2)
  })
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close()
  })
  afterAll(async () => {
    await pooler.stop()
    await direct.close()
    await own.drop()
  })

  const current =
    sql(`select current_setting('datestyle') as style, current_setting('timezone') as zone,
    current_setting('statement_timeout') as timeout, '\\x00ff'::bytea as bytes`)
  const wanted = { style: 'ISO, DMY', zone: 'UTC', timeout: '7s', bytes: Uint8Array.of(0, 255) }

  test('the settings apply to single statements and to transactions', async () => {
    const database = await connect({ statementTimeout: 7000 })
    expect((await database.query(current)).rows).toEqual([wanted])
    const inside = await database.transaction(() => database.query(current))
    expect(inside.rows).toEqual([wanted])
  })

  test('also after the writes of a savepoint are undone with the whole transaction', async () => {
    const database = await connect({ statementTimeout: 7000 })
    const transaction = new Transaction(database, { beginsAtWrite: true })
    const savepoint = await transaction.savepoint()
    await transaction.query(sql('insert into t values (1)'))
    await savepoint.undo()
    expect((await transaction.query(current)).rows).toEqual([wanted])
    await transaction.rollback()
  })

  test('also in the seed after one that has changed them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-pooled-seeds-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'seed.sql'), 'set bytea_output = escape')
    writeFileSync(
      join(folder, 'seed.test.sql'),
      "create table seeded as select current_setting('timezone') as zone, '\\x00ff'::bytea::text as bytes",
    )
    const database = await connect()
    await seed(database, folder, ['test'])
    const { rows } = await database.query(sql('select * from seeded'))
    expect(rows).toEqual([{ zone: 'UTC', bytes: '\\x00ff' }])
  })

  test('the settings stay on no server connection', async () => {
    const database = await connect({ statementTimeout: 7000, poolSize: 4 })
    await Promise.all(Array.from({ length: 50 }, () => database.query(current)))
    await database.transaction(() => database.query(current))
    const plain = await connect({ statementTimeout: 0, poolSize: 4 })
    const answers = await Promise.all(Array.from({ length: 50 }, () => plain.query(current)))
    for (const { rows } of answers) expect(rows).toEqual([{ ...wanted, timeout: '0' }])
  })

  test('a replica whose URL has pgbouncer=true gets no prepared statements', async () => {
    const urls = [`${pooler.url}?pgbouncer=true`]
    const database = await connect({ url: own.url, prepare: true, replicas: { urls } })
    const { pool } = database.replicas!.states[0]!
    const named = { ...current, name: 'current settings' }
    const both = await Promise.all([pool.query(named), pool.query(named)])
    for (const { rows } of both) expect(rows).toEqual([{ ...wanted, timeout: '15s' }])
    const prepared = sql('select * from pg_prepared_statements')
    expect((await pool.query(prepared)).rows).toEqual([])
  })

  test('a slow single statement ends at its time limit', async () => {
    const database = await connect({ statementTimeout: 200 })
    await expect(database.query(sql('select pg_sleep(30)'))).rejects.toMatchObject({
      code: 'db.statement-timeout',
    })
  })

  test('a single statement fails with its error, also when a constraint is deferred', async () => {
    const database = await connect()
    await expect(database.query(sql('select 1 / $1::int', [0]))).rejects.toMatchObject({
      sqlState: '22012',
    })
    await database.query(sql('insert into t values (5)'))
    await expect(database.query(sql('insert into t values (5)'))).rejects.toMatchObject({
      sqlState: '23505',
    })
    expect((await database.query(sql('select n from t'))).rows).toEqual([{ n: 5 }])
  })

  test('a statement that refuses transactions runs without one', async () => {
    const database = await connect()
    await database.query(sql('create index concurrently t_n on t (n)'))
    await database.query(sql('vacuum t'))
  })

  test('single statements on shared connections have their own results', async () => {
    const database = await connect({ poolSize: 3 })
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        database.query<{ n: number }>(
          sql(n % 7 === 0 ? 'select nope' : 'select $1::int as n', n % 7 === 0 ? [] : [n]),
        ),
      ),
    )
    for (const [n, answer] of answers.entries()) {
      if (n % 7 === 0) expect(answer).toMatchObject({ reason: { sqlState: '42703' } })
      else expect(answer).toMatchObject({ value: { rows: [{ n }] } })
    }
    expect(database.state).toMatchObject({ reserved: 0, waiting: 0 })
  })

  test('an aborted transaction is cancelled, and its connections stay', async () => {
    const database = await connect({ poolSize: 1 })
    const controller = new AbortController()
    const work = database.transaction(
      async () => {
        await database.query(sql('insert into t values (9)'))
        const slow = database.query(sql('select pg_sleep(600)'))
        setImmediate(() => controller.abort(new Error('client gone')))
        await slow
      },
      { signal: controller.signal },
    )
    await expect(work).rejects.toThrow('client gone')
    expect((await database.query(sql('select n from t where n = 9'))).rows).toEqual([])
  })

  test('a database whose settings are right gets single statements as they are', async () => {
    const user = new URL(own.url).username
    const set = async (name: string, value: string) =>
      direct.query(sql(`alter role ${user} in database ${own.name} set ${name} = '${value}'`))
    await set('datestyle', 'ISO')
    await set('timezone', 'UTC')
    await set('bytea_output', 'hex')
    await set('statement_timeout', '15s')
    // pgbouncer keeps the settings of its first server connection.
    const fresh = await startPgbouncer(own.url, 2)
    onTestFinished(() => fresh.stop())
    const database = await connect({ url: fresh.url })
    const connection = await database.pool.reserve()
    database.pool.release(connection)
    expect(connection.beginSettings?.({})).toBeUndefined()
    expect((await database.query(current)).rows).toMatchObject([
      { ...wanted, style: expect.stringMatching(/^ISO/) as string, timeout: '15s' },
    ])
  })
})
