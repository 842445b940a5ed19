/**
 * Which statements a connection sends in one write at the end of a turn of the event loop. Short reads of one turn share a
 * connection although others are idle, because each write to a socket costs more CPU time than a short statement.
 */
import type { BatchedStream } from './pg-internals.ts'

/** The batches that will be sent at the end of this turn. */
let unsent: StatementBatch[] = []
/** The times at which batches were sent in the last turn that sent any, and in the turn before. */
let lastSent = 0
let sentBefore = 0

/** Statements for which a stream is corked until the end of the turn. */
export class StatementBatch {
  readonly #stream: BatchedStream
  /** The time from `performance.now()` at which the batch was sent; `Infinity` until then. */
  sentAt = Infinity

  constructor(stream: BatchedStream) {
    this.#stream = stream
    stream.cork()
    if (unsent.push(this) === 1) setImmediate(sendAll)
  }

  get isSent(): boolean {
    return this.sentAt !== Infinity
  }

  /**
   * Returns the milliseconds after `start`, or after sending, for which the response that arrives now was certainly missing. It
   * was missing whenever a later batch was sent, because Node reads sockets before that. The time since then may be that of
   * other callbacks, so it proves nothing about the server.
   */
  provenWait(start: number): number {
    return sentBefore - Math.max(this.sentAt, start)
  }

  /** Sends the batch at this time. */
  send(now: number): void {
    this.sentAt = now
    this.#stream.uncork()
  }
}

function sendAll(): void {
  const batches = unsent
  unsent = []
  sentBefore = lastSent
  lastSent = performance.now()
  for (const batch of batches) batch.send(lastSent)
}

/** A statement for which its caller waits at least these milliseconds is slow. */
const slowMillis = 10
/** A slow statement counts as short again after this many runs of which none was slow. */
const runsUntilShort = 100
const maxSlow = 1000

/** The slow statements of a server, by name or SQL; those that have not been seen are short. */
export class SlowStatements {
  /** The remaining runs until a statement counts as short. */
  readonly #runs = new Map<string, number>()

  has(key: string): boolean {
    return this.#runs.size > 0 && this.#runs.has(key)
  }

  /** Records a run of the statement that took at least this long. */
  record(key: string, millis: number): void {
    if (millis >= slowMillis) this.#add(key)
    else if (this.#runs.size > 0) this.#countDown(key)
  }

  #add(key: string): void {
    if (this.#runs.size >= maxSlow) this.#runs.clear()
    this.#runs.set(key, runsUntilShort)
  }

  #countDown(key: string): void {
    const runs = this.#runs.get(key)
    if (runs === undefined) return
    if (runs === 1) this.#runs.delete(key)
    else this.#runs.set(key, runs - 1)
  }
}
