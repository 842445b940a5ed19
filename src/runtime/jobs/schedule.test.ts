/** Schedules: times with summer time, several nodes, missed times, and a clock that is set back. */
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import type { Database } from '../db.ts'
import { engines } from '../db/engines.fixture.ts'
import { ParamType } from '../params.ts'
import { recordingLogger, type LogLine } from '../../../test/support/serve.ts'
import { job } from './job.ts'
import { eventually, rowsOf, startRunner, useJobs } from './runner.fixture.ts'
import { findNext, Schedules } from './schedule.ts'

const times = (cron: string, timeZone: string, from: string, count: number): string[] => {
  let at = Date.parse(from)
  return Array.from({ length: count }, () => {
    at = findNext('test', { cron, timeZone }, at)
    return new Date(at).toISOString().replace(':00.000Z', 'Z')
  })
}

describe('the times of a schedule', () => {
  test('a time that summer time skips is right after it, and one that occurs twice is once', () => {
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:00Z',
      '2026-03-30T00:30Z',
    ])
    expect(times('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00Z', 3)).toEqual([
      '2026-10-24T00:30Z',
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ])
  })

  test.each([
    ['61 * * * *', 'UTC', /Invalid value for minute/],
    ['* * * *', 'UTC', /write 5 fields/],
    ['2030-01-01T00:00:00', 'UTC', /write 5 fields/],
    ['0 3 * * *', 'Mars/One', /Mars\/One/],
    ['0 0 30 2 *', 'UTC', /no further time/],
    [`0 3 * * ${'1,'.repeat(60)}1`, 'UTC', /more than 100/],
  ])('%s in %s is refused', (cron, timeZone, message) => {
    expect(() => findNext('test', { cron, timeZone }, 0)).toThrow(message)
  })

  test('a job that needs arguments has no schedule', () => {
    const types = { id: ParamType.Long }
    expect(() => job('needs-arguments', types, () => {}).schedule('0 3 * * *')).toThrow(
      /needs the argument 'id'/,
    )
  })
})

describe.each(engines)('on $name', (engine) => {
  const opened = useJobs(engine)
  let runs = 0
  const name = `scheduled-${engine.name}`
  job(name, {}, () => void runs++).schedule('0 3 * * *', { timeZone: 'Asia/Tokyo' })
  const create = async (database: Database, lines: LogLine[] = []) => {
    const schedules = new Schedules(database, recordingLogger(lines))
    await schedules.add()
    return schedules
  }
  const count = async (database: Database) =>
    (await rowsOf(database, 'select 1 from fw_jobs')).length
  const shift = (database: Database, by: string) =>
    rowsOf(database, `update fw_job_schedules set next_at = next_at ${by} where name = '${name}'`)
  const missed = (database: Database, ago: string) =>
    rowsOf(
      database,
      `update fw_job_schedules set next_at = statement_timestamp() - interval '${ago}' where name = '${name}'`,
    )

  test('its first time is the next one, and several nodes enqueue it once', async () => {
    const database = opened()
    const nodes = await Promise.all([create(database), create(database), create(database)])
    const wait = Math.min(...(await Promise.all(nodes.map((node) => node.run()))))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(24 * 60 * 60 * 1000)
    expect(await count(database)).toBe(0)
    await missed(database, '1 second')
    await Promise.all(nodes.map((node) => node.run()))
    expect(await count(database)).toBe(1)
    await rowsOf(database, 'delete from fw_jobs')
    await Promise.all(nodes.map((node) => node.run()))
    expect(await count(database)).toBe(0)
  })

  test('times that were missed are made up for once, within a day', async () => {
    const database = opened()
    const lines: LogLine[] = []
    const schedules = await create(database, lines)
    await missed(database, '23 hours')
    await schedules.run()
    expect(await count(database)).toBe(1)
    await rowsOf(database, 'delete from fw_jobs')
    await missed(database, '3 days')
    await schedules.run()
    expect(await count(database)).toBe(0)
    expect(lines).toMatchObject([{ level: 'warn', fields: { job: name } }])
  })

  test('a clock of the database that is set back enqueues nothing again', async () => {
    const database = opened()
    const schedules = await create(database)
    await missed(database, '1 second')
    await schedules.run()
    // The next time is then further in the future.
    await shift(database, "+ interval '1 hour'")
    await schedules.run()
    expect(await count(database)).toBe(1)
  })

  test('a job that has not ended at its next time is not enqueued beside it', async () => {
    const database = opened()
    const schedules = await create(database)
    await missed(database, '2 seconds')
    await schedules.run()
    await missed(database, '1 second')
    await schedules.run()
    expect(await count(database)).toBe(1)
  })

  test('a job that waits after a failed attempt runs at its next time', async () => {
    const database = opened()
    const schedules = await create(database)
    await missed(database, '2 seconds')
    await schedules.run()
    await rowsOf(database, "update fw_jobs set run_at = run_at + interval '1 hour'")
    await missed(database, '1 second')
    await schedules.run()
    expect(
      await rowsOf(database, 'select run_at <= statement_timestamp() as due from fw_jobs'),
    ).toEqual([{ due: true }])
  })

  test('a runner runs it', async () => {
    const database = opened()
    await create(database)
    await missed(database, '1 second')
    const before = runs
    await startRunner(database, {}, silentLogger)
    await eventually(
      () => runs,
      (found) => found > before,
    )
  })
})
