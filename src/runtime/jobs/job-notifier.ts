/** `JobNotifier`: notifies the processes that run jobs, but not at every commit. */
import { outsideRequests } from '../base.ts'
import type { Database } from '../db.ts'
import { jobChannelName } from './job-sql.ts'

/**
 * The milliseconds within which a process notifies once: PostgreSQL serialises the commits of transactions that notify. When they
 * are over, one statement announces all jobs that were committed meanwhile.
 */
const interval = 100

/** The notifications of this process to one database. */
export class JobNotifier {
  readonly #database: Database
  #last = -Infinity
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns true, and begins the interval, if the present statement must notify. Otherwise call `notifyLater` after its commit. */
  takeTurn(): boolean {
    const now = performance.now()
    if (now - this.#last < interval) return false
    this.#last = now
    return true
  }

  notifyLater(): void {
    if (this.#timer !== undefined) return
    const left = Math.max(0, interval - (performance.now() - this.#last))
    this.#timer = outsideRequests(() => setTimeout(this.#notify, left).unref())
  }

  readonly #notify = (): void => {
    this.#timer = undefined
    this.#last = performance.now()
    // Without this notification, workers find the jobs when they look for due ones.
    this.#database.notify(jobChannelName).catch(() => {})
  }
}

const notifiers = new WeakMap<Database, JobNotifier>()

/** The notifier of a database; undefined for an embedded one, which only this process uses. */
export function notifierOf(database: Database): JobNotifier | undefined {
  if (database.engine === 'pglite') return undefined
  let notifier = notifiers.get(database)
  if (notifier === undefined) notifiers.set(database, (notifier = new JobNotifier(database)))
  return notifier
}
