/** The work of the database store does not grow with the number of sessions. */
import { expect, onTestFinished, test } from 'vitest'
import { openInMemory } from '../db/engines.fixture.ts'
import { DatabaseStore } from './database-store.ts'
import { sessionMigration } from './session-sql.ts'

const fill = [
  `insert into fw_sessions (created_at, expire_at)
   select 'epoch', case when n <= 1000 then timestamp '2026-01-01' else timestamp '2999-01-01' end
   from generate_series(1, 8000) n`,
  'insert into servlet_sessions select md5(id::text), id, created_at from fw_sessions',
  `insert into fw_session_attributes select id, 'userId', 'x' from fw_sessions`,
  `insert into fw_session_owners select id, 'user' from fw_sessions where id % 2 = 0`,
  'analyze',
]

test('a sweep reads the records that it removes, and no table from end to end', async () => {
  const database = await openInMemory()
  onTestFinished(() => database.close())
  const query = async <Row>(sql: string) =>
    (await database.query<Row>({ sql, parameters: [] })).rows
  for (const sql of [...sessionMigration.up, ...fill]) await query(sql)
  const store = new DatabaseStore(database)
  await store.check()
  const rowsRead = async () => {
    const [row] = await query<{ rows: number }>(
      'select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables',
    )
    return row!.rows
  }
  await database.transaction(async () => {
    const before = await rowsRead()
    expect(await store.sweep(500)).toBe(500)
    // Each table has one row for a record, and `fw_sessions` is read twice.
    expect((await rowsRead()) - before).toBeLessThanOrEqual(3000)
  })
  expect(await store.sweep(5000)).toBe(500)
  expect(await store.sweep(5000)).toBe(0)
})
