/** `WritesAhead`: the writes of a transaction whose results its caller did not wait for. */
import type { StatementResult } from './connection.ts'
import { InFlight } from './in-flight.ts'

/** A transaction with so many writes in flight waits for the next one, because code that never waits would fill the memory. */
const mostAhead = 64

export class WritesAhead {
  /** The error of the first write that failed. PostgreSQL has then aborted the transaction, so it explains the errors after it. */
  failure: Error | undefined
  readonly #inFlight = new InFlight()

  get isFull(): boolean {
    return this.#inFlight.count >= mostAhead
  }

  /** Resolves when no write is in flight; undefined if none is. */
  get ended(): Promise<void> | undefined {
    return this.#inFlight.ended
  }

  /** Adds a write that was sent, and returns the result for its caller. */
  add<Row>(write: Promise<unknown>, explain: (error: unknown) => unknown): StatementResult<Row> {
    write
      .catch((error: unknown) => (this.failure ??= explain(error) as Error))
      .finally(this.#inFlight.begin())
    return { rows: [], count: 0, command: '' }
  }

  /** Returns the error that explains the given one of a later statement: that of an earlier write, or itself. */
  async explain(error: unknown): Promise<unknown> {
    await this.ended
    return this.failure ?? error
  }
}
