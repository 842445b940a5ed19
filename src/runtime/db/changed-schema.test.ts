/** Statements that the server prepared before a schema change. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isRetryable, openDatabase, type Database } from '../db.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'

const read = { sql: 'select name from people order by name', parameters: [], name: 'names' }
const rename = {
  sql: 'update people set name = name || $1 returning name',
  parameters: ['!'],
  name: 'rename',
}
const one = { sql: 'select 1 as x', parameters: [] }

describe.skipIf(servers.length === 0).each([
  { path: 'with the internals of pg', plain: '' },
  { path: 'on the plain path of pg-internals', plain: '1' },
])('a schema change under prepared statements, $path', ({ plain }) => {
  let engine: OpenEngine
  let admin: Database
  let width = 50

  const run = (sql: string) => admin.query({ sql, parameters: [] })
  /** Changes the type of a column that the prepared statements return. */
  const widen = () => run(`alter table people alter column name type varchar(${++width})`)

  beforeAll(async () => {
    vi.stubEnv('FW_PG_PLAIN', plain)
    engine = await servers[0]!.open({ poolSize: 1 })
    admin = engine.database
    await run('create table people (name varchar(50))')
  })
  afterAll(async () => {
    await engine.close()
    vi.unstubAllEnvs()
  })

  const withPool = async (poolSize: number, work: (own: Database) => Promise<void>) => {
    await run(`truncate people`)
    await run(`insert into people values ('Ann')`)
    const own = await openDatabase({
      kind: 'postgres',
      url: (engine.settings as { url: string }).url,
      poolSize,
    })
    try {
      await work(own)
      expect(own.state).toMatchObject({ reserved: 0, waiting: 0 })
    } finally {
      await own.close()
    }
  }

  /** The backends of `count` connections, each with both statements prepared. */
  const warm = async (own: Database, count: number): Promise<void> => {
    const held = await Promise.all(Array.from({ length: count }, () => own.pool.reserve()))
    for (const connection of held) {
      await connection.query(read)
      await connection.query(rename)
    }
    for (const connection of held) own.pool.release(connection)
    await run(`update people set name = 'Ann'`)
  }

  test('single statements of every connection run again, without a further connection', () =>
    withPool(3, async (own) => {
      await warm(own, 3)
      const pids = { sql: 'select pg_backend_pid() as pid, pg_sleep(0.05)', parameters: [] }
      const backends = async () => {
        const answers = await Promise.all([1, 2, 3].map(() => own.query<{ pid: number }>(pids)))
        return answers.map(({ rows }) => rows[0]!.pid).sort((a, b) => a - b)
      }
      const before = await backends()
      for (let change = 0; change < 3; change++) {
        await widen()
        const answers = await Promise.all(Array.from({ length: 30 }, () => own.query(read)))
        for (const { rows } of answers) expect(rows).toEqual([{ name: 'Ann' }])
      }
      expect(await backends()).toEqual(before)
    }))

  test('a single write runs once', () =>
    withPool(1, async (own) => {
      await warm(own, 1)
      await widen()
      expect((await own.query(rename)).rows).toEqual([{ name: 'Ann!' }])
      expect((await own.query(read)).rows).toEqual([{ name: 'Ann!' }])
    }))

  test('the server keeps no outdated statements', () =>
    withPool(1, async (own) => {
      await warm(own, 1)
      for (let change = 0; change < 5; change++) {
        await widen()
        await own.query(read)
      }
      const sql = 'select count(*) as c from pg_prepared_statements'
      expect((await own.query({ sql, parameters: [] })).rows).toEqual([{ c: 1 }])
    }))

  test.each(['deallocate all', 'discard all'])(
    'statements lost by "%s" are prepared again',
    (sql) =>
      withPool(1, async (own) => {
        await warm(own, 1)
        await own.query({ sql, parameters: [] })
        const answers = await Promise.all([own.query(read), own.query(read), own.query(rename)])
        expect(answers.map(({ rows }) => rows)).toEqual([
          [{ name: 'Ann' }],
          [{ name: 'Ann' }],
          [{ name: 'Ann!' }],
        ])
      }),
  )

  test('the first statement of a transaction runs again in a new one', () =>
    withPool(1, async (own) => {
      await warm(own, 1)
      await widen()
      const level = await own.transaction(
        async () => {
          await own.query(rename)
          const sql = 'show transaction_isolation'
          return (await own.query({ sql, parameters: [] })).rows[0]
        },
        { isolation: 'repeatable read' },
      )
      expect(level).toEqual({ transaction_isolation: 'repeatable read' })
      expect((await own.query(read)).rows).toEqual([{ name: 'Ann!' }])
    }))

  test('a later statement fails its transaction with 503 db.schema-changed, which is retryable; the next one works', () =>
    withPool(1, async (own) => {
      await warm(own, 1)
      await widen()
      const twice = () =>
        own.transaction(async () => {
          await own.query(one)
          await own.query(rename)
        })
      const error: unknown = await twice().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 503, code: 'db.schema-changed' })
      expect(isRetryable(error)).toBe(true)
      await twice()
      expect((await own.query(read)).rows).toEqual([{ name: 'Ann!' }])
    }))

  test('a failure of one connection renews the statements of all', () =>
    withPool(2, async (own) => {
      await warm(own, 2)
      await widen()
      const [first, second] = [await own.pool.reserve(), await own.pool.reserve()]
      expect((await first.query(read)).rows).toEqual([{ name: 'Ann' }])
      await second.begin({})
      await second.query(one)
      expect((await second.query(rename)).rows).toEqual([{ name: 'Ann!' }])
      await second.rollback()
      for (const connection of [first, second]) own.pool.release(connection)
    }))

  test('an unknown statement of raw SQL is the error of that SQL', () =>
    withPool(1, async (own) => {
      const failing = own.query({ sql: 'execute nothing', parameters: [] })
      await expect(failing).rejects.toMatchObject({ code: 'db.query-failed', sqlState: '26000' })
    }))
})
