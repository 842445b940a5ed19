/** A pool of one connection, as of the embedded database: work outside a transaction that holds it says so at once. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { outsideTransaction, Transaction, type Database } from '../db.ts'
import { engines, type OpenEngine } from './engines.fixture.ts'
import { runInTransaction } from './current-transaction.ts'

const sql = (text: string) => ({ sql: text, parameters: [] })

describe.each(engines)('one connection of $name', ({ open }) => {
  let own: OpenEngine
  let database: Database

  beforeAll(async () => {
    own = await open({ poolSize: 1, acquireTimeout: 30_000 })
    database = own.database
    await database.query(sql('create table t (n int)'))
  })
  afterEach(async () => {
    // Waits until the connection is free.
    await database.ping()
    await database.query(sql('truncate t'))
  })
  afterAll(() => own.close())

  const insert = (n: number) => database.query(sql(`insert into t values (${n})`))
  const stored = async () =>
    (await database.query<{ n: number }>(sql('select n from t order by n'))).rows.map(({ n }) => n)
  const refusal = {
    code: 'db.only-connection',
    message: expect.stringContaining('has the only connection') as string,
  }

  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    statement: () => insert(2),
    transaction: () => database.transaction(() => insert(2)),
    'statement of Kysely': () => database.kysely.selectFrom('t').selectAll().execute(),
    'transaction of Kysely': () =>
      database.kysely.transaction().execute((inner) => inner.selectFrom('t').selectAll().execute()),
    'statement in a nested call': () => outsideTransaction(() => insert(2)),
  }

  test.each(Object.entries(works))(
    'a %s outside the transaction that has it fails with the reason',
    async (_name, work) => {
      const start = performance.now()
      const running = database.transaction(async () => {
        await insert(1)
        await outsideTransaction(work)
      })
      await expect(running).rejects.toMatchObject(refusal)
      expect(performance.now() - start).toBeLessThan(2000)
      expect(await stored()).toEqual([])
    },
  )

  test('also in a savepoint, and the transaction goes on', async () => {
    await database.transaction(async () => {
      await insert(1)
      const inside = database.transaction(() => outsideTransaction(() => insert(2)))
      await expect(inside).rejects.toMatchObject(refusal)
    })
    expect(await stored()).toEqual([1])
  })

  test('work that the transaction does not await runs after it', async () => {
    let later: Promise<unknown> | undefined
    await database.transaction(async () => {
      await insert(1)
      later = outsideTransaction(() => insert(2))
    })
    await later
    expect(await stored()).toEqual([1, 2])
  })

  test('before the transaction has it, and after its end, the work runs', async () => {
    const transaction = new Transaction(database, { beginsAtWrite: true })
    await runInTransaction(transaction, async () => {
      await database.query({ ...sql('select 1'), isRead: true })
      await outsideTransaction(() => insert(1))
      await insert(2)
      transaction.afterCommit(() => insert(3))
      await transaction.commit()
      await outsideTransaction(() => insert(4))
    })
    expect(await stored()).toEqual([1, 2, 3, 4])
  })

  test('a read-only transaction lends it to work outside, and goes on with a new snapshot', async () => {
    const readOnly = { readOnly: true, isolation: 'repeatable read' } as const
    await database
      .transaction(async () => {
        expect(await stored()).toEqual([])
        await outsideTransaction(() => insert(1))
        await outsideTransaction(() => database.transaction(() => insert(2)))
        expect(await stored()).toEqual([1, 2])
        await expect(insert(3)).rejects.toMatchObject({ code: 'db.read-only' })
      }, readOnly)
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'db.commit-failed' }))
    expect(await stored()).toEqual([1, 2])
  })

  test('another caller waits for its turn', async () => {
    const begun = Promise.withResolvers<void>()
    const wait = Promise.withResolvers<void>()
    const long = database.transaction(async () => {
      await insert(1)
      begun.resolve()
      await wait.promise
    })
    await begun.promise
    const other = insert(2)
    await expect.poll(() => database.state).toMatchObject({ waiting: 1 })
    wait.resolve()
    await Promise.all([long, other])
    expect(await stored()).toEqual([1, 2])
  })
})
