/**
 * Tests clients that disconnect while their SQL statements run: the statements are cancelled, and the database
 * connections stay open.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { emptyDatabase, eventually, mixingOrders, serveData } from '../support/data-app.ts'

const poolSize = 10
/**
 * The number of connections that may be closed: the pool closes one whose statement does not end within five seconds
 * after its cancellation.
 */
const tolerated = 10

const run = (sql: string, isRead = false) =>
  currentDatabase().query<{ pid: number }>({ sql, parameters: [], isRead })

describe.skipIf(!(await hasTestServer()))('500 clients that leave', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  beforeAll(async () => {
    own = await emptyDatabase(['create table notes (n int)'])
  })
  afterAll(() => own.drop())

  const count = async (from: string) => {
    const sql = `select count(*) as c from ${from}`
    return (await own.direct.query<{ c: number }>({ sql, parameters: [] })).rows[0]!.c
  }
  const sleeping = `pg_stat_activity where datname = current_database() and state = 'active'
    and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`

  test.each([
    ...mixingOrders.map(([order, controller]) => ({
      of: `a write, ${order}`,
      controller,
      isRead: false,
    })),
    { of: 'a read', controller: mixingOrders[0]![1], isRead: true },
  ])('during $of cost no new connections', async ({ controller, isRead }) => {
    const pids: number[] = []
    const started = new Map<string, () => void>()
    const act = routes(class extends controller {}, (r) => ({
      fine: r.get('/fine', async () => {
        await run('insert into notes values (99)')
        return 'fine'
      }),
      act: r.get('/act/:id', async (c) => {
        if (!isRead) await run('insert into notes values (1)')
        const { rows } = await run('select pg_backend_pid() as pid', isRead)
        pids.push(rows[0]!.pid)
        const slow = run('select pg_sleep(600)', isRead)
        started.get(c.params.get('id')!)!()
        await slow
        return 'for nobody'
      }),
    }))
    const app = await serveData([act], own.url, { poolSize, statementTimeout: 0 })
    const leave = async (id: string) => {
      const client = new AbortController()
      const { promise, resolve } = Promise.withResolvers<void>()
      started.set(id, resolve)
      const answer = app.send(`/act/${id}`, { signal: client.signal })
      await promise
      client.abort()
      await expect(answer).rejects.toThrow()
    }
    /**
     * Opens all connections of the pool first. Otherwise a client would wait for a connection to open, and its
     * statement would not be cancelled.
     */
    const openConnections = async () => {
      const { pool } = app.database
      const all = await Promise.all(Array.from({ length: poolSize }, () => pool.reserve()))
      for (const connection of all) pool.release(connection)
    }
    for (let round = 0; round < 50; round++) {
      await openConnections()
      await Promise.all(Array.from({ length: 10 }, (_, n) => leave(`${round}-${n}`)))
      await app.idle()
    }
    expect(pids).toHaveLength(500)
    expect(new Set(pids).size).toBeLessThanOrEqual(poolSize + tolerated)
    await eventually(() => count(sleeping)).toBe(0)
    expect(await app.send('/fine')).toMatchObject({ status: 200, body: 'fine' })
    expect(await count('notes where n <> 99')).toBe(0)
    await app.idle()
  })
})
