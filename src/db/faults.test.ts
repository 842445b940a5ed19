/** What happens when a PostgreSQL server, or the way to it, fails. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jsonLogger } from '../base.ts'
import {
  currentTransaction,
  type Database,
  isRetryable,
  isUniqueViolation,
  openDatabase,
} from '../db.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'

const one = { sql: 'select 1 as x', parameters: [] }
const insert = (n: number) => ({ sql: 'insert into t (n) values ($1)', parameters: [n] })
const backend = { sql: 'select pg_backend_pid() as pid', parameters: [] }

/** Between client and server: cuts or stops when told, on what the client sends. */
class Proxy {
  readonly #server: Server
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  onClientData: (chunk: Buffer, client: Socket) => 'pass' | 'drop' = () => 'pass'

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#join(client))
  }

  #join(client: Socket): void {
    const upstream = connect(Number(this.#target.port || 5432), this.#target.hostname)
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#sockets.delete(socket))
    }
    client.on('data', (chunk) => {
      if (this.onClientData(chunk, client) === 'pass') upstream.write(chunk)
    })
    client.on('close', () => upstream.end())
    upstream.pipe(client)
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const url = new URL(this.#target)
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return url.href
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

describe.skipIf(servers.length === 0)('faults of PostgreSQL', () => {
  let engine: OpenEngine
  let database: Database
  let url: string

  const kill = async (pid: number) => {
    await database.query({ sql: 'select pg_terminate_backend($1, 2000)', parameters: [pid] })
  }
  const numbers = async () =>
    (
      await database.query<{ n: number }>({ sql: 'select n from t order by n', parameters: [] })
    ).rows.map(({ n }) => n)

  beforeAll(async () => {
    engine = await servers[0]!.open({ poolSize: 4 })
    database = engine.database
    url = (engine.settings as { url: string }).url
    await database.query({
      sql: 'create table t (n int constraint t_n_key unique)',
      parameters: [],
    })
  })
  beforeEach(async () => {
    await database.query({ sql: 'truncate t', parameters: [] })
  })
  afterAll(() => engine.close())

  /** A pool of its own, so that a test's faults are seen by it alone. */
  const withPool = async (
    work: (own: Database) => Promise<void>,
    settings: object = {},
    at = url,
  ) => {
    const own = await openDatabase({
      kind: 'postgres',
      url: at,
      poolSize: 2,
      ...settings,
    })
    try {
      await work(own)
      expect(own.state).toMatchObject({ reserved: 0, waiting: 0 })
    } finally {
      await own.close()
    }
  }

  const isUp = (own: Database) =>
    own.ping().then(
      () => true,
      () => false,
    )

  test('no server: opening succeeds, each query is 503 db.unavailable', () =>
    withPool(
      async (own) => {
        await expect(own.ping()).rejects.toMatchObject({ status: 503, code: 'db.unavailable' })
        await expect(own.transaction(() => own.query(one))).rejects.toMatchObject({
          status: 503,
          code: 'db.unavailable',
        })
        expect(own.state.open).toBe(0)
      },
      {},
      'postgres://127.0.0.1:1/none',
    ))

  test('a connection killed while idle is replaced', () =>
    withPool(async (own) => {
      const { rows } = await own.query<{ pid: number }>(backend)
      await kill(rows[0]!.pid)
      // Until its end has been noticed, a query may still meet the dead connection: it fails with 503, never hangs.
      await expect
        .poll(() =>
          own.query(one).then(
            ({ rows: [row] }) => row,
            (error: unknown) => (error as { code: string }).code,
          ),
        )
        .toEqual({ x: 1 })
    }))

  test('a connection killed inside a transaction: 503, nothing kept, the next one works', () =>
    withPool(async (own) => {
      const work = own.transaction(async () => {
        await own.query(insert(1))
        await kill((await own.query<{ pid: number }>(backend)).rows[0]!.pid)
        await own.query(insert(2))
      })
      await expect(work).rejects.toMatchObject({ status: 503, code: 'db.unavailable' })
      await own.transaction(() => own.query(insert(3)))
      expect(await numbers()).toEqual([3])
    }))

  test('a connection lost before COMMIT, unnoticed by the work, is db.commit-failed', () =>
    withPool(async (own) => {
      const work = own.transaction(async () => {
        await own.query(insert(1))
        await kill((await own.query<{ pid: number }>(backend)).rows[0]!.pid)
        await own.query(one).catch(() => {})
      })
      await expect(work).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
    }))

  test('a connection cut during COMMIT is db.commit-outcome-unknown', async () => {
    const proxy = new Proxy(url)
    proxy.onClientData = (chunk, client) => {
      if (chunk.includes('commit')) setImmediate(() => client.destroy())
      return 'pass'
    }
    await withPool(
      async (own) => {
        const work = own.transaction(() => own.query(insert(1)))
        await expect(work).rejects.toMatchObject({
          code: 'db.commit-outcome-unknown',
          cause: { code: 'db.unavailable' },
        })
        proxy.onClientData = () => 'pass'
        await own.transaction(() => own.query(insert(2)))
      },
      {},
      await proxy.listen(),
    )
    await proxy.close()
  })

  test('a server that hangs is given up after its time, and the pool recovers', async () => {
    const proxy = new Proxy(url)
    await withPool(
      async (own) => {
        await expect.poll(() => isUp(own)).toBe(true)
        proxy.onClientData = () => 'drop'
        const work = own.transaction(() => own.query(insert(1)))
        await expect(work).rejects.toMatchObject({ status: 503, code: 'db.unavailable' })
        proxy.onClientData = () => 'pass'
        await expect.poll(() => isUp(own)).toBe(true)
      },
      { statementTimeout: 50, poolSize: 1 },
      await proxy.listen(),
    )
    await proxy.close()
  })

  test('a slow statement ends at its limit, and the connection goes on', () =>
    withPool(
      async (own) => {
        // On a busy machine any statement may take as long.
        const pid = async () => (await own.query<{ pid: number }>(backend)).rows[0]!.pid
        let before: number | undefined
        await expect.poll(async () => (before = await pid())).toBeTypeOf('number')
        const slow = own.query({ sql: 'select pg_sleep(30)', parameters: [] })
        await expect(slow).rejects.toMatchObject({ status: 503, code: 'db.statement-timeout' })
        await expect.poll(pid).toBe(before)
        expect(own.state.open).toBe(1)
      },
      { statementTimeout: 200, poolSize: 1 },
    ))

  // At once, the cancellation may overtake the statement.
  test.each([0, 100])(
    'a signal aborted after %i ms cancels the statement in flight, on the server too',
    (abortAfter) =>
      withPool(async (own) => {
        const controller = new AbortController()
        const work = own.transaction(
          async () => {
            await own.query(insert(1))
            const slow = own.query({
              sql: `select pg_sleep(30), 'to be cancelled'`,
              parameters: [],
            })
            setTimeout(() => controller.abort(new Error('client gone')), abortAfter)
            await slow
          },
          { signal: controller.signal },
        )
        await expect(work).rejects.toThrow('client gone')
        // Its backend, which holds the lock of the row that was inserted, is gone.
        const others = {
          sql: `select count(*) as c from pg_locks where relation = 't'::regclass and pid <> pg_backend_pid()`,
          parameters: [],
        }
        await expect
          .poll(async () => (await database.query<{ c: number }>(others)).rows[0]!.c)
          .toBe(0)
        expect(await numbers()).toEqual([])
      }),
  )

  test('a rollback does not wait for a statement that will not end', () =>
    withPool(
      async (own) => {
        const failed = own.transaction(async () => {
          await own.query(insert(1))
          // Longer than a test may take.
          void own.query({ sql: 'select pg_sleep(3600)', parameters: [] }).catch(() => {})
          throw new Error('handler failed')
        })
        await expect(failed).rejects.toThrow('handler failed')
      },
      { statementTimeout: 0 },
    ))

  test('serialisation failures and deadlocks are db.conflict and can be tried again', () =>
    withPool(async (own) => {
      await own.query(insert(1))
      const bump = async () => {
        await own.query({ sql: 'select sum(n) from t', parameters: [] })
        await own.transaction(() => own.query({ sql: 'update t set n = n + 1', parameters: [] }))
      }
      const first = own.transaction(
        async () => {
          await own.query({ sql: 'select * from t', parameters: [] })
          await database.query({ sql: 'update t set n = n + 1', parameters: [] })
          await bump()
        },
        { isolation: 'repeatable read' },
      )
      const error: unknown = await first.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 503, code: 'db.conflict' })
      expect(isRetryable(error)).toBe(true)
      expect(isRetryable(new Error('x'))).toBe(false)
    }))

  test('a refused row tells its constraint, and is recognised', async () => {
    await database.query(insert(1))
    const error: unknown = await database.query(insert(1)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'db.query-failed',
      sqlState: '23505',
      constraint: 't_n_key',
      table: 't',
    })
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 't_n_key')).toBe(true)
    expect(isUniqueViolation(error, 'other')).toBe(false)
    expect((error as Error).message).not.toContain('(n)=(1)')
  })

  test('all connections in transactions: 503 db.pool-exhausted, then it recovers', () =>
    withPool(
      async (own) => {
        const held = [await own.pool.reserve(), await own.pool.reserve()]
        const refused = { status: 503, code: 'db.pool-exhausted' }
        await expect(own.ping()).rejects.toMatchObject(refused)
        await expect(own.transaction(() => own.query(one))).rejects.toMatchObject(refused)
        for (const connection of held) own.pool.release(connection)
        await own.ping()
      },
      { acquireTimeout: 400 },
    ))

  test('single statements share the connections of a full pool', () =>
    withPool(async (own) => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          own.query<{ v: number }>({ sql: 'select $1::int as v', parameters: [n], name: 'echo' }),
        ),
      )
      expect(answers.map(({ rows }) => rows[0]!.v)).toEqual(
        Array.from({ length: 200 }, (_, n) => n),
      )
      expect(own.state.open).toBeLessThanOrEqual(2)
      const mixed = await Promise.allSettled([
        own.query(one),
        own.query({ sql: 'select nope', parameters: [] }),
        own.query(one),
      ])
      expect(mixed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    }))

  test('without prepared statements a name is not used', () =>
    withPool(
      async (own) => {
        await own.query({ ...one, name: 'kept' })
        const { rows } = await own.query<{ c: number }>({
          sql: 'select count(*) as c from pg_prepared_statements',
          parameters: [],
        })
        expect(rows[0]!.c).toBe(0)
      },
      { prepare: false, poolSize: 1 },
    ))

  test('slow statements are logged with their SQL, never with their values unless asked', async () => {
    const lines: string[] = []
    const logger = jsonLogger((line) => lines.push(line))
    const secret = { sql: 'select $1::text', parameters: ['a secret'] }
    await withPool((own) => own.query(secret).then(() => {}), {
      slowQueries: { logger, threshold: -1, values: false },
    })
    expect(lines.join()).toContain('slow query')
    expect(lines.join()).toContain('select $1::text')
    expect(lines.join()).not.toContain('a secret')
    await withPool((own) => own.query(secret).then(() => {}), {
      slowQueries: { logger, threshold: -1, values: true },
    })
    expect(lines.join()).toContain('a secret')
    expect(currentTransaction()).toBeUndefined()
  })
})
