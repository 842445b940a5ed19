/** Failures of a PostgreSQL server and of the network. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { jsonLogger } from '../base.ts'
import {
  currentTransaction,
  type Database,
  isRetryable,
  isUniqueViolation,
  openDatabase,
  Transaction,
} from '../db.ts'
import { stopThread } from '../base/stop-thread.fixture.ts'
import { type OpenEngine, servers } from './engines.fixture.ts'

const one = { sql: 'select 1 as x', parameters: [] }
const insert = (n: number) => ({ sql: 'insert into t (n) values ($1)', parameters: [n] })
const backend = { sql: 'select pg_backend_pid() as pid', parameters: [] }

/** The first byte of the message with which a client ends its session. */
const terminate = 'X'.charCodeAt(0)

/** A proxy between client and server that can drop data and cut connections. */
class Proxy {
  readonly #server: Server
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  onClientData: (chunk: Buffer, client: Socket) => 'pass' | 'drop' = () => 'pass'

  constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client))
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

describe.skipIf(servers.length === 0).each([
  { path: 'with the internals of pg', plain: '' },
  { path: 'on the plain path of pg-internals', plain: '1' },
])('faults of PostgreSQL $path', ({ plain }) => {
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
    vi.stubEnv('FW_PG_PLAIN', plain)
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
  afterAll(async () => {
    await engine.close()
    vi.unstubAllEnvs()
  })

  /** Runs `work` with a separate pool, so that its failures affect no other test. */
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

  const readPid = async (own: Database) => (await own.query<{ pid: number }>(backend)).rows[0]!.pid

  const canCancel = plain !== '1'
  /** The plain path cannot cancel: the statement runs on the server until its time limit. */
  const withoutCancel = canCancel ? {} : { statementTimeout: 2500 }

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

  test('an idle connection that the server terminates is replaced', () =>
    withPool(async (own) => {
      const { rows } = await own.query<{ pid: number }>(backend)
      await kill(rows[0]!.pid)
      // Until the pool has detected the failure, a query may use the dead connection: it fails with 503 and never hangs.
      await expect
        .poll(() =>
          own.query(one).then(
            ({ rows: [row] }) => row,
            (error: unknown) => (error as { code: string }).code,
          ),
        )
        .toEqual({ x: 1 })
    }))

  test('a connection terminated inside a transaction: 503, nothing is kept, the next transaction works', () =>
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

  test('a connection lost before COMMIT, without an error in the work, is db.commit-failed', () =>
    withPool(async (own) => {
      const work = own.transaction(async () => {
        await own.query(insert(1))
        await kill((await own.query<{ pid: number }>(backend)).rows[0]!.pid)
        await own.query(one).catch(() => {})
      })
      await expect(work).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
    }))

  test('an internal error or a lost connection to another node during COMMIT is db.commit-outcome-unknown', () =>
    withPool(async (own) => {
      const runAll = async (...texts: readonly string[]) => {
        for (const sql of texts) await own.query({ sql, parameters: [] })
      }
      await runAll(
        `create function fail_commit() returns trigger language plpgsql as
          $$ begin raise 'lost' using errcode = current_setting('test.state'); end $$`,
        `create constraint trigger fails after insert on t deferrable initially deferred
          for each row execute function fail_commit()`,
      )
      const commit = (state: string) =>
        own.transaction(async () => {
          await runAll(`set local test.state = '${state}'`)
          await own.query(insert(1))
        })
      const unknown = { code: 'db.commit-outcome-unknown' }
      await expect(commit('XX000')).rejects.toMatchObject(unknown)
      await expect(commit('08006')).rejects.toMatchObject(unknown)
      await expect(commit('57P01')).rejects.toMatchObject(unknown)
      await expect(commit('P0001')).rejects.toMatchObject({ code: 'db.commit-failed' })
      await runAll('drop trigger fails on t', 'drop function fail_commit')
    }))

  test.each(['57P01', '57P02', '57P03'])('another node that stops is db.unavailable: %s', (state) =>
    withPool(async (own) => {
      const sql = `do $$ begin raise 'stops' using errcode = '${state}'; end $$`
      const stopped = own.query({ sql, parameters: [] })
      await expect(stopped).rejects.toMatchObject({ status: 503, code: 'db.unavailable' })
      await own.query(insert(1))
      expect(await numbers()).toEqual([1])
    }),
  )

  test('a connection lost before the final statement is db.unavailable, because no COMMIT is sent', () =>
    withPool(async (own) => {
      const transaction = new Transaction(own, { beginsAtWrite: true })
      await transaction.query(insert(1))
      await kill((await transaction.query<{ pid: number }>(backend)).rows[0]!.pid)
      // `kill` has waited until the server closed the connection, so that the client reads this before the response to `ping`.
      await own.ping()
      transaction.isEnding = true
      const final = transaction.query({ ...insert(2), isFinal: true })
      await expect(final).rejects.toMatchObject({ code: 'db.unavailable' })
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
    }))

  test('a connection lost before a commit with an unsent write is db.unavailable', () =>
    withPool(async (own) => {
      const transaction = new Transaction(own)
      await transaction.query(insert(1))
      await kill((await transaction.query<{ pid: number }>(backend)).rows[0]!.pid)
      await transaction.query({ ...insert(2), explainLate: (error) => error })
      await own.ping()
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.unavailable' })
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

  test('a connection to a hanging server is closed after its time limit, and the pool recovers', async () => {
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

  test('a server that never closes a connection delays neither a transaction without limits nor the close', async () => {
    const proxy = new Proxy(url)
    await withPool(
      async (own) => {
        proxy.onClientData = (chunk) => (chunk[0] === terminate ? 'drop' : 'pass')
        await own.transaction(() => own.query(insert(1)), { unlimited: true })
        const failing = own.transaction(() => own.query(insert(1)), { unlimited: true })
        await expect(failing).rejects.toThrow(/duplicate key/)
        expect(await isUp(own)).toBe(true)
      },
      { poolSize: 1 },
      await proxy.listen(),
    )
    await proxy.close()
  })

  test('a slow statement ends at its time limit, and the connection stays usable', () =>
    withPool(
      async (own) => {
        // On a busy machine any statement may exceed the limit.
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

  // After 0 ms the cancellation may reach the server before the statement.
  test.each([0, 100])(
    'a signal aborted after %i ms cancels the statement in flight, also on the server',
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
        // The backend, which holds the lock of the inserted row, has ended.
        const others = {
          sql: `select count(*) as c from pg_locks where relation = 't'::regclass and pid <> pg_backend_pid()`,
          parameters: [],
        }
        await expect
          .poll(async () => (await database.query<{ c: number }>(others)).rows[0]!.c, {
            timeout: 5000,
          })
          .toBe(0)
        expect(await numbers()).toEqual([])
      }, withoutCancel),
  )

  test('a rollback does not wait for an endless statement: it is cancelled, and its connection stays', () =>
    withPool(
      async (own) => {
        const pid = await readPid(own)
        const failed = own.transaction(async () => {
          await own.query(insert(1))
          // Longer than the time limit of a test.
          void own.query({ sql: 'select pg_sleep(3600)', parameters: [] }).catch(() => {})
          throw new Error('handler failed')
        })
        await expect(failed).rejects.toThrow('handler failed')
        expect((await readPid(own)) === pid).toBe(canCancel)
      },
      { statementTimeout: 0, poolSize: 1, ...withoutCancel },
    ))

  test('a stall of the event loop during a cancellation closes no connection', () =>
    withPool(
      async (own) => {
        const pid = await readPid(own)
        const controller = new AbortController()
        const work = own.transaction(
          async () => {
            await own.query(insert(1))
            const slow = own.query({ sql: 'select pg_sleep(3600)', parameters: [] })
            controller.abort(new Error('client gone'))
            // The cancellation is sent after the pending microtasks.
            setImmediate(() => stopThread(1500))
            await slow
          },
          { signal: controller.signal },
        )
        await expect(work).rejects.toThrow('client gone')
        expect((await readPid(own)) === pid).toBe(canCancel)
        expect(await numbers()).toEqual([])
      },
      { poolSize: 1, ...withoutCancel },
    ))

  test('serialisation failures and deadlocks are db.conflict and retryable', () =>
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

  test('a refused row is an error with its constraint, which isUniqueViolation recognises', async () => {
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

  test('with all connections in transactions: 503 db.pool-exhausted, then recovery', () =>
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

  test('without prepared statements the name of a statement is ignored', () =>
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

  test('slow statements are logged with their SQL, and with their values only if configured', async () => {
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
  test('a statement that is sent with COMMIT is logged with it, because they are answered together', async () => {
    const lines: string[] = []
    const logger = jsonLogger((line) => lines.push(line))
    const named = (n: number) => ({ ...insert(n), name: 'named' })
    await withPool(
      async (own) => {
        const transaction = new Transaction(own)
        await transaction.query(named(1))
        await transaction.query({ ...named(2), explainLate: (error) => error })
        lines.length = 0
        await transaction.commit()
      },
      { slowQueries: { logger, threshold: -1, values: true } },
    )
    const { sql } = insert(2)
    const logged = lines.map((line) => (JSON.parse(line) as { sql: string }).sql)
    expect(logged).toEqual([`${sql}; commit`])
    expect(JSON.parse(lines[0]!)).toMatchObject({ values: ['2'] })
  })
})
