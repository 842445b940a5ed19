/** `RequestQueue`: the requests that Node has read and the application has not handled. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { logCounted, OverloadDetector, shedChannel, type ErrorCode, type Logger } from '../base.ts'
import { InFlightLimit } from './in-flight-limit.ts'

interface QueuedRequest {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly expectsContinue: boolean
  /** Milliseconds of `performance.now()`. */
  readonly arrivedAt: number
}

/** The state of the event loop, in milliseconds since the start of the process. */
interface LoopTimes {
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

interface Consumer {
  /** The number of requests that have begun, and have no response yet. */
  readonly inFlight: number
  handle(request: QueuedRequest): void
  /** Responds with 503, except to probes. Returns whether it did. */
  refuse(request: QueuedRequest): boolean
}

/** Milliseconds. A turn of the event loop begins requests for so long, then reads those that have arrived meanwhile. */
const slice = 10
const mostInSlice = 100
/** Milliseconds. The clock is read once for requests that take so long together: a read costs 3 % of a small request. */
const unclocked = 0.5
const mostUnclocked = 16
/** Milliseconds. In a turn with so much idle time, no request was ready to begin. */
const longIdle = 5
const code: ErrorCode = 'server.overloaded'

/**
 * Handles requests in the order of arrival, after all that have arrived are read: a third less CPU time under load, and a
 * body that came with its head has arrived completely.
 *
 * With `maxQueueTime`, it keeps the turns of the event loop short: by slices, and by a limit of the requests in flight. The
 * others wait here, where their waiting time is known. If they wait longer than `maxQueueTime`, `OverloadDetector`
 * distinguishes overload from a burst. Under overload, requests that have waited for half of `maxQueueTime` get 503, until the
 * queue is short again. Most of the cost of a refusal is its write to the socket: 35 of 50 µs.
 */
export class RequestQueue {
  readonly #consumer: Consumer
  readonly #target: number
  readonly #logger: Logger
  readonly #detector: OverloadDetector
  readonly #limit = new InFlightLimit()
  readonly #requests: QueuedRequest[] = []
  #times = readLoopTimes()
  /** Milliseconds of the previous turn of the event loop, without idle time. */
  #turn = 0
  #wasIdle = false
  #arrivedAt = 0
  #isReading = false
  #hasScheduledSlice = false
  #sliceEnd = 0
  /** The time of the last read of the clock, the requests handled since, and their number before the next read. */
  #clockedAt = 0
  #handled = 0
  #clockAfter = 1
  /** Immediates that handle a request each. */
  #scheduled = 0
  /** Runs while the limit of requests in flight is reached. */
  #timer: NodeJS.Timeout | undefined

  /** `maxQueueTime` is in milliseconds; 0: refuses nothing. */
  constructor(
    consumer: Consumer,
    { maxQueueTime, logger }: { readonly maxQueueTime: number; readonly logger: Logger },
  ) {
    this.#consumer = consumer
    this.#target = maxQueueTime
    this.#logger = logger
    this.#detector = new OverloadDetector(maxQueueTime)
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse, expectsContinue: boolean): void {
    if (!this.#isReading) this.#startReading()
    this.#detector.arrive()
    this.#requests.push({ incoming, outgoing, expectsContinue, arrivedAt: this.#arrivedAt })
    this.#scheduleHandling()
  }

  /** At the end of a stop. */
  refuseAll(): void {
    for (const request of this.#requests.splice(0)) this.#consumer.refuse(request)
  }

  #startReading(): void {
    this.#isReading = true
    if (this.#target === 0) return
    this.#measureTurn()
    // The requests of one poll have waited in the kernel for half a turn, on average.
    this.#arrivedAt = this.#times.now - this.#turn / 2
  }

  #measureTurn(): void {
    const { active, idle, iterations } = this.#times
    const times = readLoopTimes()
    this.#turn = (times.active - active) / Math.max(1, times.iterations - iterations)
    this.#wasIdle = times.idle - idle > longIdle
    this.#times = times
  }

  #scheduleSlice(): void {
    if (this.#hasScheduledSlice) return
    this.#hasScheduledSlice = true
    setImmediate(this.#startSlice)
  }

  readonly #startSlice = (): void => {
    this.#hasScheduledSlice = false
    if (this.#target > 0) this.#control()
    this.#isReading = false
    this.#clockedAt = performance.now()
    this.#sliceEnd = this.#clockedAt + slice
    this.#handled = 0
  }

  #control(): void {
    if (!this.#isReading) this.#measureTurn()
    if (this.#wasIdle && this.#timer === undefined) this.#detector.end()
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#limit.update(this.#turn, this.#consumer.inFlight, this.#wasIdle)
    this.#shed()
  }

  /** An immediate for each request: promises of one request continue before the next request begins. */
  #scheduleHandling(): void {
    if (this.#scheduled >= Math.min(this.#requests.length, mostInSlice)) return
    this.#scheduled++
    setImmediate(this.#handleNext)
  }

  readonly #handleNext = (): void => {
    this.#scheduled--
    if (this.#isReading && !this.#hasScheduledSlice) this.#startSlice()
    if (this.#requests.length === 0) return
    if (this.#limit.isReached(this.#consumer.inFlight)) {
      this.#timer ??= setTimeout(this.#continue, slice)
      return
    }
    if (this.#hasScheduledSlice || this.#isOver()) {
      this.#scheduleSlice()
      this.#scheduleHandling()
      return
    }
    this.#handled++
    this.#detector.serve()
    this.#limit.begin()
    this.#consumer.handle(this.#requests.shift()!)
    if (this.#requests.length === 0) this.#limit.clear()
    else if (this.#scheduled === 0) this.#continue()
  }

  /** Whether the slice is over. */
  #isOver(): boolean {
    if (this.#handled < this.#clockAfter) return false
    const now = performance.now()
    const each = (now - this.#clockedAt) / Math.max(1, this.#handled)
    this.#clockAfter = Math.min(mostUnclocked, Math.max(1, unclocked / each))
    this.#clockedAt = now
    this.#handled = 0
    return now >= this.#sliceEnd
  }

  readonly #continue = (): void => {
    this.#scheduleSlice()
    for (let { length } = this.#requests; length > 0 && this.#scheduled < mostInSlice; length--)
      this.#scheduleHandling()
  }

  #shed(): void {
    const now = performance.now()
    const longestWait = now - (this.#requests[0]?.arrivedAt ?? now)
    if (longestWait <= this.#target / 4) this.#detector.end()
    if (!this.#detector.detect(now, longestWait)) return
    const arrivedBefore = now - this.#target / 2
    const inTime = this.#requests.findIndex(({ arrivedAt }) => arrivedAt >= arrivedBefore)
    const late = inTime === -1 ? this.#requests.length : inTime
    for (const request of this.#requests.splice(0, late))
      if (this.#consumer.refuse(request)) this.#count()
  }

  #count(): void {
    shedChannel.publish({ code })
    logCounted(this.#logger, code, () => {
      const limit = `${this.#target} ms (server.maxQueueTime)`
      this.#logger.error({ code, count: 1 }, `requests wait longer than ${limit}: some get 503`)
    })
  }
}
