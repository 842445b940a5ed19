/** Enqueues jobs by their schedules. All times are those of the database. */
import { Cron } from 'croner'
import { FwError, type Logger } from '../base.ts'
import type { Database } from '../db.ts'
import { runStatement } from './job-statement.ts'
import { definedJobs, type Job, type Schedule } from './job.ts'

/** A time that was missed by more than this is not made up for. */
const longestCatchUp = 24 * 60 * 60 * 1000
const longestCron = 100
/** Without this check, `croner` would also accept a date, and a seventh field for years. */
const cronSyntax = /^@[a-z]+$|^\S+(?: \S+){4,5}$/

interface ScheduleRow extends Schedule {
  readonly name: string
  /** Milliseconds since 1970. */
  readonly nextAt: number
  readonly now: number
}

/** The schedules of all jobs of this process. */
export class Schedules {
  readonly #database: Database
  readonly #logger: Logger
  readonly #byKey = new Map<string, Job>()

  /** @throws FwError `jobs.schedule-invalid` */
  constructor(database: Database, logger: Logger) {
    this.#database = database
    this.#logger = logger
    for (const job of definedJobs())
      for (const schedule of job.schedules) {
        findNext(job.name, schedule, Date.now())
        this.#byKey.set(keyOf({ name: job.name, ...schedule }), job)
      }
  }

  /** Stores the schedules that the database does not have yet; they begin now. */
  async add(): Promise<void> {
    for (const job of new Set(this.#byKey.values()))
      for (const schedule of job.schedules) {
        const { cron, timeZone } = schedule
        const { rows } = await this.#database.query<{ now: number }>({ sql: clock, parameters: [] })
        const now = rows[0]!.now
        const parameters = [job.name, cron, timeZone, findNext(job.name, schedule, now) - now]
        await runStatement(this.#database, 'addSchedule', parameters)
      }
  }

  /** Enqueues the jobs whose time has come. Returns the milliseconds until the next time. */
  async run(): Promise<number> {
    if (this.#byKey.size === 0) return Infinity
    const names = [...new Set([...this.#byKey.values()].map(({ name }) => name))]
    const { rows } = await runStatement<ScheduleRow>(this.#database, 'schedules', [names])
    let wait = Infinity
    for (const row of rows) {
      const job = this.#byKey.get(keyOf(row))
      if (job === undefined) continue
      const next = row.nextAt > row.now ? row.nextAt : await this.#enqueue(job, row)
      wait = Math.min(wait, next - row.now)
    }
    return wait
  }

  /** Returns the next time. */
  async #enqueue(job: Job, row: ScheduleRow): Promise<number> {
    const { name, cron, timeZone, nextAt, now } = row
    const next = findNext(name, row, now)
    const isTooLate = now - nextAt > longestCatchUp
    if (isTooLate)
      this.#logger.warn(
        { job: name, cron, missed: new Date(nextAt).toISOString() },
        'a schedule was missed by more than a day: it is not made up for',
      )
    const { queue = 'default', priority = 0 } = job.options
    const target = isTooLate ? null : queue
    await runStatement(this.#database, 'advanceSchedule', [
      name,
      cron,
      timeZone,
      nextAt,
      next,
      target,
      priority,
    ])
    return next
  }
}

const clock = 'select extract(epoch from statement_timestamp())::double precision * 1000 as now'

const keyOf = ({ name, cron, timeZone }: Schedule & { readonly name: string }): string =>
  `${name}\n${cron}\n${timeZone}`

/** Returns the first time after `after`, in milliseconds. @throws FwError `jobs.schedule-invalid` */
export function findNext(name: string, { cron, timeZone }: Schedule, after: number): number {
  const fault = (text: string, cause?: unknown): FwError =>
    new FwError(
      'jobs.schedule-invalid',
      `The job '${name}' has the schedule '${cron}' (${timeZone}): ${text}`,
      { cause },
    )
  if (cron.length > longestCron) throw fault(`it has more than ${longestCron} characters.`)
  if (!cronSyntax.test(cron)) throw fault('write 5 fields, or 6 with seconds first.')
  let next: Date | null
  try {
    next = new Cron(cron, { timezone: timeZone, paused: true }).nextRun(new Date(after))
  } catch (cause) {
    throw fault(`${(cause as Error).message}.`, cause)
  }
  if (next === null) throw fault('it has no further time.')
  return next.getTime()
}
