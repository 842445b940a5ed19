/** `JobRunner` on every engine: leases, its queues, old dead letters, a failing database, the idle load and notifications. */
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Temporal } from '../base.ts'
import { sqlChannel, useDatabase, type Database } from '../db.ts'
import { enginesAndPooler, servers } from '../db/engines.fixture.ts'
import { recordingLogger, type LogLine } from '../../../test/support/serve.ts'
import type { JobContext } from './job.ts'
import { job } from './job.ts'
import { JobRunner } from './job-runner.ts'
import {
  addEffect,
  createTables,
  eventually,
  jobName,
  rowsOf,
  settings,
  startRunner,
  useJobs,
} from './runner.fixture.ts'
import { runJobs } from './run-jobs.ts'

/** Defines a job that waits for `gate`, and enqueues it. Returns its context once it runs. */
async function enqueueWaiting(work: () => unknown) {
  const started = Promise.withResolvers<JobContext>()
  const gate = Promise.withResolvers<void>()
  const waiting = job(jobName(), {}, async (_, ctx) => {
    started.resolve(ctx)
    await gate.promise
    await work()
  })
  await waiting.enqueue()
  return { started: started.promise, end: gate.resolve }
}

/** The text of each statement that is sent until the test ends. */
function recordStatements(): string[] {
  const statements: string[] = []
  const start = ({ sql }: { readonly sql: string }): void => void statements.push(sql)
  onTestFinished(sqlChannel.subscribe({ start }))
  return statements
}

const isClaim = (sql: string): boolean => sql.includes('RECURSIVE levels')

type Timer = 'setInterval' | 'clearInterval' | 'setTimeout' | 'clearTimeout' | 'performance'

function useFakeTimers(...toFake: Timer[]): void {
  vi.useFakeTimers({ toFake })
  onTestFinished(() => void vi.useRealTimers())
}

describe.each(enginesAndPooler)('on $name', (engine) => {
  const opened = useJobs(engine)
  const effects = async (database: Database) =>
    (await rowsOf<{ name: string }>(database, 'select name from effects')).map((row) => row.name)

  test('the lease of a running job is extended', async () => {
    const database = opened()
    useFakeTimers('setInterval', 'clearInterval')
    const { started, end } = await enqueueWaiting(() => addEffect(database, 'kept'))
    await startRunner(database)
    await started
    await rowsOf(
      database,
      "update fw_jobs set run_at = statement_timestamp() + interval '1 second'",
    )
    vi.advanceTimersByTime(10_000)
    const left = `select extract(epoch from run_at - statement_timestamp())::float as left from fw_jobs`
    await eventually(
      () => rowsOf<{ left: number }>(database, left),
      ([row]) => row!.left > 20,
    )
    end()
    await eventually(
      () => effects(database),
      (found) => found.length === 1,
    )
  })

  test('a job that another process has taken is aborted when its lease is extended', async () => {
    const database = opened()
    useFakeTimers('setInterval', 'clearInterval')
    const lines: LogLine[] = []
    const { started } = await enqueueWaiting(() => addEffect(database, 'undone'))
    await startRunner(database, {}, recordingLogger(lines))
    const { signal } = await started
    await rowsOf(database, "update fw_jobs set worker = 'other', attempt = attempt + 1")
    vi.advanceTimersByTime(10_000)
    await eventually(
      () => lines,
      (found) => found.length > 0,
    )
    expect(signal.reason).toMatchObject({ code: 'jobs.lease-lost' })
    expect(lines).toMatchObject([
      {
        level: 'warn',
        message: 'job rolled back: another process has it',
        fields: { err: { code: 'jobs.lease-lost' } },
      },
    ])
    expect(await effects(database)).toEqual([])
    expect(await rowsOf(database, 'select worker, attempt, error from fw_jobs')).toEqual([
      { worker: 'other', attempt: 2, error: null },
    ])
  })

  test('a runner of some queues leaves the jobs of the others', async () => {
    const database = opened()
    const one = job(jobName(), {}, (_, { queue }) => addEffect(database, queue))
    for (const queue of ['others', 'own', 'others']) await one.enqueue({}, { queue })
    await startRunner(database, {}, undefined, ['own'])
    await eventually(
      () => effects(database),
      (found) => found.length > 0,
    )
    await one.enqueue({}, { queue: 'own' })
    await eventually(
      () => effects(database),
      (found) => found.length > 1,
    )
    expect(await effects(database)).toEqual(['own', 'own'])
    expect(await rowsOf(database, 'select queue, attempt from fw_jobs')).toEqual([
      { queue: 'others', attempt: 0 },
      { queue: 'others', attempt: 0 },
    ])
  })

  test('names that no queue can have are refused', () => {
    const database = opened()
    const { logger } = database
    const create =
      (queues: readonly string[], own = {}) =>
      () =>
        new JobRunner({ database, logger, settings: settings(own), queues })
    expect(create(['default', ''])).toThrow('The queue "" is no name')
    expect(create([], { queues: { 'a b': '2' } })).toThrow('The queue "a b" is no name')
  })

  test('dead letters are removed after keepDead', async () => {
    const database = opened()
    const refused = job(jobName(), {}, (_, ctx) => ctx.deadLetter('refused'))
    for (const age of ['29 days', '31 days']) {
      await refused.enqueue()
      await expect(runJobs()).rejects.toThrow('refused')
      const aged = `dead_at = dead_at - interval '${age}', error = '${age}'`
      await rowsOf(database, `update fw_jobs set ${aged} where error = 'refused'`)
    }
    const dead = () => rowsOf(database, 'select error from fw_jobs')
    await startRunner(database)
    await eventually(dead, (rows) => rows.length === 1)
    expect(await dead()).toEqual([{ error: '29 days' }])
    await startRunner(database, { keepDead: '10d' })
    await eventually(dead, (rows) => rows.length === 0)
  })

  test('a database that fails for long is logged once, and its end', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const isLogged = (text: string) => (found: LogLine[]) =>
      found.some(({ message }) => message === text)
    let failures = 0
    onTestFinished(sqlChannel.subscribe({ end: ({ error }) => error && failures++ }))
    const runner = await startRunner(database, { pollInterval: '50ms' }, recordingLogger(lines))
    await rowsOf(database, 'alter table fw_jobs rename to hidden')
    await eventually(
      () => failures,
      (found) => found > 2,
    )
    await rowsOf(database, 'alter table hidden rename to fw_jobs')
    await eventually(() => lines, isLogged('looks for jobs again'))
    await runner.close(0)
    expect(lines).toMatchObject([
      {
        level: 'error',
        message: 'cannot look for jobs: tries again',
        fields: { err: { code: 'jobs.tables-missing' } },
      },
      { level: 'info', message: 'looks for jobs again' },
    ])
  })

  test('an idle runner sends one statement in each pollInterval', async () => {
    const database = opened()
    job(jobName(), {}, () => {}).schedule('0 0 1 1 *')
    const statements = recordStatements()
    await startRunner(database, { pollInterval: '50ms' })
    await eventually(
      () => statements,
      (sent) => sent.filter(isClaim).length === 6,
    )
    const afterFirst = statements.slice(statements.findIndex(isClaim) + 1)
    expect(afterFirst.filter((sql) => !isClaim(sql))).toHaveLength(1)
    expect(afterFirst.find((sql) => !isClaim(sql))).toMatch(/DELETE .* dead_at </)
  })

  test('a pool that is too small for its jobs is logged at the start', async () => {
    const database = opened()
    const lines: LogLine[] = []
    await startRunner(database, { concurrency: 18 }, recordingLogger(lines), ['default'])
    expect(lines).toEqual([])
    await startRunner(database, { concurrency: 19 }, recordingLogger(lines), ['default'])
    await startRunner(database, { queues: { slow: '11' } }, recordingLogger(lines), ['a', 'slow'])
    const expected = [
      {
        level: 'warn',
        message:
          'jobs may wait for connections: raise db.default.poolSize to 21, or lower jobs.concurrency',
        fields: { poolSize: 20, jobs: 19, queues: ['default'] },
      },
      { level: 'warn', fields: { jobs: 19, queues: ['a', 'slow'] } },
    ]
    // The only connection of an embedded database cannot be raised.
    expect(lines).toMatchObject(engine.name === 'pglite' ? [] : expected)
  })

  test('runJobs runs all jobs that it has claimed, and rejects with the first failure', async () => {
    const database = opened()
    const failing = job(jobName(), {}, () => Promise.reject(new Error('first')))
    const fine = job(jobName(), {}, () => addEffect(database, 'fine'))
    await failing.enqueue({}, { queue: 'a' })
    await fine.enqueue({}, { queue: 'b' })
    await expect(runJobs()).rejects.toThrow('first')
    expect(await effects(database)).toEqual(['fine'])
    expect(await rowsOf(database, 'select attempt, worker from fw_jobs')).toEqual([
      { attempt: 1, worker: null },
    ])
    await rowsOf(database, 'delete from fw_jobs')
    for (const queue of ['a', 'a', 'b', 'c']) await fine.enqueue({}, { queue })
    expect(await runJobs()).toBe(4)
  })

  test('enqueue is one statement of the transaction, of any number of jobs', async () => {
    const database = opened()
    const one = job(jobName(), {}, () => {})
    const statements = recordStatements()
    await database.transaction(async () => {
      await addEffect(database, 'kept')
      await one.enqueue()
      await one.enqueueAll(Array.from({ length: 50 }, () => ({})))
    })
    const names = statements.map((sql) => sql.trim().split(/\s+/, 3).join(' '))
    // Meanwhile, a timer may announce the jobs of earlier commits.
    expect(names.filter((name) => !name.includes('pg_notify'))).toEqual([
      'insert into effects',
      'INSERT INTO fw_jobs',
      'INSERT INTO fw_jobs',
    ])
  })

  // A pooler passes no notifications on: there, the runner finds the job when it looks for due ones.
  test.skipIf(engine.name === 'pgbouncer')(
    'a job whose time has already come wakes a runner',
    async () => {
      const database = opened()
      const one = job(jobName(), {}, () => addEffect(database, 'ran'))
      const statements = recordStatements()
      await startRunner(database, { pollInterval: '1h' })
      // The first when it starts, the second when it begins to listen; a third if an earlier test's jobs are announced then.
      await eventually(
        () => statements,
        (sent) => sent.filter(isClaim).length >= 2,
      )
      await one.enqueue({}, { at: Temporal.Now.instant() })
      await eventually(
        () => effects(database),
        (found) => found.length === 1,
      )
    },
  )
})

describe.each(servers)('on a server', (engine) => {
  test('a process notifies of its first job at once, and of those within 100 ms together', async () => {
    useFakeTimers('setTimeout', 'clearTimeout', 'performance')
    const { database, settings: own, close } = await engine.open()
    await createTables(database)
    useDatabase(database)
    const client = new pg.Client({ connectionString: (own as { url: string }).url })
    await client.connect()
    onTestFinished(async () => {
      useDatabase(undefined)
      await client.end()
      await close()
    })
    const heard: string[] = []
    let onHeard = (): void => {}
    client.on('notification', ({ payload = '' }) => {
      heard.push(payload)
      onHeard()
    })
    await client.query('listen fw_jobs')
    const hear = async (count: number): Promise<void> => {
      while (heard.length < count) await new Promise<void>((resolve) => (onHeard = resolve))
    }
    const one = job(jobName(), {}, () => {})
    for (let at = 0; at < 5; at++) await database.transaction(() => one.enqueue())
    await one.enqueue({}, { in: '1 hour' })
    await database.notify('fw_jobs', 'during')
    await hear(2)
    expect(heard).toEqual(['', 'during'])
    vi.advanceTimersByTime(100)
    await hear(3)
    vi.advanceTimersByTime(1000)
    await one.enqueue()
    await database.notify('fw_jobs', 'later')
    await hear(5)
    expect(heard).toEqual(['', 'during', '', '', 'later'])
  })
})
