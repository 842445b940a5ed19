/** The contract of transactions, on every engine. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jsonLogger } from '../base.ts'
import {
  currentDatabase,
  currentTransaction,
  Database,
  isolateDatabase,
  outsideTransaction,
  runInTransaction,
  Transaction,
  useDatabase,
} from '../db.ts'
import { ConnectionPool } from './pool.ts'
import { enginesAndPooler, type OpenEngine } from './engines.fixture.ts'

const insert = (n: number) => ({
  sql: 'insert into t (n) values ($1)',
  parameters: [n],
  name: 'insert',
})
const failing = { sql: 'select 1 / 0', parameters: [] }

describe.each(enginesAndPooler)('transactions on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  const numbers = async (from = database) =>
    (
      await outsideTransaction(() =>
        from.query<{ n: number }>({ sql: 'select n from t order by n', parameters: [] }),
      )
    ).rows.map(({ n }) => n)

  beforeAll(async () => {
    // A pool of one connection: code that needs a second one inside a transaction would hang.
    engine = await open({ poolSize: 1, acquireTimeout: 5000 })
    database = engine.database
    await database.transaction(() =>
      currentTransaction()!.script(`
        create table t (n int primary key);
        create table child (n int references t (n) deferrable initially deferred);`),
    )
  })
  beforeEach(async () => {
    await database.query({ sql: 'truncate t, child', parameters: [] })
  })
  afterAll(() => engine.close())

  test('begins with its first query and reserves no connection before', async () => {
    const transaction = new Transaction(database)
    expect(transaction.begun).toBe(false)
    expect(database.state.reserved).toBe(0)
    await transaction.query(insert(1))
    expect(transaction.begun).toBe(true)
    expect(database.state.reserved).toBe(1)
    await transaction.commit()
    expect(database.state).toEqual({ open: 1, reserved: 0, waiting: 0 })
    expect(await numbers()).toEqual([1])
  })

  test('without a query, commit and rollback use no connection', async () => {
    const refusing = new ConnectionPool(() => Promise.reject(new Error('connected')), {
      size: 1,
      acquireTimeout: 10,
      queueLimit: 1,
    })
    const unreachable = new Database('postgres', refusing, database.logger)
    await new Transaction(unreachable).commit()
    await new Transaction(unreachable).rollback()
  })

  test('commits when the work returns, and returns its value', async () => {
    expect(await database.transaction(async () => (await database.query(insert(1))).count)).toBe(1)
    expect(await numbers()).toEqual([1])
  })

  test('rolls back when the work throws', async () => {
    const work = database.transaction(async () => {
      await database.query(insert(1))
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await numbers()).toEqual([])
    expect(database.state.reserved).toBe(0)
  })

  test('rollbackOnly turns the commit into a rollback, without an error', async () => {
    await database.transaction(async () => {
      await database.query(insert(1))
      currentTransaction()!.rollbackOnly()
    })
    expect(await numbers()).toEqual([])
  })

  test('a second rollback does nothing, a commit after rollback is an error', async () => {
    const transaction = new Transaction(database)
    await transaction.query(insert(1))
    await transaction.rollback()
    await transaction.rollback()
    await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.transaction-ended' })
  })

  test('a query after the end of its transaction is an error', async () => {
    const transaction = new Transaction(database)
    await runInTransaction(transaction, () => database.query(insert(1)))
    await transaction.commit()
    const late = runInTransaction(transaction, () => database.query(insert(2)))
    await expect(late).rejects.toMatchObject({
      code: 'db.transaction-ended',
      message: expect.stringContaining('not awaited'),
    })
    expect(transaction.begun).toBe(true)
    expect(await numbers()).toEqual([1])
  })

  test('concurrent queries all join the transaction, which the first begins', async () => {
    await database.transaction(() =>
      Promise.all([1, 2, 3, 4].map((n) => database.query(insert(n)))),
    )
    expect(await numbers()).toEqual([1, 2, 3, 4])
  })

  test('a commit fails after a failed statement whose error was ignored', async () => {
    const work = database.transaction(async () => {
      await database.query(insert(1))
      await database.query(failing).catch(() => {})
    })
    await expect(work).rejects.toMatchObject({
      code: 'db.commit-failed',
      cause: { sqlState: '22012' },
    })
    expect(await numbers()).toEqual([])
  })

  test('a statement behind the failed one names the failure as its cause', async () => {
    let all: PromiseSettledResult<unknown>[] = []
    const work = database.transaction(async () => {
      all = await Promise.allSettled([database.query(failing), database.query(insert(1))])
    })
    await expect(work).rejects.toMatchObject({ code: 'db.commit-failed' })
    const [first, second] = all.map((one) => (one as PromiseRejectedResult).reason as Error)
    expect(second).toMatchObject({ sqlState: '25P02' })
    expect((second!.cause as Error).cause).toBe(first)
  })

  test('a value that JavaScript cannot represent does not abort the transaction', async () => {
    await database.transaction(async () => {
      await database.query({ sql: `select 'infinity'::date`, parameters: [] }).catch(() => {})
      await database.query(insert(1))
    })
    expect(await numbers()).toEqual([1])
  })

  test('a constraint that fails at COMMIT is db.commit-failed, and nothing is kept', async () => {
    const work = database.transaction(async () => {
      await database.query(insert(1))
      await database.query({ sql: 'insert into child values (9)', parameters: [] })
    })
    await expect(work).rejects.toMatchObject({
      code: 'db.commit-failed',
      cause: { sqlState: '23503' },
    })
    expect(await numbers()).toEqual([])
    await database.transaction(() => database.query(insert(2)))
    expect(await numbers()).toEqual([2])
  })

  describe('a write whose result is not needed', () => {
    const late = (n: number) => ({
      ...insert(n),
      explainLate: (cause: unknown) => new Error('late', { cause }),
    })
    /** The error of a late write of a number that is taken. */
    const taken = { message: 'late', cause: { sqlState: '23505' } }
    const notWaited = { count: 0, command: '' }
    const waited = { count: 1, command: 'INSERT' }

    const begin = async (): Promise<Transaction> => {
      const transaction = new Transaction(database)
      await transaction.query(insert(1))
      return transaction
    }

    test('is not waited for, except at the beginning, and is committed', async () => {
      const transaction = new Transaction(database)
      expect(await transaction.query(late(1))).toMatchObject(waited)
      expect(await transaction.query(late(2))).toMatchObject(notWaited)
      expect(transaction.hasWritten).toBe(true)
      await transaction.query(insert(3))
      expect(await transaction.query(late(4))).toMatchObject(notWaited)
      await transaction.commit()
      expect(await numbers()).toEqual([1, 2, 3, 4])
      await expect(transaction.query(late(5))).rejects.toMatchObject({
        code: 'db.transaction-ended',
      })
    })

    test('is waited for once 64 are in flight', async () => {
      const transaction = await begin()
      const writes = Array.from({ length: 200 }, (_, n) => transaction.query(late(n + 2)))
      const counts = (await Promise.all(writes)).map(({ count }) => count)
      expect(counts).toEqual([...Array<number>(64).fill(0), ...Array<number>(136).fill(1)])
      await transaction.commit()
      expect(await numbers()).toHaveLength(201)
    })

    test('makes the commit fail with its error', async () => {
      const transaction = await begin()
      await transaction.query(late(1))
      await transaction.query(late(2))
      await expect(transaction.commit()).rejects.toMatchObject(taken)
      await transaction.rollback()
      expect(await numbers()).toEqual([])
      expect(database.state.reserved).toBe(0)
    })

    test('makes what follows fail with its error', async () => {
      const transaction = await begin()
      await transaction.query(late(1))
      await expect(transaction.query(insert(2))).rejects.toMatchObject(taken)
      await expect(transaction.script('select 1')).rejects.toMatchObject(taken)
      await expect(transaction.nested(() => Promise.resolve())).rejects.toMatchObject(taken)
      await expect(transaction.commit()).rejects.toMatchObject(taken)
      expect(await numbers()).toEqual([])
    })

    test('leaves the error of a statement that fails before it as it is', async () => {
      const transaction = await begin()
      const failing = transaction.query(insert(1))
      await transaction.query(late(2))
      await expect(failing).rejects.toMatchObject({ sqlState: '23505' })
      await expect(transaction.commit()).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers()).toEqual([])
    })

    test('makes the commit fail if its error cannot be explained', async () => {
      const transaction = await begin()
      const explainLate = (): never => {
        throw new Error('no explanation')
      }
      await transaction.query({ ...insert(1), explainLate })
      await expect(transaction.commit()).rejects.toMatchObject({ message: 'no explanation' })
      expect(await numbers()).toEqual([])
    })

    test('is refused at once if a value is invalid', async () => {
      const transaction = await begin()
      const invalid = { ...late(2), parameters: [Symbol('no value')] }
      await expect(transaction.query(invalid)).rejects.toMatchObject({
        code: 'db.parameter-invalid',
      })
      await transaction.query(late(3))
      await transaction.commit()
      expect(await numbers()).toEqual([1, 3])
    })

    test('has the values that it was called with', async () => {
      const transaction = await begin()
      const parameters = [2]
      const bytes = Buffer.from('3')
      await transaction.query({ ...late(2), parameters })
      const sql = "insert into t (n) values (convert_from($1::bytea, 'UTF8')::int)"
      await transaction.query({ ...late(3), sql, name: undefined, parameters: [bytes] })
      parameters[0] = bytes[0] = 0
      await transaction.commit()
      expect(await numbers()).toEqual([1, 2, 3])
    })

    test('is rolled back with all others if the signal is aborted in the turn of the commit', async () => {
      const controller = new AbortController()
      const transaction = new Transaction(database, {}, controller)
      await transaction.query(insert(1))
      await Promise.all([2, 3].map((n) => transaction.query(late(n))))
      const committing = transaction.commit()
      controller.abort()
      await expect(committing).rejects.toMatchObject({ code: 'db.transaction-ended' })
      expect(await numbers()).toEqual([])
      expect(database.state).toMatchObject({ open: 1, reserved: 0 })
    })

    test('is waited for in a savepoint and beside one', async () => {
      const transaction = await begin()
      const gate = Promise.withResolvers<void>()
      const open = Promise.withResolvers<void>()
      const failing = transaction.nested(async () => {
        open.resolve()
        await gate.promise
        await transaction.query(late(1))
      })
      await open.promise
      expect(await transaction.query(late(2))).toMatchObject(waited)
      gate.resolve()
      await expect(failing).rejects.toMatchObject({ sqlState: '23505' })
      await transaction.query(insert(3))
      expect(await transaction.query(late(4))).toMatchObject(notWaited)
      await transaction.commit()
      // The savepoint began before 2 was written.
      expect(await numbers()).toEqual([1, 3, 4])
    })

    test('does not hide an earlier failure', async () => {
      const transaction = await begin()
      await expect(transaction.query(insert(1))).rejects.toMatchObject({ sqlState: '23505' })
      await expect(transaction.query(late(2))).rejects.toMatchObject({ sqlState: '25P02' })
      await expect(transaction.commit()).rejects.toMatchObject({
        code: 'db.commit-failed',
        cause: { sqlState: '23505' },
      })
    })

    test('is rolled back, whether it fails or not', async () => {
      for (const n of [1, 2]) {
        const transaction = await begin()
        await transaction.query(late(n))
        await transaction.rollback()
      }
      expect(await numbers()).toEqual([])
    })
  })

  test('a savepoint that fails to release is closed once', async () => {
    const transaction = new Transaction(database)
    await transaction.query(insert(1))
    const outer = await transaction.savepoint()
    const inner = await transaction.savepoint()
    await expect(transaction.query(insert(1))).rejects.toThrow()
    await expect(inner.release()).rejects.toMatchObject({ code: 'db.commit-failed' })
    await inner.undo()
    // Still inside the outer savepoint, so the result is waited for.
    const late = { ...insert(2), explainLate: (error: unknown) => error }
    expect(await transaction.query(late)).toMatchObject({ count: 1 })
    await outer.release()
    await transaction.commit()
    expect(await numbers()).toEqual([1, 2])
  })

  test('read-only mode refuses writes', async () => {
    const work = database.transaction(() => database.query(insert(1)), {
      readOnly: true,
      isolation: 'serializable',
    })
    await expect(work).rejects.toMatchObject({ status: 503, code: 'db.read-only' })
    const transaction = new Transaction(database, { readOnly: true })
    await transaction.query({ sql: 'select 1', parameters: [] })
    const late = { ...insert(1), explainLate: (error: unknown) => error }
    await expect(transaction.query(late)).rejects.toMatchObject({ code: 'db.read-only' })
    await transaction.rollback()
  })

  test('nested: a failed inner transaction undoes only its own writes', async () => {
    await database.transaction(async () => {
      await database.query(insert(1))
      const inner = database.transaction(async () => {
        await database.query(insert(2))
        await database.query(failing)
      })
      await expect(inner).rejects.toMatchObject({ sqlState: '22012' })
      await database.transaction(() => database.query(insert(3)))
    })
    expect(await numbers()).toEqual([1, 3])
  })

  test('nested: an inner transaction that ignored a failed statement is rolled back with an error', async () => {
    await database.transaction(async () => {
      const inner = database.transaction(async () => {
        await database.query(insert(2))
        await database.query(failing).catch(() => {})
      })
      await expect(inner).rejects.toMatchObject({ code: 'db.commit-failed' })
      await database.query(insert(3))
    })
    expect(await numbers()).toEqual([3])
  })

  test('concurrent nested transactions are each complete or undone, at any depth', async () => {
    await database.transaction(async () => {
      await Promise.allSettled(
        [1, 2, 3, 4].map((n) =>
          database.transaction(async () => {
            await database.query(insert(n))
            await database.transaction(() => database.query(insert(n + 10)))
            if (n % 2 === 0) throw new Error('even')
          }),
        ),
      )
    })
    expect(await numbers()).toEqual([1, 3, 11, 13])
  })

  test('Kysely uses the current transaction, and its own transaction is a savepoint', async () => {
    await database.transaction(async () => {
      await database.kysely.insertInto('t').values({ n: 1 }).execute()
      const inner = database.kysely.transaction().execute(async (trx) => {
        await trx.insertInto('t').values({ n: 2 }).execute()
        throw new Error('inner')
      })
      await expect(inner).rejects.toThrow('inner')
      await database.kysely
        .transaction()
        .execute((trx) => trx.insertInto('t').values({ n: 3 }).execute())
      currentTransaction()!.afterCommit(() => {})
    })
    expect(await numbers()).toEqual([1, 3])
  })

  test('Kysely outside a transaction: transaction, rollback, savepoint, affected rows; destroy leaves the pool open', async () => {
    const rolledBack = database.kysely.transaction().execute(async (trx) => {
      await trx.insertInto('t').values({ n: 1 }).execute()
      throw new Error('no')
    })
    await expect(rolledBack).rejects.toThrow('no')
    const controlled = await database.kysely.startTransaction().execute()
    await controlled.insertInto('t').values({ n: 2 }).execute()
    const saved = await controlled.savepoint('before').execute()
    await saved.insertInto('t').values({ n: 3 }).execute()
    await saved.rollbackToSavepoint('before').execute()
    await controlled.commit().execute()
    expect(await numbers()).toEqual([2])
    const [deleted] = await database.kysely.deleteFrom('t').execute()
    expect(deleted!.numDeletedRows).toBe(1n)
    await database.kysely.destroy()
    await database.ping()
  })

  test('afterCommit callbacks run in order after the commit, outside the transaction; their errors are logged', async () => {
    const lines: string[] = []
    const logging = new Database(
      database.engine,
      database.pool,
      jsonLogger((line) => lines.push(line)),
    )
    const seen: unknown[] = []
    await logging.transaction(async () => {
      await logging.query(insert(1))
      currentTransaction()!.afterCommit(async () =>
        seen.push(await numbers(logging), currentTransaction()),
      )
      currentTransaction()!.afterCommit(() => {
        throw new Error('mail server')
      })
      currentTransaction()!.afterCommit(() => logging.query(insert(2)))
      expect(seen).toEqual([])
    })
    expect(seen).toEqual([[1], undefined])
    expect(await numbers()).toEqual([1, 2])
    expect(lines.join()).toContain('mail server')
  })

  test('afterCommit callbacks of a rolled back transaction or savepoint never run', async () => {
    const seen: string[] = []
    await database.transaction(async () => {
      currentTransaction()!.afterCommit(() => seen.push('outer'))
      const inner = database.transaction(async () => {
        currentTransaction()!.afterCommit(() => seen.push('inner'))
        throw new Error('no')
      })
      await inner.catch(() => {})
    })
    const failed = database.transaction(async () => {
      currentTransaction()!.afterCommit(() => seen.push('failed'))
      throw new Error('no')
    })
    await failed.catch(() => {})
    expect(seen).toEqual(['outer'])
  })

  test('a failed savepoint drops only the afterCommit callbacks that were registered inside it', async () => {
    const seen: string[] = []
    await database.transaction(async () => {
      const transaction = currentTransaction()!
      const inside = Promise.withResolvers<void>()
      const outside = Promise.withResolvers<void>()
      const inner = database.transaction(async () => {
        transaction.afterCommit(() => seen.push('inner'))
        await database.transaction(async () =>
          transaction.afterCommit(() => seen.push('innermost')),
        )
        inside.resolve()
        await outside.promise
        throw new Error('no')
      })
      await inside.promise
      transaction.afterCommit(() => seen.push('outer'))
      outside.resolve()
      await inner.catch(() => {})
    })
    expect(seen).toEqual(['outer'])
  })

  test('20 concurrent transactions on one connection all succeed one after another', async () => {
    const all = Array.from({ length: 20 }, (_, n) =>
      database.transaction(async () => {
        await database.query(insert(n))
        await Promise.resolve()
        const { rows } = await database.query<{ own: number }>({
          sql: 'select count(*) as own from t where n = $1',
          parameters: [n],
        })
        return rows[0]!.own
      }),
    )
    const singles = Array.from({ length: 20 }, (_, n) => database.query(insert(n + 100)))
    expect(await Promise.all(all)).toEqual(Array.from({ length: 20 }, () => 1))
    await Promise.all(singles)
    expect(await numbers()).toHaveLength(40)
    expect(database.state).toEqual({ open: 1, reserved: 0, waiting: 0 })
  })

  test('a connection with an open transaction is rolled back before it is reused', async () => {
    const leased = await database.pool.reserve()
    await leased.begin({})
    await leased.query(insert(2))
    database.pool.release(leased)
    await database.transaction(() => database.query(insert(3)))
    expect(await numbers()).toEqual([3])
  })

  test('an aborted signal rejects the next statement with its reason', async () => {
    const controller = new AbortController()
    const work = database.transaction(
      async () => {
        await database.query(insert(1))
        controller.abort(new Error('client gone'))
        await database.query(insert(2))
      },
      { signal: controller.signal },
    )
    await expect(work).rejects.toThrow('client gone')
    expect(await numbers()).toEqual([])
  })

  test('currentDatabase returns the registered database', async () => {
    expect(() => currentDatabase('nowhere')).toThrow(
      expect.objectContaining({ code: 'db.not-configured' }),
    )
    useDatabase(database, 'second')
    expect(currentDatabase('second')).toBe(database)
    useDatabase(undefined, 'second')
  })

  describe('isolated', () => {
    test('commits and rollbacks behave as usual, and the end undoes everything', async () => {
      const { database: inner, end } = await isolateDatabase(database)
      await inner.transaction(() => inner.query(insert(1)))
      await inner
        .transaction(async () => {
          await inner.query(insert(2))
          throw new Error('no')
        })
        .catch(() => {})
      await expect(inner.query(failing)).rejects.toMatchObject({ sqlState: '22012' })
      await Promise.allSettled([
        inner.query(insert(3)),
        inner.query(insert(3)),
        inner.query(insert(4)),
      ])
      const late = inner.transaction(() =>
        inner.query({ sql: 'insert into child values (9)', parameters: [] }),
      )
      await expect(late).rejects.toMatchObject({ code: 'db.commit-failed' })
      expect(await numbers(inner)).toEqual([1, 3, 4])
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => inner.transaction(() => inner.query(insert(n + 10)))),
      )
      expect(await numbers(inner)).toHaveLength(23)
      // BEGIN, here a savepoint, is sent with the first statement.
      await inner.transaction(async () => {
        await inner.transaction(() => inner.query(failing)).catch(() => {})
        await inner.query(insert(100))
      })
      expect(await numbers(inner)).toHaveLength(24)
      await end()
      expect(await numbers()).toEqual([])
      expect(database.state.reserved).toBe(0)
    })
  })
})

describe.each(enginesAndPooler)('the pool on $name', ({ open }) => {
  test('exhausted: 503 within the time limit, then recovery; closing waits for running statements', async () => {
    const { database, close } = await open({ poolSize: 1, acquireTimeout: 1000, queueLimit: 2 })
    const held = await database.pool.reserve()
    const waits = await Promise.allSettled([
      database.ping(),
      database.pool.reserve(),
      database.ping(),
    ])
    for (const wait of waits) {
      expect(wait).toMatchObject({
        status: 'rejected',
        reason: { status: 503, code: 'db.pool-exhausted' },
      })
    }
    database.pool.release(held)
    await database.ping()
    const last = database.query<{ x: number }>({ sql: 'select 7 as x', parameters: [] })
    await Promise.all([close(), close()])
    expect((await last).rows).toEqual([{ x: 7 }])
    await expect(database.ping()).rejects.toMatchObject({ code: 'db.closed' })
    expect(database.state.open).toBe(0)
  })

  test('a caller above the queue limit is refused immediately, and the queue is served', async () => {
    const { database, close } = await open({ poolSize: 1, acquireTimeout: 60_000, queueLimit: 2 })
    const query = () => database.query({ sql: 'select 1', parameters: [] })
    const held = await database.pool.reserve()
    const waiting = [query(), query()]
    await expect(query()).rejects.toMatchObject({ status: 503, code: 'db.pool-exhausted' })
    expect(database.state.waiting).toBe(2)
    database.pool.release(held)
    await Promise.all(waiting)
    await close()
  })

  test('a transaction that had a connection is not refused, and is served before others', async () => {
    const { database, close } = await open({ poolSize: 1, acquireTimeout: 60_000, queueLimit: 1 })
    const read = { sql: 'select 1', parameters: [], isRead: true }
    const write = { sql: 'select 2', parameters: [] }
    await database.ping()
    const order: string[] = []
    const had = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    const work = database.transaction(
      async () => {
        await database.query(read)
        had.resolve()
        await go.promise
        await database.query(write)
        order.push('transaction')
      },
      { beginsAtWrite: true },
    )
    await had.promise
    const held = await database.pool.reserve()
    const other = database.query(write).then(() => order.push('other'))
    expect(database.state.waiting).toBe(1)
    go.resolve()
    await expect.poll(() => database.state.waiting).toBe(2)
    database.pool.release(held)
    await Promise.all([work, other])
    expect(order).toEqual(['transaction', 'other'])
    await close()
  })
})
