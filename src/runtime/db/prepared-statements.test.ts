/** What is sent for a prepared statement: its text and the request for its columns once on each connection. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PostgresProxy } from '../../../test/support/postgres-proxy.ts'
import { openDatabase, type Database } from '../db.ts'
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
})
