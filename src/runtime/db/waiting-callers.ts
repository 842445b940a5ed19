/** `WaitingCallers`: the queue of a connection pool. */
import { currentRequest, type CurrentRequest, HttpError, OverloadDetector } from '../base.ts'
import type { Connection } from './connection.ts'
import { observeWait } from './pool-wait.ts'

/** A caller that waits for a connection. */
export interface Waiter {
  /** True for a reservation. */
  readonly exclusive: boolean
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
  readonly since: number
  readonly timer: NodeJS.Timeout
  /** The request of the caller. */
  readonly request: CurrentRequest | undefined
}

interface QueueLimits {
  /** Milliseconds until `onTimeout` rejects a caller. */
  readonly acquireTimeout: number
  /** Milliseconds after which a standing queue refuses requests; 0: never. */
  readonly maxQueueTime: number
}

/**
 * First come, first served; with `maxQueueTime` requests that had a connection before come first, because the work for them
 * would be lost. From overload (`OverloadDetector`) until the queue is empty (CoDel with adaptive LIFO, as in Facebook's "Fail
 * at Scale"), other requests
 *
 * - are served after work outside requests, the newest first: it has the most time left;
 * - get 503 when they have waited longer than `maxQueueTime`.
 */
export class WaitingCallers {
  readonly #limits: QueueLimits
  readonly #timeoutError: () => Error
  /** In the order of arrival. */
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

  /** The caller to serve next. */
  findNext(): Waiter | undefined {
    const isOverloaded = this.#update()
    if (this.#limits.maxQueueTime === 0) return this.#waiters[0]
    const admitted = this.#waiters.find(({ request }) => request?.hadConnection)
    if (admitted !== undefined || !isOverloaded) return admitted ?? this.#waiters[0]
    return this.#waiters.find((waiter) => !isNew(waiter)) ?? this.#waiters.at(-1)
  }

  /** Removes a caller that gets a connection. */
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

  /** Refuses the requests that have waited too long under overload. Returns whether there is overload. */
  #update(): boolean {
    const { maxQueueTime } = this.#limits
    const oldest = this.#waiters[0]
    if (maxQueueTime === 0 || oldest === undefined) return false
    const now = this.#now()
    if (!this.#detector.detect(now, now - oldest.since)) return false
    this.#refuse(now - maxQueueTime)
    return true
  }

  #refuse(arrivedBefore: number): void {
    const late: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (waiter.since >= arrivedBefore) break
      if (isNew(waiter)) late.push(waiter)
    }
    if (late.length === 0) return
    const refused = new Set(late)
    const others = this.#waiters.splice(0).filter((waiter) => !refused.has(waiter))
    this.#waiters.push(...others)
    if (others.length === 0) this.#detector.end()
    for (const waiter of late) reject(waiter, overloadedError(this.#limits.maxQueueTime))
  }
}

/** Whether the caller is a request that has had no connection: refusing it loses no work. */
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
