/**
 * Tests a fail-over from a primary to its synchronous standby, behind haproxy. Writes continue after it, and no
 * acknowledged write is lost.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/runtime/controller.ts'
import { currentDatabase, openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { job, jobMigration, runJobs } from '../../src/runtime/jobs.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { eventually, serveData, TxFirst } from '../support/data-app.ts'
import { canStartHaproxy, Haproxy } from '../support/haproxy.ts'
import { canStartPostgres, PostgresServer } from '../support/postgres-server.ts'

const Effect = job('effect', { n: ParamType.Int }, ({ n }) =>
  currentDatabase().query({ sql: 'insert into effects values ($1)', parameters: [n] }),
)
const write = routes(class extends TxFirst {}, (r) => ({
  write: r.post('/notes/:n', async (c) => {
    const n = Number(c.params.get('n'))
    await currentDatabase().query({ sql: 'insert into notes values ($1)', parameters: [n] })
    if (n >= 1000) await Effect.enqueue({ n })
    return 'written'
  }),
}))

describe.skipIf(!canStartPostgres || !canStartHaproxy)('behind haproxy', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let haproxy: Haproxy
  let admin: Database
  const open: Database[] = []

  const direct = async (server: PostgresServer): Promise<Database> => {
    const database = await openDatabase({ kind: 'postgres', url: server.url, poolSize: 1 })
    open.push(database)
    return database
  }
  const run = (database: Database, sql: string) => database.query({ sql, parameters: [] })

  beforeAll(async () => {
    primary = await PostgresServer.start()
    admin = await direct(primary)
    const tables = ['create table notes (n int primary key)', 'create table effects (n int)']
    for (const sql of [...sessionMigration.up, ...jobMigration.up, ...tables]) await run(admin, sql)
    standby = await primary.startStandby()
    haproxy = await Haproxy.start([primary.url, standby.url])
  }, 120_000)
  afterAll(async () => {
    for (const database of open.splice(0)) await database.close()
    await haproxy?.stop()
    standby?.remove()
    primary?.remove()
  })

  const serve = () => serveData([write], haproxy.route(primary.url), { poolSize: 4 })
  const post = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }

  test('connections to a standby are replaced once the address leads to the primary again', async () => {
    const app = await serve()
    let n = 0
    const status = async () => (await app.send(`/notes/${n++}`, post)).status
    await eventually(status).toBe(200)
    haproxy.primary = 1
    const sessions = `select pg_terminate_backend(pid, 2000) from pg_stat_activity where application_name = 'fw' and pid <> pg_backend_pid()`
    await eventually(async () => {
      await run(admin, sessions)
      const { rows } = await app.database
        .query({ sql: 'select pg_is_in_recovery() as x', parameters: [] })
        .catch(() => ({ rows: [] }))
      return rows
    }).toEqual([{ x: true }])
    expect(await status()).toBe(503)
    haproxy.primary = 0
    await eventually(status).toBe(200)
    await eventually(async () => {
      const statuses = await Promise.all(Array.from({ length: 12 }, status))
      return new Set(statuses)
    }).toEqual(new Set([200]))
  })

  test('within two seconds after a fail-over writes succeed, and each acknowledged one is kept with its job', async () => {
    await run(admin, `alter system set synchronous_standby_names = '*'`)
    await run(admin, 'select pg_reload_conf()')
    const state = 'select sync_state from pg_stat_replication'
    await eventually(async () => (await run(admin, state)).rows).toEqual([{ sync_state: 'sync' }])
    const app = await serve()
    const acknowledged: number[] = []
    const statuses = new Set<number>()
    let next = 1000
    const end = new AbortController()
    const writer = async () => {
      while (!end.signal.aborted) {
        const n = next++
        const { status } = await app.send(`/notes/${n}`, post)
        statuses.add(status)
        if (status === 200) acknowledged.push(n)
      }
    }
    const writers = Array.from({ length: 8 }, writer)
    await eventually(() => acknowledged.length).toBeGreaterThan(100)
    await primary.failOverTo(standby)
    haproxy.primary = 1
    const switched = performance.now()
    const first = next
    await eventually(() => acknowledged.some((n) => n >= first)).toBe(true)
    expect(performance.now() - switched).toBeLessThan(2_000)
    await eventually(() => acknowledged.filter((n) => n >= first).length).toBeGreaterThan(100)
    end.abort()
    await Promise.all(writers)
    const promoted = await direct(standby)
    const kept = await run(promoted, 'select n from notes where n >= 1000')
    const numbers = new Set(kept.rows.map(({ n }) => n as number))
    expect(acknowledged.filter((n) => !numbers.has(n))).toEqual([])
    useDatabase(promoted)
    await runJobs()
    useDatabase(undefined)
    const effects = (await run(promoted, 'select n from effects')).rows.map(({ n }) => n as number)
    expect(new Set(effects)).toEqual(numbers)
    expect(effects.length).toBe(numbers.size)
    // The status is 500 if the connection was lost before or during COMMIT.
    for (const status of statuses) expect([200, 500, 503]).toContain(status)
    await app.idle()
  })
})
