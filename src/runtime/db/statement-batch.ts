/**
 * Sends the statements of one turn of the event loop in one write per connection, and remembers slow reads. Short reads of one
 * turn share a connection although others are idle, because each write to a socket costs more CPU time than a short statement.
 */
import { performance } from 'node:perf_hooks'
import type { BatchedStream } from './pg-internals.ts'

/** The batches that will be sent at the end of this turn. */
let unsent: StatementBatch[] = []
/** The times of the last two calls of `sendAll`, which run in different turns. */
let lastSent = 0
let previousSent = 0

/** Returns the milliseconds for which the event loop has waited for events; 0 if the runtime does not count them. */
const idleTime = (): number => performance.nodeTiming.idleTime ?? 0

/** Statements for which a stream is corked until the end of the turn. */
export class StatementBatch {
  readonly #stream: BatchedStream
  /** The time from `performance.now()` at which the batch was sent; `Infinity` until then. */
  sentAt = Infinity
  #idleBefore = 0

  constructor(stream: BatchedStream) {
    this.#stream = stream
    stream.cork()
    if (unsent.push(this) === 1) setImmediate(sendAll)
  }

  get isSent(): boolean {
    return this.sentAt !== Infinity
  }

  /**
   * Returns a lower bound, in milliseconds, of the time that server and network took for a response that arrives now. The wait
   * began when the batch was sent or at `previous`, the time of the response before, whichever is later. A measured duration
   * would include callbacks of this process, so only two intervals count: until the `sendAll` before the last, after which
   * Node read the sockets without this response; and the idle time of the event loop.
   */
  provenWait(previous: number, now: number): number {
    const began = Math.max(this.sentAt, previous)
    // Most responses need no reading of the idle time.
    if (now - began < slowMillis) return 0
    const idle = idleTime() - this.#idleBefore - (began - this.sentAt)
    return Math.max(previousSent - began, idle)
  }

  /** Sends the batch. `now` is from `performance.now()`, `idle` the event loop's total idle time in milliseconds. */
  send(now: number, idle: number): void {
    this.sentAt = now
    this.#idleBefore = idle
    this.#stream.uncork()
  }
}

function sendAll(): void {
  const batches = unsent
  unsent = []
  previousSent = lastSent
  lastSent = performance.now()
  const idle = idleTime()
  for (const batch of batches) batch.send(lastSent, idle)
}

/** A read is slow if server and network certainly took at least these milliseconds. */
const slowMillis = 20
/** A slow statement counts as short again after this many runs in a row that were not slow. */
const runsUntilShort = 100
/** The maximum number of remembered statements. */
const maxRemembered = 1000

/** The reads of a server that were slow, by name or SQL; others count as short. */
export class SlowStatements {
  /** The remaining runs until a statement counts as short. */
  readonly #runs = new Map<string, number>()

  has(key: string): boolean {
    return this.#runs.size > 0 && this.#runs.has(key)
  }

  /** Records a run for which server and network took at least `millis`. */
  record(key: string, millis: number): void {
    if (millis >= slowMillis) this.#add(key)
    else if (this.#runs.size > 0) this.#countDown(key)
  }

  #add(key: string): void {
    this.#runs.delete(key)
    const [oldest] = this.#runs.keys()
    if (this.#runs.size >= maxRemembered && oldest !== undefined) this.#runs.delete(oldest)
    this.#runs.set(key, runsUntilShort)
  }

  #countDown(key: string): void {
    const runs = this.#runs.get(key)
    if (runs === undefined) return
    if (runs === 1) this.#runs.delete(key)
    else this.#runs.set(key, runs - 1)
  }
}
