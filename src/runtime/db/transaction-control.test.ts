/** Transaction control in statements: it would end or begin transactions of others that share the connection. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../db.ts'
import { engines, type OpenEngine } from './engines.fixture.ts'
import { findTransactionControl } from './transaction-control.ts'

const refused = { code: 'db.transaction-control', message: expect.stringContaining('transaction(') }

describe.each(engines)('$name', ({ open }) => {
  let engine: OpenEngine
  let database: Database
  const run = (text: string) => database.query({ sql: text, parameters: [] })
  const count = async () =>
    (await database.query<{ c: number }>({ sql: 'select count(*) as c from t', parameters: [] }))
      .rows[0]!.c

  beforeAll(async () => {
    engine = await open({ poolSize: 1 })
    database = engine.database
    await run('create table t (n int)')
  })
  beforeEach(() => run('delete from t'))
  afterAll(() => engine.close())

  test('a single begin is refused, so that it cannot roll back a statement of another caller', async () => {
    const [begun, inserted] = await Promise.allSettled([
      run('begin'),
      run('insert into t values (1)'),
    ])
    expect(begun).toMatchObject({ status: 'rejected', reason: refused })
    expect(inserted.status).toBe('fulfilled')
    expect(await count()).toBe(1)
  })

  test('in a transaction, commit and savepoints are refused, and the transaction goes on', async () => {
    const work = database.transaction(async () => {
      await run('insert into t values (1)')
      for (const text of ['commit', 'rollback', 'savepoint a', 'select 1; end'])
        await expect(run(text)).rejects.toMatchObject(refused)
      throw new Error('undo')
    })
    await expect(work).rejects.toThrow('undo')
    expect(await count()).toBe(0)
    await database.transaction(async () => {
      await run('insert into t values (2)')
      await expect(run('rollback')).rejects.toMatchObject(refused)
    })
    expect(await count()).toBe(1)
  })

  test('in a transaction, a statement may set its mode', async () => {
    const work = database.transaction(async () => {
      await run('set local transaction_isolation to "repeatable read"')
      await run('set transaction read only')
      await run('insert into t values (1)')
    })
    await expect(work).rejects.toMatchObject({ code: 'db.read-only' })
  })

  test('in a transaction, a statement may not set the mode of later transactions', async () => {
    await database.transaction(async () => {
      const later = run('set default_transaction_read_only = on')
      await expect(later).rejects.toMatchObject(refused)
    })
    await run('insert into t values (1)')
  })

  test('Kysely refuses it in raw SQL, and its own transactions and savepoints work', async () => {
    const { kysely } = database
    await expect(sql`begin`.execute(kysely)).rejects.toMatchObject(refused)
    await kysely.transaction().execute(async (outer) => {
      await sql`insert into t values (1)`.execute(outer)
      await expect(sql`commit`.execute(outer)).rejects.toMatchObject(refused)
    })
    const controlled = await kysely.startTransaction().execute()
    await sql`insert into t values (2)`.execute(controlled)
    const after = await controlled.savepoint('s').execute()
    await sql`insert into t values (3)`.execute(after)
    await after.rollbackToSavepoint('s').execute()
    await controlled.commit().execute()
    expect(await count()).toBe(2)
  })
})

test.each([
  'begin',
  'BEGIN ISOLATION LEVEL SERIALIZABLE',
  '  \n commit;',
  'COMMIT AND CHAIN',
  'end work',
  'abort',
  'rollback',
  'rollback to savepoint a',
  'savepoint a',
  'release a',
  'release savepoint a',
  'start transaction read only',
  "prepare transaction 'a'",
  'set transaction isolation level serializable',
  'set session characteristics as transaction read only',
  'set default_transaction_read_only = on',
  "set session default_transaction_isolation to 'serializable'",
  'SELECT 1; SET Default_Transaction_Deferrable = on',
  'reset default_transaction_isolation',
  'set transaction_read_only = on',
  'set local transaction read only',
  'set session transaction isolation level serializable',
  'reset transaction isolation level',
  "set local transaction_isolation = 'serializable'",
  '-- a remark\nbegin',
  '/* one /* nested */ remark */ begin',
  'start /* a remark */ transaction',
  'start/**/transaction',
  'set/**/session characteristics as transaction read only',
  'set "default_transaction_read_only" = on',
  'set -- a remark\n transaction read only',
  ';begin',
  'select 1; commit',
  "select ';'; -- ; begin\n commit",
  'insert into t values (1); /* ; */ rollback; select 2',
])('%j is refused outside transaction()', (text) => {
  expect(findTransactionControl(text, false)).toMatchObject(refused)
})

test.each([
  'select 1',
  'select 1; select 2',
  "select 'a; begin'",
  'select "commit" from t',
  '-- begin\nselect 1',
  '/* ; begin; */ select 1',
  'select $$; begin; $$',
  'do $$ begin perform 1; end $$',
  'create function f() returns int language sql begin atomic select 1; select 2; end',
  'prepare a as select 1',
  "commit prepared 'a'",
  "rollback prepared 'a'",
  'set local lock_timeout = 1',
  'set local default_transaction_read_only = on',
  'select 1;',
  "set application_name = 'a;begin'",
  'set statement_timeout = 1',
  'reset statement_timeout',
  'with begin as (select 1) select * from begin',
  'endpoint',
  'update begin set n = 1',
])('%j is no transaction control', (text) => {
  expect(findTransactionControl(text, false)).toBeUndefined()
})
