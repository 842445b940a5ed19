/**
 * Tests a node that freezes during a transaction. PostgreSQL ends the transaction, so that its locks do not block
 * others for long.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase, type Database, type PostgresSettings } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  type EmptyDatabase,
} from '../../src/runtime/db/test-server.fixture.ts'

const run = (database: Database, sql: string) => database.query({ sql, parameters: [] })

describe.skipIf(!(await hasTestServer()))('a transaction without statements', () => {
  let empty: EmptyDatabase
  beforeAll(async () => {
    empty = await emptyDatabaseOn('frozen')
  })
  afterAll(() => empty.drop())

  async function open(settings: Partial<PostgresSettings> = {}): Promise<Database> {
    const database = await openDatabase({ kind: 'postgres', url: empty.url, ...settings })
    onTestFinished(() => database.close())
    return database
  }

  test('ends after idleTransactionTimeout: its locks are free, its node answers 503 and then works', async () => {
    const frozen = await open({ idleTransactionTimeout: 50 })
    const other = await open()
    await run(other, 'create table notes (n int)')
    const failed = frozen.transaction(async () => {
      await run(frozen, 'insert into notes values (1)')
      await run(frozen, 'lock table notes')
      // This statement waits for the lock, which is free when PostgreSQL has ended the idle transaction.
      await run(other, 'insert into notes values (2)')
      await run(frozen, 'insert into notes values (3)')
    })
    await expect(failed).rejects.toMatchObject({ status: 503 })
    expect((await run(frozen, 'select n from notes')).rows).toEqual([{ n: 2 }])
  })

  test('has a limit of a minute by default, except in migrations and scripts', async () => {
    const database = await open({ poolSize: 1 })
    const show = async (): Promise<unknown> =>
      (await run(database, 'show idle_in_transaction_session_timeout')).rows[0]
    expect(await show()).toEqual({ idle_in_transaction_session_timeout: '1min' })
    const unlimited = await open({ idleTransactionTimeout: 0 })
    const { rows } = await run(unlimited, 'show idle_in_transaction_session_timeout')
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '0' }])
    await database.transaction(
      async () => {
        expect(await show()).toEqual({ idle_in_transaction_session_timeout: '0' })
      },
      { unlimited: true },
    )
    expect(await show()).toEqual({ idle_in_transaction_session_timeout: '1min' })
  })
})
