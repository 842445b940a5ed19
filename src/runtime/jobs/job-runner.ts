/** `JobRunner`: claims due jobs and runs them, until it is closed. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { IndexedList, outsideRequests, type FwError, type Listed, type Logger } from '../base.ts'
import type { Database } from '../db.ts'
import type { ClaimedJob } from './job-event.ts'
import { Draining, JobRun, lost, type Worker } from './job-run.ts'
import { jobChannelName } from './job-sql.ts'
import { runStatement } from './job-statement.ts'
import { refreshCounts } from './job-state.ts'
import { checkQueue, definedJobs, enqueueListeners } from './job.ts'
import type { Schedules } from './schedule.ts'
import type { JobSettings } from './settings.ts'

/** The milliseconds for which a process has a job before others may take it, and between extensions of that time. */
const lease = 30_000
const extendInterval = 10_000
/** The connections for claims and for leases. */
const connectionsBesideJobs = 2
/** The milliseconds from one claim until the next one, if only some of the claimed jobs have ended. */
const claimPause = 20
/** The milliseconds between removals of old dead letters. */
const sweepInterval = 10 * 60_000
/** The milliseconds between counts of the jobs for metrics, which read the whole table. */
const countInterval = 15_000
/**
 * The maximum milliseconds between two reads of the schedules. The runner reads them even if no schedule is due, because the clock of the
 * database may have changed.
 */
const scheduleInterval = 60_000
/** The milliseconds for which a failing database may keep a runner from looking for jobs before the readiness check fails. */
const longestSilence = 30_000

/** The options of a `JobRunner`. */
export interface JobRunnerOptions {
  readonly database: Database
  readonly logger: Logger
  readonly settings: JobSettings
  /** The only queues of this process. @default all queues */
  readonly queues?: readonly string[] | undefined
  /** Whether the process counts the jobs of all queues for its metrics. */
  readonly countsJobs?: boolean
  /** Runs work in the scope of the application. */
  readonly enter?: (<T>(work: () => T) => T) | undefined
}

/** A job that runs. */
interface Running extends Listed {
  readonly run: JobRun
  ended: Promise<unknown>
}

/** The places of a queue in this process. */
interface Places {
  /** The number of running jobs. */
  busy: number
  /** The number of free places when the last claim was sent, and of the jobs that it has found. */
  free: number
  claimed: number
}

/** Runs the jobs of a database. Start several in several processes: each job is claimed by one. */
export class JobRunner implements Worker {
  readonly id: string = `${hostname().slice(0, 24)}:${process.pid}:${randomUUID().slice(0, 8)}`
  readonly database: Database
  readonly logger: Logger
  readonly #settings: JobSettings
  readonly #queues: readonly string[] | null
  readonly #countsJobs: boolean
  readonly #enter: <T>(work: () => T) => T
  readonly #running = new IndexedList<Running>()
  /** By the name of the queue. Queues without running jobs stay for a while, because a map keeps memory for what entered and left. */
  readonly #places = new Map<string, Places>()
  readonly #closing = new AbortController()
  #schedules: Schedules | undefined
  #nextSchedule = -Infinity
  #wake: (() => void) | undefined
  #wakeTimer: NodeJS.Timeout | undefined
  #isWoken = false
  #lastClaim = performance.now()
  #lastSweep = -Infinity
  #lastCount = -Infinity
  #hasFailed = false
  #isExtending = false
  #extension: NodeJS.Timeout | undefined
  #loops: Promise<unknown> = Promise.resolve()
  #closed: Promise<void> | undefined

  /** @throws FwError `jobs.option-invalid` for the name of a queue */
  constructor({ database, logger, settings, queues, countsJobs, enter }: JobRunnerOptions) {
    for (const queue of [...(queues ?? []), ...settings.queues.keys()]) checkQueue(queue)
    this.database = database
    this.logger = logger
    this.#settings = settings
    this.#queues = queues ?? null
    this.#countsJobs = countsJobs === true
    this.#enter = enter ?? ((work) => work())
    for (const queue of settings.queues.keys()) this.#placesOf(queue)
  }

  get isDraining(): boolean {
    return this.#closing.signal.aborted
  }

  /** The readiness check: false while the runner cannot look for jobs. */
  readonly check = (): boolean =>
    performance.now() - this.#lastClaim < longestSilence + this.#settings.pollInterval

  /** Checks the tables and schedules, then runs jobs. @throws FwError `jobs.tables-missing`, `jobs.schedule-invalid` */
  async start(): Promise<this> {
    if (definedJobs().some(({ schedules }) => schedules.length > 0)) {
      const { Schedules } = await import('./schedule.ts')
      this.#schedules = new Schedules(this.database, this.logger)
      await this.#schedules.add()
    }
    await this.#warnOfUnknownNames()
    this.#warnOfSmallPool()
    enqueueListeners.add(this.#onEnqueue)
    const run = (): void => {
      this.#extension = setInterval(() => void this.#extend(), extendInterval)
      this.#loops = Promise.all([this.#claimAll(), this.#listen()])
    }
    outsideRequests(() => this.#enter(run))
    return this
  }

  /** Runs no more jobs. Waits for the running ones; at the end of `drainTimeout`, aborts them and gives them back. */
  close(grace: number = this.#settings.drainTimeout): Promise<void> {
    return (this.#closed ??= this.#close(grace))
  }

  async #close(grace: number): Promise<void> {
    enqueueListeners.delete(this.#onEnqueue)
    this.#closing.abort()
    this.#wakeUp()
    const abort = (): void => {
      for (const { run } of this.#running.all()) run.abort(new Draining())
    }
    const timer = setTimeout(abort, grace)
    await this.#loops
    while (this.#running.size > 0) await Promise.all(this.#running.all().map(({ ended }) => ended))
    clearTimeout(timer)
    clearInterval(this.#extension)
    await refreshCounts(undefined)
  }

  readonly #onEnqueue = (database: Database): void => {
    if (database === this.database) this.#wakeUp()
  }

  readonly #wakeUp = (): void => {
    clearTimeout(this.#wakeTimer)
    this.#wakeTimer = undefined
    this.#isWoken = true
    this.#wake?.()
  }

  async #warnOfUnknownNames(): Promise<void> {
    const names = definedJobs().map(({ name }) => name)
    const { rows } = await runStatement<{ name: string }>(this.database, 'unknownNames', [names])
    if (rows.length > 0)
      this.logger.warn(
        { jobs: rows.map(({ name }) => name) },
        'jobs wait whose names no file of src/main/job defines',
      )
  }

  #warnOfSmallPool(): void {
    const { engine, pool } = this.database
    const used = [
      ...definedJobs().map(({ options }) => options.queue ?? 'default'),
      ...this.#settings.queues.keys(),
    ]
    const queues = new Set(this.#queues ?? used)
    const jobs = [...queues].reduce((sum, queue) => sum + this.#limit(queue), 0)
    if (engine === 'pglite' || pool.size >= jobs + connectionsBesideJobs) return
    this.logger.warn(
      { poolSize: pool.size, jobs, queues: [...queues] },
      `jobs may wait for connections: raise db.default.poolSize to ${jobs + connectionsBesideJobs}, or lower jobs.concurrency`,
    )
  }

  async #claimAll(): Promise<void> {
    while (!this.isDraining) {
      this.#isWoken = false
      let wait = this.#settings.pollInterval
      try {
        wait = Math.min(wait, await this.#runSchedules())
        if (!this.isDraining) await this.#claim()
        await this.#sweep()
        await this.#count()
        this.#report(undefined)
      } catch (error) {
        this.#report(error)
      }
      if (!this.#isWoken && !this.isDraining) await this.#sleep(wait)
    }
  }

  /** Enqueues scheduled jobs whose time has come. Returns the milliseconds until the next time. */
  async #runSchedules(): Promise<number> {
    if (this.#schedules === undefined) return Infinity
    if (performance.now() >= this.#nextSchedule) {
      const wait = await this.#schedules.run()
      this.#nextSchedule = performance.now() + Math.min(wait, scheduleInterval)
    }
    return this.#nextSchedule - performance.now()
  }

  async #claim(): Promise<void> {
    const names: string[] = []
    const free: number[] = []
    for (const [name, places] of this.#places) {
      places.free = this.#limit(name) - places.busy
      places.claimed = 0
      if (places.busy === 0 && !this.#settings.queues.has(name)) continue
      names.push(name)
      free.push(places.free)
    }
    const jobs = definedJobs().map(({ name }) => name)
    const places = [names, free, this.#settings.concurrency, this.#queues]
    const parameters = [...places, jobs, this.id, lease, 0]
    const { rows } = await runStatement<ClaimedJob>(this.database, 'claim', parameters)
    this.#lastClaim = performance.now()
    if (this.isDraining) return this.#giveBack(rows)
    for (const row of rows) this.#start(row)
  }

  /** Gives back jobs that a claim has taken while the process began to stop. */
  async #giveBack(rows: readonly ClaimedJob[]): Promise<void> {
    for (const { id, attempt } of rows)
      await runStatement(this.database, 'giveBack', [id, this.id, attempt])
  }

  #limit(queue: string): number {
    const own = this.#settings.queues.get(queue)
    return own === undefined ? this.#settings.concurrency : Number(own)
  }

  #start(row: ClaimedJob): void {
    // A lease of this process has ended, and no other process has taken the job.
    for (const { run } of this.#running) if (run.row.id === row.id) run.abort(lost())
    const running: Running = { run: new JobRun(row, this), listIndex: -1, ended: Promise.resolve() }
    const places = this.#placesOf(row.queue)
    places.busy++
    places.claimed++
    this.#running.add(running)
    running.ended = running.run.run().then(
      () => this.#end(running, places),
      (error: unknown) => {
        this.logger.error(
          { job: row.name, jobId: row.id, err: error },
          'the end of a job was not stored: it runs again',
        )
        this.#end(running, places)
      },
    )
  }

  #placesOf(queue: string): Places {
    let places = this.#places.get(queue)
    if (places === undefined) {
      places = { busy: 0, free: this.#limit(queue), claimed: 0 }
      this.#places.set(queue, places)
    }
    return places
  }

  #end(running: Running, places: Places): void {
    this.#running.remove(running)
    places.busy--
    if (places.claimed < places.free || this.isDraining) return
    if (places.busy === 0) this.#wakeUp()
    else if (places.busy <= this.#limit(running.run.row.queue) / 2) this.#wakeLater()
  }

  /** Looks for more jobs once half of the places are free, but not right after the last claim: so one statement claims several. */
  #wakeLater(): void {
    const pause = Math.max(0, claimPause - (performance.now() - this.#lastClaim))
    this.#wakeTimer ??= setTimeout(this.#wakeUp, pause)
  }

  /** Waits until a notification, the end of a job, or the time. */
  #sleep(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(millis, this.#settings.pollInterval))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Extends the leases of the running jobs, and aborts those that another process has taken. */
  async #extend(): Promise<void> {
    const running = this.#running.all()
    if (running.length === 0 || this.#isExtending) return
    this.#isExtending = true
    try {
      const parameters = [running.map(({ run }) => run.row.id), this.id, lease]
      const { rows } = await runStatement<{ id: string }>(this.database, 'extend', parameters)
      const own = new Set(rows.map(({ id }) => id))
      for (const { run, listIndex } of running)
        if (!own.has(run.row.id) && listIndex !== -1) run.abort(lost())
    } catch (error) {
      this.#report(error)
    } finally {
      this.#isExtending = false
    }
  }

  async #sweep(): Promise<void> {
    if (performance.now() - this.#lastSweep < sweepInterval) return
    this.#lastSweep = performance.now()
    for (const [queue, { busy }] of this.#places)
      if (busy === 0 && !this.#settings.queues.has(queue)) this.#places.delete(queue)
    await runStatement(this.database, 'sweep', [this.#settings.keepDead])
  }

  async #count(): Promise<void> {
    if (!this.#countsJobs || performance.now() - this.#lastCount < countInterval) return
    this.#lastCount = performance.now()
    await refreshCounts(this.database)
  }

  /** Wakes at each notification. Behind a pooler, which passes none on, only looks for jobs in each `pollInterval`. */
  async #listen(): Promise<void> {
    try {
      for await (const _ of this.database.listen(jobChannelName, this.#closing.signal))
        this.#wakeUp()
    } catch (error) {
      if ((error as Partial<FwError>).code !== 'db.listen-pooled') this.#report(error)
    }
  }

  /** Logs the first of several failures, and their end. */
  #report(error: unknown): void {
    if (error !== undefined && !this.#hasFailed)
      this.logger.error({ err: error }, 'cannot look for jobs: tries again')
    if (error === undefined && this.#hasFailed) this.logger.info({}, 'looks for jobs again')
    this.#hasFailed = error !== undefined
  }
}
