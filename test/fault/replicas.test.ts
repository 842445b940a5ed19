/**
 * Tests read-only routes on a streaming standby: clients read their own writes, and a replica that lags or is down is
 * skipped. Writes go to the primary.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ErrorPageFilter, FwSessionFilter, transaction } from '../../src/runtime/feature.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import {
  currentDatabase,
  openDatabase,
  registeredDatabase,
  type Database,
} from '../../src/runtime/db.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { eventually } from '../support/data-app.ts'
import { canStartPostgres, PostgresServer } from '../support/postgres-server.ts'
import { startWithSessions } from '../support/session-app.ts'

const ask = (sql: string) => currentDatabase().query({ sql, parameters: [] })

class Notes extends mix(
  FwController,
  FwSessionFilter,
  ErrorPageFilter,
  transaction(),
  transaction({ only: ['report', 'refused', 'slow'], readOnly: true }),
  transaction({ only: ['strict'], readOnly: true, isolation: 'serializable' }),
) {
  readonly #place = 'select pg_is_in_recovery() as x, (select count(*)::int from notes) as n'

  async report() {
    const { rows } = await ask(this.#place)
    return rows[0]
  }
  async strict() {
    const { rows } = await ask(this.#place)
    return rows[0]
  }
  async usual() {
    const { rows } = await ask(this.#place)
    return rows[0]
  }
  async write() {
    await ask('insert into notes values (1)')
    return 'written'
  }
  async visit() {
    await ask('insert into notes values (1)')
    return 'counted'
  }
  async refused() {
    await ask('insert into notes values (1)')
    return 'written'
  }
  async slow() {
    const { rows } = await ask('select pg_is_in_recovery() as x')
    if (rows[0]!['x'] === true) await ask('select pg_terminate_backend(pg_backend_pid())')
    return rows[0]
  }
  async note() {
    this.session.set('name', 'Ann')
    return 'noted'
  }
  async named() {
    const { rows } = await ask('select pg_is_in_recovery() as x')
    const seen = this.session.has('seen')
    this.session.set('seen', true)
    return { ...rows[0], name: this.session.get('name'), seen }
  }
}

describe.skipIf(!canStartPostgres)('an application with a read replica', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  let direct: Database
  let standbyDirect: Database
  let app: Awaited<ReturnType<typeof start>>
  const run = (database: Database, sql: string) => database.query({ sql, parameters: [] })

  const notes = routes(Notes, (r) => ({
    report: r.get('/report', 'report'),
    usual: r.get('/usual', 'usual'),
    strict: r.get('/strict', 'strict'),
    write: r.post('/notes', 'write'),
    visit: r.get('/visit', 'visit'),
    refused: r.get('/refused', 'refused'),
    slow: r.get('/slow', 'slow'),
  }))
  const sessions = routes(
    class extends mix(Notes, transaction({ only: ['named'], readOnly: true })) {},
    (r) => ({ note: r.post('/session', 'note'), named: r.get('/named', 'named') }),
  )

  async function start() {
    return startWithSessions([notes, sessions], {
      configuration: {
        secretKeyBase: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5',
        metrics: { enabled: true, port: 0 },
        db: {
          default: {
            url: primary.url,
            replicas: [standby.url],
            replicaMaxLag: '400ms',
            primaryAfterWrite: '1h',
            poolSize: 2,
          },
        },
      },
    })
  }
  const json = async (path: string, from: Pick<typeof app, 'get'> = app) =>
    (await from.get(path)).json() as { x: boolean; n: number }
  /** Waits until the application uses the replica. The first request starts the checks of the replica. */
  const ready = () => eventually(async () => (await json('/report')).x).toBe(true)
  const outcomes = () => registeredDatabase('default')!.replicas!.outcomes
  const origin = { headers: { 'sec-fetch-site': 'same-origin' } }

  beforeAll(async () => {
    primary = await PostgresServer.start()
    direct = await openDatabase({ kind: 'postgres', url: primary.url, poolSize: 1 })
    for (const sql of [...sessionMigration.up, 'create table notes (n int)']) await run(direct, sql)
    standby = await primary.startStandby()
    standbyDirect = await openDatabase({ kind: 'postgres', url: standby.url, poolSize: 1 })
  }, 120_000)
  afterAll(async () => {
    await direct?.close()
    await standbyDirect?.close()
    standby?.remove()
    primary?.remove()
  })
  beforeEach(async () => {
    vi.stubEnv('DATABASE_URL', undefined)
    app = await start()
    await ready()
  })
  afterEach(() => void vi.unstubAllEnvs())

  test('read-only routes run on the replica, the others on the primary', async () => {
    expect((await json('/report')).x).toBe(true)
    expect((await json('/usual')).x).toBe(false)
    expect((await json('/strict')).x).toBe(false)
  })

  test('a write in a read-only route is refused, and never reaches the primary', async () => {
    const before = (await run(direct, 'select count(*) as n from notes')).rows
    expect((await app.get('/refused')).status).toBe(503)
    expect(outcomes().failed).toBe(0)
    expect((await run(direct, 'select count(*) as n from notes')).rows).toEqual(before)
    expect((await json('/report')).x).toBe(true)
  })

  test('after a write its browser reads from the primary, and others from the replica', async () => {
    const writer = app.visitor()
    const other = app.visitor()
    expect((await writer.post('/notes', origin)).status).toBe(200)
    expect((await json('/report', writer)).x).toBe(false)
    expect((await json('/report', other)).x).toBe(true)
    expect(outcomes().written).toBe(1)
  })

  test('a GET that writes counts as a write, one that reads does not', async () => {
    const writer = app.visitor()
    await writer.get('/usual')
    expect((await json('/report', writer)).x).toBe(true)
    await writer.get('/visit')
    expect((await json('/report', writer)).x).toBe(false)
  })

  test('a forged or expired cookie does not count', async () => {
    const forged = { headers: { cookie: `fw_wrote=${Date.now()}` } }
    expect((await app.get('/report', forged)).json()).toMatchObject({ x: true })
    const response = await app.visitor().post('/notes', origin)
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^fw_wrote=\d+\.[^;]+;.*Max-Age=3600.*HttpOnly/)
    const valid = { headers: { cookie: cookie!.split(';')[0]! } }
    expect((await app.get('/report', valid)).json()).toMatchObject({ x: false })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_001 })
    try {
      expect((await app.get('/report', valid)).json()).toMatchObject({ x: true })
    } finally {
      vi.useRealTimers()
    }
  })

  test('sessions are read from and written to the primary, also in read-only routes', async () => {
    const { headers } = await app.post('/session', origin)
    // Send only the session cookie. Without the cookie that records the write, the route runs on the replica.
    const cookie = headers.getSetCookie().find((one) => one.startsWith('fw_session='))!
    const visitor = { headers: { cookie: cookie.split(';')[0]! } }
    const named = async () => (await app.get('/named', visitor)).json()
    expect(await named()).toEqual({ x: true, name: 'Ann', seen: false })
    expect(await named()).toEqual({ x: true, name: 'Ann', seen: true })
  })

  test('a replica that breaks during a GET: the primary repeats it', async () => {
    expect((await json('/slow')).x).toBe(false)
    expect(outcomes().failed).toBe(1)
    await ready()
  })

  test('a replica that lags is skipped until it has caught up', async () => {
    await run(standbyDirect, 'select pg_wal_replay_pause()')
    try {
      await run(direct, 'insert into notes values (2)')
      await eventually(async () => (await json('/report')).x).toBe(false)
      expect(app.lines.map(({ message }) => message)).toContain('reads skip the replica')
    } finally {
      await run(standbyDirect, 'select pg_wal_replay_resume()')
    }
    await ready()
    expect(app.lines.map(({ message }) => message)).toContain('reads use the replica')
  })

  test('a replica that is down is skipped without a failed request, and used again later', async () => {
    standby.stop()
    try {
      for (let at = 0; at < 20; at++) {
        const response = await app.get('/report')
        expect([response.status, response.json().x]).toEqual([200, false])
      }
      expect(outcomes().unavailable).toBeGreaterThan(0)
    } finally {
      standby.start()
    }
    await ready()
  })

  test('metrics count the requests by outcome', () => {
    const text = app.app.application.metrics!.format()
    expect(text).toMatch(/fw_replica_requests_total\{outcome="replica"\} [1-9]/)
    expect(text).toMatch(/fw_replica_lag_seconds\{replica="replica-1"\} \d/)
    expect(text).toMatch(
      /db_client_connection_open\{db_client_connection_pool_name="default-replica-1"\} \d/,
    )
  })
})
