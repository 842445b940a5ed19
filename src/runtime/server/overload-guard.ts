/** `OverloadGuard`: sheds requests while more arrive than the process can handle. */
import { performance } from 'node:perf_hooks'
import { logCounted, shedChannel, type ErrorCode, type Logger } from '../base.ts'

/** The state of the event loop, in milliseconds since the start of the process. */
export interface LoopTimes {
  readonly now: number
  readonly active: number
  readonly idle: number
  readonly iterations: number
}

function readLoopTimes(): LoopTimes {
  const { active, idle } = performance.eventLoopUtilization()
  const { uvMetricsInfo } = performance.nodeTiming as {
    readonly uvMetricsInfo?: { readonly loopCount: number }
  }
  return { now: performance.now(), active, idle, iterations: uvMetricsInfo?.loopCount ?? 0 }
}

/** A queue that stands for so long is overload; a shorter one is a burst, which is served. */
const burst = 500
/** After so much idle time the queue was empty. */
const emptyAfter = 5
const code: ErrorCode = 'server.overloaded'

/** Turns of the event loop that served requests wait for, at most, in units of the target. */
const toleratedTurns = 2

/**
 * Controlled delay (CoDel, RFC 8289) with the times of Facebook's "Fail at Scale": a queue stands if every request of half a
 * second has waited longer than `target`. Then a turn of the event loop handles requests for `target` milliseconds, and the
 * others that it has read get 503. After a turn that other code has made longer than twice that, all get 503. The kernel's
 * queue counts: a request waits there while the event loop runs. The requests that one poll reads share one measurement.
 */
export class OverloadGuard {
  readonly #target: number
  readonly #logger: Logger
  readonly #read: () => LoopTimes
  #last: LoopTimes
  /** Milliseconds of the previous turns of the event loop, on average: in that time requests waited unread. */
  #turn = 0
  #isReading = false
  /** When the first request of the standing queue was handled; undefined without one. */
  #standsSince: number | undefined

  /** `target` is in milliseconds. */
  constructor(target: number, logger: Logger, read: () => LoopTimes = readLoopTimes) {
    this.#target = target
    this.#logger = logger
    this.#read = read
    this.#last = read()
  }

  /** The time at which the poll has read the request. */
  arrive(): number {
    if (this.#isReading) return this.#last.now
    this.#isReading = true
    const times = this.#read()
    const { active, idle, iterations } = this.#last
    this.#last = times
    if (times.idle - idle > emptyAfter) this.#standsSince = undefined
    this.#turn = (times.active - active) / Math.max(1, times.iterations - iterations)
    return times.now
  }

  /** Call it when the request would be handled: true if it gets 503 instead. */
  sheds(arrivedAt: number, now = performance.now()): boolean {
    this.#isReading = false
    const waited = now - arrivedAt
    if (waited + this.#turn <= this.#target) {
      this.#standsSince = undefined
      return false
    }
    this.#standsSince ??= now
    if (now - this.#standsSince < burst) return false
    if (waited + Math.max(0, this.#turn - toleratedTurns * this.#target) <= this.#target)
      return false
    this.#count()
    return true
  }

  #count(): void {
    shedChannel.publish({ code })
    logCounted(this.#logger, code, () => {
      const limit = `${this.#target} ms (server.maxQueueTime)`
      this.#logger.error({ code, count: 1 }, `a request that waited longer than ${limit} got 503`)
    })
  }
}
