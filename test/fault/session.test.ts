/** Tests sessions when the database fails, a node is killed, or thousands of sessions have expired. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import {
  openDatabase,
  outsideTransaction,
  useDatabase,
  type Database,
} from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'
import { FwSessionFilter, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import {
  DatabaseStore,
  Session,
  sessionCookie,
  SessionManager,
  sessionMigration,
} from '../../src/runtime/session.ts'
import type { SqlExecutor } from '../../src/runtime/session/database-store.ts'
import { prepareChecks } from '../support/fault-checks.ts'
import { temporaryFolder } from '../support/serve.ts'
import { startWithSessions } from '../support/session-app.ts'

/** The number of times that a node is killed. Set `FW_TEST_KILLS=200` for more. */
const kills = Number(process.env['FW_TEST_KILLS'] ?? 8)
/** The number of expired sessions. Set `FW_TEST_DEAD=100000` for more. */
const dead = Number(process.env['FW_TEST_DEAD'] ?? 20_000)
const timeout = 60_000 + kills * 1000

describe.skipIf(!(await hasTestServer()))('sessions on PostgreSQL', () => {
  let own: EmptyDatabase
  /** A database connection outside the application's pool. */
  let admin: Database
  let database: Database
  const run = async (sql: string, on = database) => (await on.query({ sql, parameters: [] })).rows

  beforeAll(async () => {
    own = await emptyDatabaseOn('session')
    admin = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 1 })
    database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 4 })
    for (const sql of sessionMigration.up) await run(sql)
    useDatabase(database)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await database.close()
    await admin.close()
    await own.drop()
  })

  class Pages extends mix(FwController, TxPerRequestFilter, FwSessionFilter) {
    static {
      this.protectFromForgery()
    }
  }
  class Plain extends FwController {}
  const pages = routes(Pages, (r) => ({
    count: r.get('/count', async (c) => {
      await c.ctx.futureWithRequest(() => run('select 1'))
      c.session.set('count', Number(c.session.get('count') ?? 0) + 1)
      return { count: c.session.get('count') }
    }),
    cut: r.get('/cut', async (c) => {
      c.session.set('lost', 1)
      const [own] = await run('select pg_backend_pid() as pid')
      await run(`select pg_terminate_backend(${String(own?.['pid'])})`, admin)
      return 'never'
    }),
    create: r.post('/create', () => 'made'),
    fault: r.get('/fault', (c) => {
      c.session.set('count', 100)
      throw new Error('x')
    }),
  }))
  const plain = routes(Plain, (r) => ({ free: r.get('/free', () => 'free') }))
  /** The test ends with the checks of `prepareChecks`. */
  async function start() {
    const uploads = temporaryFolder()
    const configuration = { upload: { location: uploads } }
    const app = await startWithSessions([pages, plain], { database, configuration })
    const page = async () => (await app.get('/free')).status
    onTestFinished(await prepareChecks({ page, database, uploads }))
    return app
  }

  test('twenty concurrent transactions with sessions share one connection', async () => {
    const single = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 1 })
    useDatabase(single)
    try {
      const app = await startWithSessions([pages], { database: single })
      const all = await Promise.all(Array.from({ length: 20 }, () => app.get('/count')))
      expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
      const visitor = app.visitor()
      await visitor.get('/count')
      expect((await visitor.get('/count')).json()).toEqual({ count: 2 })
      expect(single.state).toMatchObject({ waiting: 0 })
    } finally {
      useDatabase(database)
      await single.close()
    }
  })

  test('missing tables stop the start with an error that has the remedy', async () => {
    const empty = await openInMemory()
    useDatabase(empty)
    try {
      await expect(startWithSessions([pages], { database: empty })).rejects.toMatchObject({
        code: 'session.tables-missing',
        message: expect.stringContaining('sessionMigrationText') as string,
      })
    } finally {
      useDatabase(database)
      await empty.close()
    }
  })

  test('an unavailable store: 503, never an empty session; pages without sessions work; the store recovers', async () => {
    const app = await start()
    const visitor = app.visitor()
    await visitor.get('/count')
    await run('alter table fw_sessions rename to hidden')
    try {
      expect((await visitor.get('/count')).status).toBe(503)
      expect((await visitor.post('/create')).status).toBe(503)
      expect((await visitor.get('/nowhere')).status).toBe(404)
      expect((await app.get('/free')).body).toBe('free')
    } finally {
      await run('alter table hidden rename to fw_sessions')
    }
    expect((await visitor.get('/count')).json()).toEqual({ count: 2 })
  })

  test('a connection that breaks before the session is written: 500, no cookie, then recovery', async () => {
    const app = await start()
    const page = await app.get('/cut')
    expect(page.status).toBeGreaterThanOrEqual(500)
    expect(page.headers.getSetCookie()).toEqual([])
    expect((await app.get('/count')).json()).toEqual({ count: 1 })
  })

  test('a failed request leaves no state for the next one', async () => {
    const visitor = (await start()).visitor()
    await visitor.get('/count')
    expect((await visitor.get('/fault')).status).toBe(500)
    expect((await visitor.get('/count')).json()).toEqual({ count: 2 })
    expect(
      await run(
        "select 1 from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()",
      ),
    ).toEqual([])
  })

  test(
    `a node killed ${kills} times while it writes: no half session, and another node finds it`,
    async () => {
      const store = new DatabaseStore(database)
      const first = new Session(store)
      first.set('left', -1)
      first.set('right', -1)
      const { set: id } = (await first.commit()) as { set: string }
      for (let round = 0; round < kills; round++) {
        const child = spawn(
          process.execPath,
          [join(import.meta.dirname, 'session-writer.ts'), own.url, id],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        )
        await once(child.stdout, 'data')
        const after = await Session.load(store, id)
        await expect
          .poll(async () => (await Session.load(store, id)).get('left'), { interval: 20 })
          .not.toBe(after.get('left'))
        child.kill('SIGKILL')
        await once(child, 'exit')
        const read = await Session.load(store, id)
        expect(read.isNew).toBe(false)
        expect(read.get('left')).toBe(read.get('right'))
      }
      expect(
        await run(
          'select 1 from fw_session_attributes a left join fw_sessions s on s.id = a.fw_session_id where s.id is null',
        ),
      ).toEqual([])
      expect(
        await run(
          'select 1 from servlet_sessions j left join fw_sessions s on s.id = j.fw_session_id where s.id is null',
        ),
      ).toEqual([])
      const dangling =
        'select 1 from fw_sessions s left join servlet_sessions j on j.fw_session_id = s.id where j.jsession_id is null'
      expect(await run(dangling)).toEqual([])
    },
    timeout,
  )

  test(`${dead} expired records are swept in batches while requests are answered`, async () => {
    await run(`with made as (insert into fw_sessions (created_at, expire_at)
      select now() - interval '2 days', now() - interval '1 day' from generate_series(1, ${dead}) returning id),
      known as (insert into servlet_sessions select md5(id::text), id, now() from made)
      insert into fw_session_attributes select id, 'a', '1' from made`)
    const app = await start()
    const visitor = app.visitor()
    await visitor.get('/count')
    let served = 1
    let batches = 0
    /**
     * Requests a page during each batch of the sweep. If the page needed a lock of the batch, it would never get a
     * response.
     */
    const executor: SqlExecutor = {
      query: <Row>(statement: Parameters<SqlExecutor['query']>[0]) =>
        database.transaction(async () => {
          const swept = await database.query<Row>(statement)
          batches += 1
          const page = await outsideTransaction(() => visitor.get('/count'))
          expect(page.json()).toEqual({ count: ++served })
          return swept
        }),
    }
    const manager = new SessionManager(new DatabaseStore(executor), sessionCookie(false))
    expect(await manager.sweep()).toBeGreaterThanOrEqual(dead)
    expect(batches).toBeGreaterThanOrEqual(dead / 1000)
    expect(
      await run("select 1 from fw_sessions where expire_at < now() - interval '1 hour'"),
    ).toEqual([])
  })
})
