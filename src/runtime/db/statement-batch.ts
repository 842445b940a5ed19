/**
 * Which statements a connection sends in one write at the end of a turn of the event loop. Short reads of one turn share a
 * connection although others are idle, because each write to a socket costs more CPU time than a short statement.
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
   * Returns a lower bound, in milliseconds, of the time that the server took for a response that arrives now. The server began
   * when the batch was sent, or after the response before, at `previous`. Two facts show that the response was missing: Node
   * reads sockets between two calls of `sendAll`, and the event loop waits only if no socket can be read. Other time may have
   * passed in callbacks of this process.
   */
  provenWait(previous: number, now: number): number {
    const began = Math.max(this.sentAt, previous)
    if (now - began < slowMillis) return 0
    const idle = idleTime() - this.#idleBefore - (began - this.sentAt)
    return Math.max(previousSent - began, idle)
  }

  /** Sends the batch at this time, before which the event loop was idle for `idle` milliseconds in all. */
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

/** A statement is slow if the server certainly took at least these milliseconds. */
const slowMillis = 20
/** A slow statement counts as short again after this many runs in a row that were not slow. */
const runsUntilShort = 100
const maxSlow = 1000

/** The reads of a server that were slow, by name or SQL; others count as short. */
export class SlowStatements {
  /** The remaining runs until a statement counts as short. */
  readonly #runs = new Map<string, number>()

  has(key: string): boolean {
    return this.#runs.size > 0 && this.#runs.has(key)
  }

  /** Records a run that took the server at least `millis`. */
  record(key: string, millis: number): void {
    if (millis >= slowMillis) this.#add(key)
    else if (this.#runs.size > 0) this.#countDown(key)
  }

  #add(key: string): void {
    const [oldest] = this.#runs.keys()
    if (this.#runs.size >= maxSlow && oldest !== undefined) this.#runs.delete(oldest)
    this.#runs.set(key, runsUntilShort)
  }

  #countDown(key: string): void {
    const runs = this.#runs.get(key)
    if (runs === undefined) return
    if (runs === 1) this.#runs.delete(key)
    else this.#runs.set(key, runs - 1)
  }
}
