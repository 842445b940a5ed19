/** `JobRun`: one attempt of a job in its own transaction, which also removes the job. */
import { FwError, runWithRequest, withFields, type Logger } from '../base.ts'
import { runInReplaceable, Transaction, type Database, type StatementResult } from '../db.ts'
import { stringifyJson } from '../http.ts'
import { isStorableJson } from '../params.ts'
import { delayMillis, type Delay } from './delay.ts'
import { decodeArguments, longestJson } from './job-arguments.ts'
import { JobEvent, jobChannel, type ClaimedJob, type JobOutcome } from './job-event.ts'
import type { JobStatement } from './job-sql.ts'
import { jobStatement, runStatement } from './job-statement.ts'
import { findJob, type Job, type JobContext } from './job.ts'

const defaultAttempts = 20
const defaultTimeout = 5 * 60 * 1000
const longestError = 10_000
/** The results of all steps are one value of the row, which each further step writes again. */
const mostSteps = 1000
const longestStepName = 255

/** Thrown by the context to end an attempt in a certain way. */
class JobEnd extends Error {
  readonly delay: number | undefined

  constructor(reason: string, delay?: number) {
    super(reason)
    this.delay = delay
  }
}

/** The reason of a signal when the process stops. */
export class Draining extends Error {
  constructor() {
    super('The process stops: the job is given back.')
  }
}

/** The process that runs a job. */
export interface Worker {
  readonly id: string
  readonly database: Database
  readonly logger: Logger
  /** True once the process stops: then a job with steps ends after its step. */
  readonly isDraining: boolean
}

export class JobRun {
  readonly row: ClaimedJob
  readonly #worker: Worker
  readonly #controller = new AbortController()
  readonly #logger: Logger
  /** The results of the steps, by name. */
  readonly #steps: Map<string, unknown>
  /** The length of their names and results in JSON. */
  #stepsLength = 0
  #transaction: Transaction
  #replace: (next: Transaction) => void = () => {}
  #isInStep = false
  /** The last error, for `runJobs`. */
  error: unknown

  constructor(row: ClaimedJob, worker: Worker) {
    this.row = row
    this.#worker = worker
    const origin = row.request_id === null ? {} : { requestId: row.request_id }
    this.#logger = withFields(worker.logger, { ...origin, job: row.name, jobId: row.id })
    this.#steps = new Map(Object.entries(JSON.parse(row.steps) as object))
    // The text of `jsonb` has spaces that the limit does not count.
    for (const [name, result] of this.#steps)
      this.#stepsLength += name.length + stringifyJson(result).length
    this.#transaction = this.#createTransaction()
  }

  /** Ends the attempt: its statements fail, and its transaction is rolled back. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** Runs the job, and stores how it ended. Rejects only if the database fails: then the job is due again after its lease. */
  async run(): Promise<JobOutcome> {
    const event = new JobEvent(this.row)
    const work = () => runWithRequest(event, () => this.#run(event))
    try {
      return await (jobChannel.mustRun ? jobChannel.run(event, work) : work())
    } finally {
      // Also if the end was not stored: nothing else tells the error of the handler.
      jobChannel.finish(event, this.error)
      this.#log(event)
    }
  }

  async #run(event: JobEvent): Promise<JobOutcome> {
    const job = findJob(this.row.name)!
    const { attempts = defaultAttempts } = job.options
    try {
      if (this.row.attempt > attempts) throw new JobEnd('The process ended while the job ran.')
      await this.#runHandler(job)
      return (event.outcome = 'done')
    } catch (error) {
      this.error = error
      event.outcome = 'failed'
      await this.#transaction.rollback()
      return (event.outcome = await this.#storeFailure(error, job))
    }
  }

  async #runHandler(job: Job): Promise<void> {
    const values = decodeArguments(job.name, job.types, this.row.arguments)
    const { signal } = this.#controller
    const limit = delayMillis(job.options.timeout ?? defaultTimeout, 'timeout')
    // Node's timers have 32 bits: a longer limit never ends an attempt.
    const timer =
      limit < 2 ** 31 ? setTimeout(() => this.abort(timeLimit(limit)), limit) : undefined
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    })
    try {
      const handled = runInReplaceable(this.#transaction, async (replace) => {
        this.#replace = replace
        await job.handler(values as never, this.#createContext(signal))
      })
      await Promise.race([handled, aborted])
    } finally {
      clearTimeout(timer)
    }
    await this.#complete()
  }

  /** Removes the job in the transaction of the handler, so that both are committed or neither. */
  async #complete(): Promise<void> {
    if ((await this.#change('complete', [], true)).count === 0)
      if ((await this.#change('repeat', [])).count === 0) throw lost()
    const transaction = this.#transaction
    if (!transaction.commitUnused()) await transaction.commit()
  }

  /** Runs a statement on the row of this attempt in the transaction. */
  #change(
    name: JobStatement,
    parameters: readonly unknown[],
    isLastWrite = false,
  ): Promise<StatementResult> {
    return this.#transaction.query(jobStatement(name, [...this.#own, ...parameters], isLastWrite))
  }

  get #own(): readonly unknown[] {
    return [this.row.id, this.#worker.id, this.row.attempt]
  }

  #createTransaction(): Transaction {
    const { signal } = this.#controller
    // Stronger levels would fail at the end of a job, because its lease has been extended meanwhile.
    const isolation = 'read committed'
    return new Transaction(this.#worker.database, { isolation, beginsAtWrite: true, signal })
  }

  #createContext(signal: AbortSignal): JobContext {
    const { row } = this
    return {
      jobId: row.id,
      queue: row.queue,
      priority: row.priority,
      attempt: row.attempt,
      signal,
      logger: this.#logger,
      step: (name, work) => this.#step(name, work),
      afterCommit: (work) => this.#transaction.afterCommit(work),
      deadLetter: (reason: string): never => {
        throw new JobEnd(reason)
      },
      retryIn: (delay: Delay, reason: string): never => {
        throw new JobEnd(reason, delayMillis(delay, 'retryIn'))
      },
    }
  }

  async #step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#steps.has(name)) return this.#steps.get(name) as T
    this.#checkStep(name)
    this.#isInStep = true
    try {
      const text = stringifyJson((await work()) ?? null)
      await this.#saveStep(name, text)
      // Also the first attempt gets the value that later ones read.
      const result = JSON.parse(text) as T
      this.#steps.set(name, result)
      this.#transaction = this.#createTransaction()
      this.#replace(this.#transaction)
      if (this.#worker.isDraining) throw new Draining()
      return result
    } finally {
      this.#isInStep = false
    }
  }

  /** @throws FwError `jobs.step-invalid` */
  #checkStep(name: string): void {
    if (name.length > longestStepName || !isStorableJson(JSON.stringify(name)))
      throw invalidStep(
        name.slice(0, longestStepName),
        `needs another name, of at most ${longestStepName} characters without NUL or half a surrogate pair`,
      )
    if (this.#steps.size >= mostSteps)
      throw invalidStep(
        name,
        `is one more than ${mostSteps}, the limit of a job: do more in a step, or enqueue further jobs`,
      )
    if (this.#isInStep)
      throw invalidStep(name, 'runs inside or beside another step: await each step')
    if (this.#transaction.hasWritten)
      throw invalidStep(
        name,
        'follows a write outside a step, which a later attempt would repeat: move the write into a step',
      )
  }

  /** Commits the writes of a step with its result in JSON. @throws FwError `jobs.step-invalid`, `jobs.lease-lost` */
  async #saveStep(name: string, text: string): Promise<void> {
    if (!isStorableJson(text))
      throw invalidStep(
        name,
        'returns a NUL character or half a surrogate pair, which PostgreSQL cannot store',
      )
    const length = this.#stepsLength + name.length + text.length
    if (length > longestJson)
      throw invalidStep(
        name,
        `brings the results of all steps to ${length} characters; the limit is ${longestJson}: return the key of a row`,
      )
    if ((await this.#change('saveStep', [name, text])).count === 0) throw lost()
    await this.#transaction.commit()
    this.#stepsLength = length
  }

  async #storeFailure(error: unknown, job: Job): Promise<JobOutcome> {
    const { database } = this.#worker
    if (error instanceof FwError && error.code === 'jobs.lease-lost') return 'lost'
    if (error instanceof Draining) {
      await runStatement(database, 'giveBack', this.#own)
      return 'returned'
    }
    const isDead =
      this.row.attempt >= (job.options.attempts ?? defaultAttempts) ||
      (error instanceof JobEnd && error.delay === undefined)
    const given = error instanceof JobEnd ? error.delay : undefined
    const delay = given ?? (isDead ? 0 : withJitter(this.#backOff(job)))
    const text = describe(error).slice(0, longestError)
    const parameters = [...this.#own, text, delay, isDead]
    const { rows } = await runStatement<{ isDead: boolean }>(database, 'fail', parameters)
    // A job that was enqueued again while it ran is no dead letter.
    return rows[0]?.isDead === true ? 'dead' : 'failed'
  }

  /** Returns the milliseconds until the next attempt. An error in the option `backOff` must not keep the failure from being stored. */
  #backOff(job: Job): number {
    const { attempt } = this.row
    try {
      const own = job.options.backOff?.(attempt)
      if (own !== undefined) return delayMillis(own, 'backOff')
    } catch (err) {
      this.#logger.error({ err }, 'the option backOff of the job failed: the default delay is used')
    }
    return (attempt ** 4 + 5) * 1000
  }

  #log({ outcome, millis }: JobEvent): void {
    const { attempt, queue } = this.row
    const fields = { queue, attempt, millis: Math.round(millis) }
    const failed = { ...fields, err: this.error }
    if (outcome === 'done') this.#logger.info(fields, 'job done')
    else if (outcome === 'dead') this.#logger.error(failed, 'job failed: it is a dead letter')
    else if (outcome === 'failed') this.#logger.warn(failed, 'job failed: it runs again')
    else if (outcome === 'returned') this.#logger.info(fields, 'job given back')
    else this.#logger.warn(failed, 'job rolled back: another process has it')
  }
}

/** Spreads the repetition of jobs that have failed together. */
const withJitter = (millis: number): number => Math.round(millis * (1 + Math.random() / 4))

/** Returns the text that PostgreSQL can store: without NUL. */
function describe(error: unknown): string {
  if (error instanceof JobEnd) return error.message.replaceAll('\0', '')
  const text = error instanceof Error ? (error.stack ?? String(error)) : String(error)
  return text.replaceAll('\0', '').toWellFormed()
}

const timeLimit = (millis: number): FwError =>
  new FwError('jobs.timeout', `The job ran longer than ${millis} ms: its time limit ended it.`)

export const lost = (): FwError =>
  new FwError(
    'jobs.lease-lost',
    'Another process has taken the job, because this one did not extend its lease in time. The writes were rolled back.',
  )

const invalidStep = (name: string, fault: string): FwError =>
  new FwError('jobs.step-invalid', `The step '${name}' ${fault}.`)
