/** The connections of a pool: how many open, when they close, and what callers get meanwhile. */
import dns from 'node:dns'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { queryObjects } from 'node:v8'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest'
import { openDatabase, type Database } from '../db.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'
import type { PostgresSettings } from './settings.ts'
import { databaseName } from './test-server.fixture.ts'

const one = { sql: 'select 1 as x', parameters: [] }
const backend = { sql: 'select pg_backend_pid() as pid', parameters: [] }
const sleep = (seconds: number) => ({ sql: `select pg_sleep(${seconds}), 1 as x`, parameters: [] })
const times = <T>(count: number, work: () => Promise<T>) =>
  Promise.all(Array.from({ length: count }, work))

describe.skipIf(servers.length === 0)('the pool', () => {
  let engine: OpenEngine
  let admin: Database
  let url: string
  const open: Database[] = []

  const run = (sql: string) => admin.query({ sql, parameters: [] })
  const openPool = async (settings: Partial<PostgresSettings>): Promise<Database> => {
    const database = await openDatabase({ kind: 'postgres', url, ...settings })
    open.push(database)
    return database
  }
  const pid = async (own: Database) => (await own.query<{ pid: number }>(backend)).rows[0]!.pid
  const eventually = <T>(read: () => T) =>
    // oxlint-disable-next-line vitest/require-awaited-expect-poll -- the caller awaits it
    expect.poll(read, { interval: 5, timeout: 15_000 })

  beforeAll(async () => {
    engine = await servers[0]!.open({ poolSize: 2 })
    admin = engine.database
    url = (engine.settings as { url: string }).url
    await run('create table t (n int)')
  })
  afterEach(async () => {
    for (const database of open.splice(0)) await database.close()
  })
  afterAll(() => engine.close())

  test('keeps nothing of the connections that it has closed', async () => {
    const own = await openPool({ poolSize: 1, idleTimeout: 1 })
    const useOnce = async (): Promise<void> => {
      await own.query(one)
      // Does not use `expect.poll`, because that keeps promises until the end of the test.
      while (own.state.open > 0) await new Promise((resolve) => setImmediate(resolve))
    }
    const countPromises = () => queryObjects(Promise, { format: 'count' })
    await useOnce()
    const before = countPromises()
    for (let round = 0; round < 40; round++) await useOnce()
    expect(countPromises() - before).toBeLessThan(20)
  })

  describe('of a role that may open three connections', () => {
    const role = databaseName('role')
    let roleUrl: string

    beforeEach(async () => {
      await run(`create role ${role} login password 'fw' connection limit 3`)
      const withRole = new URL(url)
      withRole.username = role
      withRole.password = 'fw'
      roleUrl = withRole.href
    })
    afterEach(async () => {
      await run(`drop role ${role}`)
    })

    test('serves 5 × 40 concurrent statements of 100 ms without a failure', async () => {
      const own = await openPool({ url: roleUrl, poolSize: 10 })
      for (let round = 0; round < 5; round++) {
        const answers = await times(40, () => own.query<{ x: number }>(sleep(0.1)))
        expect(answers.map(({ rows }) => rows[0]!.x)).toEqual(Array.from({ length: 40 }, () => 1))
      }
      expect(own.state.open).toBeGreaterThan(0)
      expect(own.state.open).toBeLessThanOrEqual(3)
    })

    test('serves concurrent transactions without a failure', async () => {
      const own = await openPool({ url: roleUrl, poolSize: 10, acquireTimeout: 60_000 })
      await times(60, () =>
        own.transaction(async () => {
          await own.query(one)
          await own.query(sleep(0.01))
        }),
      )
      expect(own.state).toMatchObject({ reserved: 0, waiting: 0 })
    })

    test('grows as soon as the server allows more', async () => {
      const own = await openPool({ url: roleUrl, poolSize: 6 })
      await times(20, () => own.query(sleep(0.01)))
      expect(own.state.open).toBeLessThanOrEqual(3)
      await run(`alter role ${role} connection limit -1`)
      await eventually(async () => {
        await times(12, () => own.query(sleep(0.05)))
        return own.state.open
      }).toBe(6)
    })

    test('fails at once only when no connection is open', async () => {
      await run(`alter role ${role} connection limit 0`)
      const own = await openPool({ url: roleUrl, poolSize: 4, acquireTimeout: 3_600_000 })
      const answers = await Promise.allSettled(Array.from({ length: 20 }, () => own.query(one)))
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 'rejected',
          reason: { status: 503, code: 'db.unavailable' },
        })
      }
      await run(`alter role ${role} connection limit 3`)
      expect((await own.query(one)).rows).toEqual([{ x: 1 }])
    })

    test('names the refusal when all open connections stay in transactions', async () => {
      const own = await openPool({ url: roleUrl, poolSize: 5, acquireTimeout: 300 })
      const held: Awaited<ReturnType<typeof own.pool.reserve>>[] = []
      await eventually(async () => {
        await own.pool.reserve().then(
          (connection) => held.push(connection),
          () => {},
        )
        return held.length
      }).toBe(3)
      await expect(own.query(one)).rejects.toMatchObject({
        code: 'db.pool-exhausted',
        message: expect.stringMatching(/all 3 \(5 are allowed; .*too many connections/) as string,
      })
      for (const connection of held) own.pool.release(connection)
      await own.query(one)
    })
  })

  test('does not wait for a connect that hangs', async () => {
    const { hostname, port } = new URL(url)
    const sockets: Socket[] = []
    const proxy = createServer((client) => {
      sockets.push(client)
      client.on('error', () => {})
      if (sockets.length < 3) return
      const server = connect(Number(port || 5432), hostname).on('error', () => {})
      client.pipe(server).pipe(client)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    })
    await once(proxy, 'listening')
    const half = new URL(url)
    half.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const own = await openPool({ url: half.href, poolSize: 1, acquireTimeout: 3_600_000 })
    expect((await own.query(one)).rows).toEqual([{ x: 1 }])
    for (const socket of sockets.slice(0, 2)) socket.destroy()
    expect((await own.query(one)).rows).toEqual([{ x: 1 }])
  })

  test('replaces a connection at its maximum age, between statements', async () => {
    const own = await openPool({ poolSize: 1, maxAge: 50 })
    const first = await pid(own)
    await eventually(() => pid(own)).not.toBe(first)
    // Constant use does not keep a connection alive.
    const seen = new Set<number>()
    await eventually(async () => {
      const answers = await times(20, () => own.query<{ pid: number }>(backend))
      for (const { rows } of answers) seen.add(rows[0]!.pid)
      return seen.size
    }).toBeGreaterThan(3)
    expect(own.state.open).toBeLessThanOrEqual(1)
  })

  test('keeps a reserved connection beyond its maximum age', async () => {
    const own = await openPool({ poolSize: 1, maxAge: 10 })
    const pids = await own.transaction(async () => {
      const before = await pid(own)
      await own.query(sleep(0.2))
      return [before, await pid(own)]
    })
    expect(pids[1]).toBe(pids[0])
    await eventually(() => own.state.open).toBe(0)
  })

  test('closes connections that are not used', async () => {
    const own = await openPool({ poolSize: 4, idleTimeout: 1000 })
    await times(4, () => own.query(sleep(0.05)))
    expect(own.state.open).toBe(4)
    await eventually(() => own.state.open).toBe(0)
    expect((await own.query(one)).rows).toEqual([{ x: 1 }])
  })

  test('with both limits 0 keeps its connections', async () => {
    const own = await openPool({ poolSize: 1, idleTimeout: 0, maxAge: 0 })
    const first = await pid(own)
    await own.query(sleep(0.1))
    expect(await pid(own)).toBe(first)
  })

  test('drops all connections to a server that has become read-only, inside transactions and outside', async () => {
    const insert = { sql: 'insert into t values (1)', parameters: [] }
    const { pathname } = new URL(url)
    const setting = `alter database ${pathname.slice(1)} set default_transaction_read_only`
    const own = await openPool({ poolSize: 3 })
    for (const write of [() => own.query(insert), () => own.transaction(() => own.query(insert))]) {
      await run(`${setting} = on`)
      // Replaces connections that may write.
      for (const { pid: old } of (await times(3, () => own.query<{ pid: number }>(backend))).map(
        ({ rows }) => rows[0]!,
      ))
        await run(`select pg_terminate_backend(${old}, 2000)`)
      await eventually(() =>
        times(3, () => own.query(sleep(0.05))).then(
          () => own.state.open,
          () => 0,
        ),
      ).toBe(3)
      await admin.transaction(async () => {
        await run('set transaction read write')
        await run(`${setting} = off`)
      })
      await expect(write()).rejects.toMatchObject({ status: 503, code: 'db.read-only' })
      await eventually(() =>
        write().then(
          () => 'written',
          () => 'refused',
        ),
      ).toBe('written')
      // The siblings have been replaced, too.
      await times(3, () => write())
    }
  })

  test('a write in a transaction that is read-only itself drops no connection', async () => {
    const own = await openPool({ poolSize: 1 })
    const before = await pid(own)
    const insert = { sql: 'insert into t values (1)', parameters: [] }
    const readOnly = { readOnly: true }
    const work = own.transaction(() => own.query(insert), readOnly)
    await expect(work).rejects.toMatchObject({ code: 'db.read-only' })
    expect(await pid(own)).toBe(before)
    const unawaited = own.transaction(async () => {
      await own.query(backend)
      // Its error comes after COMMIT is sent.
      own.query(insert).catch(() => {})
    }, readOnly)
    await expect(unawaited).rejects.toMatchObject({ code: 'db.commit-failed' })
    expect(await pid(own)).toBe(before)
  })

  test('resolves the address again at each connect', async () => {
    const { lookup } = dns
    const { hostname } = new URL(url)
    let lookups = 0
    dns.lookup = ((name: string, ...rest: [dns.LookupOptions, () => void]) => {
      if (name === 'db.test') lookups++
      lookup(name === 'db.test' ? hostname : name, ...rest)
    }) as typeof lookup
    onTestFinished(() => {
      dns.lookup = lookup
    })
    const named = new URL(url)
    named.hostname = 'db.test'
    const own = await openPool({ url: named.href, poolSize: 1 })
    const first = await pid(own)
    expect(lookups).toBe(1)
    await run(`select pg_terminate_backend(${first}, 2000)`)
    await eventually(() =>
      own.query(one).then(
        ({ rows }) => rows,
        () => [],
      ),
    ).toEqual([{ x: 1 }])
    expect(lookups).toBeGreaterThan(1)
  })
})
