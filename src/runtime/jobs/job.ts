/** `job`: defines a job. Enqueuing one is a statement of the current transaction. */
import {
  currentRequest,
  FwError,
  createUuidV7,
  type CurrentRequest,
  type Logger,
  type Temporal,
} from '../base.ts'
import { currentDatabase, type Database } from '../db.ts'
import type { ParamTypes } from '../params.ts'
import { delayMillis, type Delay } from './delay.ts'
import { encodeArguments, jsonTypes, type JobArguments } from './job-arguments.ts'
import { notifierOf, type JobNotifier } from './job-notifier.ts'
import { runStatement } from './job-statement.ts'

/** What the handler of a job gets besides its arguments. */
export interface JobContext {
  readonly jobId: string
  /** Those with which this job was enqueued: pass them on to jobs that continue its work. */
  readonly queue: string
  readonly priority: number
  /** 1 for the first attempt. An attempt that the stop of a process has ended does not count. */
  readonly attempt: number
  /** Aborted at the time limit, when the process stops, and when another process has taken the job. */
  readonly signal: AbortSignal
  /** Adds the name and id of the job, and the id of the request that enqueued it, to each line. */
  readonly logger: Logger
  /**
   * Runs `work` once in the life of the job, and returns its result, which must be JSON. The writes of `work` and its result are
   * committed together: a later attempt gets the result and continues after the step. Steps run one by one; write only
   * inside steps until the last one has ended. A job has at most 1,000 steps, whose names and results have 256 KiB together.
   * @throws FwError `jobs.step-invalid`
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
  /** Calls `work` after the commit of the step or of the job; never after a rollback. Errors of `work` are logged. */
  afterCommit(work: () => unknown): void
  /** Rolls back and ends the job as a dead letter, without further attempts. */
  deadLetter(reason: string): never
  /** Rolls back and runs the job again after the delay, instead of that of its back-off. The attempt counts. */
  retryIn(delay: Delay, reason: string): never
}

/** The options of a job. */
export interface JobOptions {
  /** The name of the queue. @default 'default' */
  readonly queue?: string
  /** From -100 to 100: of the due jobs of a queue, those with the highest priority run first. @default 0 */
  readonly priority?: number
  /** How often the job runs before it is a dead letter: from 1 to 100. @default 20, which take about a week */
  readonly attempts?: number
  /** The time limit of an attempt. @default '5m' */
  readonly timeout?: Delay
  /** Returns the delay after a failed attempt; jitter of up to a quarter is added. @default attempt⁴ seconds and 5 more */
  readonly backOff?: (attempt: number) => Delay
}

/** The options of `enqueue`. */
export interface EnqueueOptions {
  /** How long the job waits, such as `'5 minutes'`. */
  readonly in?: Delay
  /** The time from which the job may run. */
  readonly at?: Temporal.Instant
  /**
   * While a job of this name and key waits, enqueuing it again only replaces its arguments. While it runs, it runs once more
   * afterwards. At most 255 characters.
   */
  readonly uniqueBy?: string | number | bigint
  /** The queue instead of that of the job. */
  readonly queue?: string
  /** The priority instead of that of the job. */
  readonly priority?: number
}

/** The options of `enqueueAll`. `uniqueBy` returns the key of each job. */
export interface EnqueueAllOptions<A> extends Omit<EnqueueOptions, 'uniqueBy'> {
  readonly uniqueBy?: (values: A) => string | number | bigint
}

/** A time plan of a job. */
export interface Schedule {
  readonly cron: string
  readonly timeZone: string
}

type Handler<S extends ParamTypes> = (values: JobArguments<S>, ctx: JobContext) => unknown

const jobs = new Map<string, Job>()

/** The job with this name, if code that is loaded defines it. */
export const findJob = (name: string): Job | undefined => jobs.get(name)

/** All jobs that loaded code defines. */
export const definedJobs = (): readonly Job[] => [...jobs.values()]

/** Called after the commit of new jobs, so that the workers of this process need not wait for a notification. */
export const enqueueListeners: Set<(database: Database) => void> = new Set()

/** A job: work that runs after the commit of the request that enqueues it, possibly in another process. */
export class Job<S extends ParamTypes = ParamTypes> {
  readonly name: string
  readonly types: S
  readonly handler: Handler<S>
  readonly options: JobOptions
  readonly #schedules: Schedule[] = []

  constructor(name: string, types: S, handler: Handler<S>, options: JobOptions) {
    this.name = name
    this.types = jsonTypes(types)
    this.handler = handler
    this.options = options
  }

  get schedules(): readonly Schedule[] {
    return this.#schedules
  }

  /**
   * Adds the job with one statement, and returns its id, a UUID. In a transaction, the job exists exactly if the transaction commits.
   * Without `uniqueBy`, `enqueue` may return before the INSERT has run; the next statement or the commit then rejects with its error.
   * @throws FwError `jobs.argument-invalid`, `jobs.option-invalid`, `jobs.tables-missing`
   */
  async enqueue(
    ...[values, options = {}]: keyof S extends never
      ? [values?: JobArguments<S>, options?: EnqueueOptions]
      : [values: JobArguments<S>, options?: EnqueueOptions]
  ): Promise<string> {
    const { uniqueBy } = options
    const key = uniqueBy === undefined ? null : readKey(uniqueBy)
    const [id] = await this.#insert(
      [encodeArguments(this.name, this.types, values ?? {})],
      [key],
      options,
    )
    return id!
  }

  /** Adds many jobs with one statement, and returns their ids. Of several with one unique key, adds the last. */
  async enqueueAll(
    list: readonly JobArguments<S>[],
    options: EnqueueAllOptions<JobArguments<S>> = {},
  ): Promise<string[]> {
    const { uniqueBy } = options
    const texts = new Map<string | number, string>()
    for (const [at, values] of list.entries()) {
      const key = uniqueBy === undefined ? at : readKey(uniqueBy(values))
      texts.set(key, encodeArguments(this.name, this.types, values))
    }
    const keys = [...texts.keys()].map((key) => (typeof key === 'number' ? null : key))
    return texts.size === 0 ? [] : this.#insert([...texts.values()], keys, options)
  }

  /**
   * Enqueues the job by a cron expression of 5 fields, or of 6 with seconds. Of several nodes, one enqueues it. A time at which
   * no worker ran is made up for once within a day. A time that summer time skips runs right after it; one that occurs twice
   * runs once.
   * @throws FwError `jobs.argument-invalid` if the job needs arguments
   */
  schedule(cron: string, { timeZone = 'UTC' }: { readonly timeZone?: string } = {}): this {
    encodeArguments(this.name, this.types, {})
    this.#schedules.push({ cron, timeZone })
    return this
  }

  async #insert(
    texts: readonly string[],
    keys: readonly (string | null)[],
    options: Omit<EnqueueOptions, 'uniqueBy'>,
  ): Promise<string[]> {
    const { queue = this.options.queue ?? 'default', priority = this.options.priority ?? 0 } =
      options
    checkQueue(queue)
    checkInteger('priority', priority, -100, 100)
    const database = currentDatabase()
    const request = currentRequest()
    const delay = options.in === undefined ? 0 : delayMillis(options.in, 'in')
    const at = options.at?.toString() ?? null
    const isDue = delay === 0 && !(options.at && isFuture(options.at))
    const notifier = isDue ? notifierOf(database) : undefined
    const notifies = notifier?.takeTurn() === true
    const ids = texts.map(createUuidV7)
    const jobs = texts.map(
      (text, n) => `{"id":"${ids[n]}","arguments":${text},"key":${JSON.stringify(keys[n])}}`,
    )
    const job = [this.name, queue, priority, `[${jobs.join()}]`, at, delay, ...originOf(request)]
    const wake = isDue ? wakeFunction(database, notifies ? undefined : notifier) : undefined
    const transaction = database.currentTransaction()
    // Before the INSERT: a transaction whose code does not await `enqueue` may commit before its result arrives.
    if (wake !== undefined && transaction?.active === true) transaction.afterCommit(wake)
    // Only a unique key may give a job the id of another one.
    const hasIds = keys.every((key) => key === null)
    const { rows } = await runStatement<{ id: string }>(
      database,
      'enqueue',
      [...job, notifies],
      !hasIds,
    )
    if (transaction === undefined) wake?.()
    return hasIds ? ids : rows.map(({ id }) => id)
  }
}

/** The id of the request that enqueues a job, and its trace; each null if there is none. */
const originOf = (request: CurrentRequest | undefined): readonly (string | null)[] => [
  request?.requestId.slice(0, 255) ?? null,
  request?.traceId === undefined ? null : request.traceparent,
]

const isFuture = (at: Temporal.Instant): boolean => at.epochMilliseconds > Date.now()

/** Returns the function that wakes the workers of this process, and those of others through `notifier`; undefined if there are none. */
function wakeFunction(
  database: Database,
  notifier: JobNotifier | undefined,
): (() => void) | undefined {
  if (enqueueListeners.size === 0 && notifier === undefined) return undefined
  return () => {
    for (const listener of enqueueListeners) listener(database)
    notifier?.notifyLater()
  }
}

/** @throws FwError `jobs.option-invalid` */
function readKey(value: string | number | bigint): string {
  const key = String(value).toWellFormed()
  if (key.length > 0 && key.length <= 255 && !key.includes('\0')) return key
  throw new FwError(
    'jobs.option-invalid',
    `uniqueBy has ${key.length} characters: use 1 to 255 without NUL.`,
  )
}

/** @throws FwError `jobs.option-invalid` */
export function checkQueue(queue: string): void {
  if (/^[\w.-]{1,64}$/.test(queue)) return
  throw new FwError(
    'jobs.option-invalid',
    `The queue ${JSON.stringify(queue)} is no name: use 1 to 64 letters, digits and the characters _ . -`,
  )
}

function checkInteger(option: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new FwError(
    'jobs.option-invalid',
    `The option ${option} is ${value}: write an integer from ${least} to ${most}.`,
  )
}

/**
 * Defines a job. `types` are those of its arguments, which are stored as JSON. The handler runs in its own transaction, which is
 * committed together with the end of the job: an error rolls it back, and the job runs again after a delay. Define jobs in
 * `src/main/job/`, so that every process that runs jobs loads them.
 *
 *     export const Invoice = job('invoice', { orderId: ParamType.Long }, async ({ orderId }, ctx) => { … })
 *     await Invoice.enqueue({ orderId: 5 }, { in: '5 minutes' })
 *
 * @throws FwError `jobs.name-taken`, `jobs.option-invalid`
 */
export function job<const S extends ParamTypes>(
  name: string,
  types: S,
  handler: Handler<S>,
  options: JobOptions = {},
): Job<S> {
  if (!/^[\w.-]{1,128}$/.test(name))
    throw new FwError(
      'jobs.option-invalid',
      `The job ${JSON.stringify(name)} has no valid name: use 1 to 128 letters, digits and the characters _ . -`,
    )
  if (jobs.has(name))
    throw new FwError('jobs.name-taken', `Two jobs have the name '${name}': rename one of them.`)
  checkQueue(options.queue ?? 'default')
  checkInteger('priority', options.priority ?? 0, -100, 100)
  checkInteger('attempts', options.attempts ?? 1, 1, 100)
  if (options.timeout !== undefined) delayMillis(options.timeout, 'timeout')
  const created = new Job(name, types, handler, options)
  jobs.set(name, created as unknown as Job)
  return created
}
