/** Databases with the tables of jobs, and runners, for the tests of jobs. */
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest'
import { silentLogger, type Logger } from '../base.ts'
import { Configuration, readSettings } from '../config.ts'
import { useDatabase, type Database } from '../db.ts'
import type { OpenEngine, TestEngine } from '../db/engines.fixture.ts'
import { JobRunner } from './job-runner.ts'
import { jobMigration } from './job-sql.ts'
import { jobSettings, type JobSettings } from './settings.ts'

let names = 0
/** Returns a new name for the job of a test, because each engine defines its jobs again. */
export const jobName = (): string => `test-${++names}`

/** Creates the tables of jobs, and a table `effects`. */
export async function createTables(database: Database): Promise<void> {
  for (const sql of [...jobMigration.up, 'create table effects (name text, job_id bigint)'])
    await database.query({ sql, parameters: [] })
}

/**
 * Opens a database with the tables of jobs and a table `effects` for the tests of a suite, and registers it. Returns a function
 * that returns it. Each test begins with empty tables.
 */
export function useJobs(engine: TestEngine): () => Database {
  let opened: OpenEngine
  beforeAll(async () => {
    opened = await engine.open({ poolSize: 20 })
    await createTables(opened.database)
    useDatabase(opened.database)
  })
  beforeEach(async () => {
    for (const table of ['fw_jobs', 'fw_job_schedules', 'effects'])
      await opened.database.query({ sql: `delete from ${table}`, parameters: [] })
  })
  afterAll(async () => {
    useDatabase(undefined)
    await opened.close()
  })
  return () => opened.database
}

export const settings = (own: object = {}): JobSettings =>
  readSettings(Configuration.from({ jobs: own }), jobSettings).jobs

/** Starts a runner, and closes it when the test ends. */
export async function startRunner(
  database: Database,
  own: object = {},
  logger: Logger = silentLogger,
  queues?: readonly string[],
): Promise<JobRunner> {
  const runner = new JobRunner({ database, logger, settings: settings(own), queues })
  onTestFinished(() => runner.close(0))
  return runner.start()
}

/** Runs SQL, and returns the rows. */
export const rowsOf = async <Row = Record<string, unknown>>(
  database: Database,
  sql: string,
): Promise<Row[]> => (await database.query<Row>({ sql, parameters: [] })).rows

/** Inserts a row into `effects`, in the current transaction. */
export const addEffect = (database: Database, name: string, id = 0) =>
  database.query({ sql: 'insert into effects values ($1, $2)', parameters: [name, id] })

/** Resolves with the result of `read` once it fulfils the condition. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  holds: (value: T) => boolean,
): Promise<T> {
  for (;;) {
    const value = await read()
    if (holds(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
