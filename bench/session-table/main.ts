/**
 * Sessions in a large table: `npm run bench -- session-table [--sizes 10000,100000,1000000] [--rounds 50]`.
 *
 * 1. Creates a database and fills its session tables. Each session has one attribute and an owner; a tenth has expired.
 * 2. Runs each statement of the store in a transaction that is rolled back, and reports the rows that it reads, and the tables that
 *    it reads from end to end.
 * 3. Times the store itself: login, page, logout, and one batch of the sweep.
 *
 * The target: no statement reads a table from end to end, and none reads more rows than in the smallest table. `DATABASE_URL` names the server in which it creates the database.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn } from '../../src/runtime/db/test-server.fixture.ts'
import { DatabaseStore, sessionMigration } from '../../src/runtime/session.ts'
import { sessionSql, type SessionStatement } from '../../src/runtime/session/session-sql.ts'
import { estimate } from '../http/statistics.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    rounds: { type: 'string', default: '50' },
  },
})
const sizes = values.sizes.split(',').map(Number)
const rounds = Number(values.rounds)
/** As the sweep of an application. */
const batch = 1000

const fill = (size: number): readonly string[] => [
  `insert into fw_sessions (created_at, expire_at)
   select now() at time zone 'UTC', now() at time zone 'UTC'
     + case when n % 10 = 0 then interval '-1 hour' - n * interval '1 ms' else interval '30 minutes' + n * interval '1 ms' end
   from generate_series(1, ${size}) n`,
  `insert into servlet_sessions select md5(id::text), id, created_at from fw_sessions`,
  `insert into fw_session_attributes select id, 'userId', convert_to(id::text, 'UTF8') from fw_sessions`,
  `insert into fw_session_owners select id, 'user ' || id from fw_sessions`,
  // What autovacuum does some time later.
  'vacuum analyze',
]

/** The values of each statement, as SQL, for the living session `key`. */
const argumentsOf = (key: number): Readonly<Partial<Record<SessionStatement, string>>> => ({
  read: `md5('${key}'), 1800, 43200, 60`,
  create: `md5('new'), '{userId}', '{1}', 'user 1', 1800, 43200`,
  replace: `${key}, 'userId', '2'`,
  save: `${key}, '{cart}', '{[]}', '{}', null`,
  saveAndTouch: `${key}, '{cart}', '{[]}', '{}', null, 1800, 43200`,
  renewId: `md5('${key}'), md5('new'), ${key}`,
  renewSession: `md5('${key}'), md5('new'), ${key}, 1800, 43200`,
  endSession: `${key}`,
  endSessionsOf: `'user ${key}', null`,
  sweep: `${batch}`,
})

interface Work {
  /** Rows that were read, by scans and by indexes. */
  readonly rows: number
  /** The tables that were read from end to end. */
  readonly scanned: readonly string[]
}

/** PostgreSQL chooses between a plan for the values and a generic one after five runs of a prepared statement. */
const runsBefore = 6

async function measureWork(client: pg.Client, name: string, values: string): Promise<Work> {
  const read = async (): Promise<readonly Row[]> => {
    // The counters of earlier transactions may still be among them.
    const sql = `select relname as name, seq_scan::int as scans,
      (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables order by relid`
    return (await client.query<Row>(sql)).rows
  }
  let tables: readonly Row[] = []
  for (let run = 0; run <= runsBefore; run++) {
    await client.query('begin')
    const before = await read()
    await client.query(`execute "${name}" (${values})`)
    const after = await read()
    await client.query('rollback')
    tables = after.map(({ name, scans, rows }, at) => ({
      name,
      scans: scans - before[at]!.scans,
      rows: rows - before[at]!.rows,
    }))
  }
  return {
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    scanned: tables.filter(({ scans }) => scans > 0).map(({ name }) => name),
  }
}

interface Row {
  readonly name: string
  readonly scans: number
  readonly rows: number
}

const median = (figures: readonly number[]): string => {
  const { median, low, high } = estimate(figures)
  return `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}) ms`
}

async function timed(times: number[], work: () => Promise<unknown>): Promise<void> {
  const started = performance.now()
  await work()
  times.push(performance.now() - started)
}

/** Times of the store, over one connection. */
async function timeStore(url: string): Promise<string> {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  const store = new DatabaseStore(database)
  await store.check()
  const times: Record<'login' | 'page' | 'logout' | 'sweep', number[]> = {
    login: [],
    page: [],
    logout: [],
    sweep: [],
  }
  for (let round = 0; round < rounds; round++) {
    const visitor = await store.create({ attributes: new Map([['cart', '[]']]), owner: undefined })
    let session = visitor
    await timed(times.login, async () => {
      session = (await store.renewSession(visitor, false))!
      await store.save(session, { attributes: new Map([['userId', '1']]), owner: 'user' })
    })
    await timed(times.page, () => store.read(session.id))
    await timed(times.logout, () => store.endSession(session))
  }
  for (;;) {
    let swept = 0
    await timed(times.sweep, async () => {
      swept = await store.sweep(batch)
    })
    if (swept < batch || times.sweep.length === rounds) break
  }
  await database.close()
  return Object.entries(times)
    .map(([name, all]) => `${name} ${median(all)}`)
    .join(', ')
}

const firstRows = new Map<string, number>()
let isReached = true
for (const size of sizes) {
  const { url, drop } = await emptyDatabaseOn('session_table_bench')
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const sql of [...sessionMigration.up, ...fill(size)]) await client.query(sql)
    const key = Math.floor(size / 2) + 1
    const parts: string[] = []
    for (const [name, given] of Object.entries(argumentsOf(key))) {
      await client.query(`prepare "${name}" as ${sessionSql[name as SessionStatement]}`)
      const { rows, scanned } = await measureWork(client, name, given)
      const first = firstRows.get(name) ?? rows
      firstRows.set(name, first)
      // PostgreSQL rightly reads a table of a few pages as a whole.
      if (size >= 100_000 && (rows > first || scanned.length > 0)) isReached = false
      parts.push(`${name} ${rows}${scanned.length > 0 ? ` (reads all of ${scanned.join()})` : ''}`)
    }
    console.log(`${size} sessions, rows read: ${parts.join(', ')}`)
    console.log(`${size} sessions: ${await timeStore(url)}; load ${loadavg()[0]!.toFixed(1)}`)
  } finally {
    await client.end()
    await drop()
  }
}
console.log(
  `${isReached ? 'reached' : 'MISSED'}: no statement reads more rows than in the smallest table, or all of a table`,
)
if (!isReached) process.exitCode = 1
