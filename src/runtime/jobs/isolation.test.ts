/** Jobs on a server whose default isolation level is higher than `read committed`: a job whose lease is extended does not fail. */
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  openDatabase,
  outsideTransaction,
  useDatabase,
  type Database,
  type PostgresSettings,
} from '../db.ts'
import { servers } from '../db/engines.fixture.ts'
import { job } from './job.ts'
import { addEffect, createTables, eventually, jobName, rowsOf } from './runner.fixture.ts'
import { runJobs } from './run-jobs.ts'

/** Opens a database with this default isolation level, and registers it until the end of the test. */
async function open(level: string): Promise<Database> {
  const { database, settings, close } = await servers[0]!.open()
  await createTables(database)
  const alter = `alter database %I set default_transaction_isolation = %L`
  await rowsOf(
    database,
    `do $$ begin execute format('${alter}', current_database(), '${level}'); end $$`,
  )
  const strict = await openDatabase({ ...(settings as PostgresSettings), poolSize: 10 })
  useDatabase(strict)
  onTestFinished(async () => {
    useDatabase(undefined)
    await strict.close()
    await close()
  })
  return strict
}

describe.skipIf(servers.length === 0).each(['repeatable read', 'serializable'])(
  'in %s',
  (level) => {
    test('a job ends whose lease is extended after its first write', async () => {
      const database = await open(level)
      const extend = () =>
        rowsOf(database, "update fw_jobs set run_at = run_at + interval '1 second'")
      const one = job(jobName(), {}, async () => {
        await addEffect(database, 'one')
        await outsideTransaction(extend)
      })
      await one.enqueue()
      expect(await runJobs()).toBe(1)
      expect(await rowsOf(database, 'select name from effects')).toEqual([{ name: 'one' }])
    })

    test('a job that reads first reads in its own level', async () => {
      const database = await open(level)
      const sql = `select current_setting('transaction_isolation') as level`
      let read: unknown
      const one = job(jobName(), {}, async () => {
        read = (await database.query({ sql, parameters: [], isRead: true })).rows
        await addEffect(database, 'one')
      })
      await one.enqueue()
      expect(await runJobs()).toBe(1)
      expect(read).toEqual([{ level: 'read committed' }])
    })

    test('a failure is stored while the lease is extended', async () => {
      const database = await open(level)
      const extended = Promise.withResolvers<void>()
      let extension: Promise<void> | undefined
      const one = job(jobName(), {}, async () => {
        const begun = Promise.withResolvers<void>()
        const extend = async (): Promise<void> => {
          await rowsOf(database, "update fw_jobs set run_at = run_at + interval '1 second'")
          begun.resolve()
          await extended.promise
        }
        const isolation = 'read committed'
        extension = outsideTransaction(() => database.transaction(extend, { isolation }))
        await begun.promise
        throw new Error('of the handler')
      })
      await one.enqueue()
      const ran = runJobs().catch((error: unknown) => error)
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await eventually(
        () => rowsOf(database, waiting),
        (rows) => rows.length > 0,
      )
      extended.resolve()
      await extension
      expect(await ran).toMatchObject({ message: 'of the handler' })
      expect(await rowsOf(database, 'select attempt, worker from fw_jobs')).toEqual([
        { attempt: 1, worker: null },
      ])
    })
  },
)
