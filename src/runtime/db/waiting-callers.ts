/** `WaitingCallers`: the queue of the callers that wait for a connection of a pool. */
import {
  currentRequest,
  HttpError,
  OverloadDetector,
  WorkChannel,
  type CurrentRequest,
  type WorkEvent,
} from '../base.ts'
import type { Connection } from './connection.ts'
import type { PostgresSettings } from './settings.ts'

/** The diagnostics channels `fw:pool:start` and `fw:pool:end`: the callers that wait for a connection of a pool. */
export const poolWaitChannel: WorkChannel<WorkEvent> = new WorkChannel('fw:pool')

/** A caller that waits for a connection. */
export interface Waiter {
  /** True if the caller reserves a connection; false for a single statement, which can share one. */
  readonly exclusive: boolean
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
  readonly since: number
  readonly timer: NodeJS.Timeout
  /** The HTTP request on whose behalf the caller waits, if any. */
  readonly request: CurrentRequest | undefined
}

type Settlers = Pick<Waiter, 'resolve' | 'reject'>

type QueueLimits = Required<Pick<PostgresSettings, 'acquireTimeout' | 'maxQueueTime'>>

/**
 * The callers that wait for a connection, served first come, first served. With `maxQueueTime`, requests that had a connection
 * before are served first, because refusing them would lose work. `OverloadDetector` detects overload, which lasts at most until
 * the queue is empty (CoDel with adaptive LIFO, as in Facebook's "Fail at Scale"). Under overload, other requests
 *
 * - are served after callers outside requests, the newest first, because the newest has the most time left;
 * - get status 503 if they have waited longer than `maxQueueTime`.
 */
export class WaitingCallers {
  readonly #limits: QueueLimits
  readonly #timeoutError: () => Error
  /** The waiting callers in the order of their arrival. */
  readonly #waiters: Waiter[] = []
  readonly #now: () => number
  readonly #detector: OverloadDetector

  constructor(limits: QueueLimits, timeoutError: () => Error, now = () => performance.now()) {
    this.#limits = limits
    this.#timeoutError = timeoutError
    this.#detector = new OverloadDetector(limits.maxQueueTime)
    this.#now = now
  }

  get length(): number {
    return this.#waiters.length
  }

  add(exclusive: boolean, resolve: Waiter['resolve'], reject: Waiter['reject']): void {
    const { acquireTimeout, maxQueueTime } = this.#limits
    const timer = setTimeout(() => {
      this.#remove(waiter)
      waiter.reject(this.#timeoutError())
    }, acquireTimeout)
    const request = maxQueueTime > 0 ? currentRequest() : undefined
    const events = observeWait({ resolve, reject })
    const waiter: Waiter = { exclusive, ...events, since: this.#now(), timer, request }
    this.#waiters.push(waiter)
    this.#detector.arrive()
    this.#update()
  }

  /** Returns the caller to serve next. */
  findNext(): Waiter | undefined {
    const isOverloaded = this.#update()
    if (this.#limits.maxQueueTime === 0) return this.#waiters[0]
    const admitted = this.#waiters.find(({ request }) => request?.hadConnection)
    if (admitted !== undefined || !isOverloaded) return admitted ?? this.#waiters[0]
    return this.#waiters.find((waiter) => !isNew(waiter)) ?? this.#waiters.at(-1)
  }

  /** Removes a caller from the queue, because it gets a connection. */
  serve(waiter: Waiter): void {
    this.#remove(waiter)
    this.#detector.serve()
    clearTimeout(waiter.timer)
    if (waiter.request !== undefined) waiter.request.hadConnection = true
  }

  #remove(waiter: Waiter): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
    if (this.#waiters.length === 0) this.#detector.end()
  }

  rejectAll(error: () => Error): void {
    for (const waiter of this.#waiters.splice(0)) reject(waiter, error())
    this.#detector.end()
  }

  /** Returns whether there is overload. If so, refuses the requests that have waited too long. */
  #update(): boolean {
    const { maxQueueTime } = this.#limits
    const oldest = this.#waiters[0]
    if (maxQueueTime === 0 || oldest === undefined) return false
    const now = this.#now()
    if (!this.#detector.detect(now, now - oldest.since)) return false
    this.#refuse(now)
    return true
  }

  #refuse(now: number): void {
    const arrivedBefore = now - this.#limits.maxQueueTime
    const late: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (waiter.since >= arrivedBefore) break
      if (isNew(waiter)) late.push(waiter)
    }
    if (late.length === 0) return
    this.#detector.refuse(now)
    // Remove all before the first rejection: a subscriber of `fw:pool:end` may call `add`, which removes and refuses callers, too.
    for (const waiter of late) this.#remove(waiter)
    for (const waiter of late) reject(waiter, overloadedError(this.#limits.maxQueueTime))
  }
}

/** Publishes the start of a wait, and returns wrappers of `resolve` and `reject` that publish its end. */
function observeWait(settlers: Settlers): Settlers {
  if (!poolWaitChannel.active) return settlers
  const event = { startedAt: performance.now(), millis: 0, error: undefined }
  poolWaitChannel.start.publish(event)
  return {
    resolve: (connection) => {
      poolWaitChannel.finish(event)
      settlers.resolve(connection)
    },
    reject: (error) => {
      poolWaitChannel.finish(event, error)
      settlers.reject(error)
    },
  }
}

/** Whether the caller is a request that has had no connection yet, so that refusing it loses no work. */
const isNew = ({ request }: Waiter): boolean => request !== undefined && !request.hadConnection

function reject(waiter: Waiter, error: Error): void {
  clearTimeout(waiter.timer)
  waiter.reject(error)
}

const overloadedError = (maxQueueTime: number): HttpError =>
  new HttpError(
    503,
    'db.overloaded',
    `More requests wait for a connection than the database serves: those that wait longer than ${maxQueueTime} ms ` +
      '(db.default.maxQueueTime) get 503. Speed up the statements, or raise the pool size if the server has idle cores.',
  )
