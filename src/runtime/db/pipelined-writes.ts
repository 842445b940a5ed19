/** `PipelinedWrites`: the writes of a transaction whose results its caller did not wait for. */
import type { StatementResult } from './connection.ts'
import { InFlight } from './in-flight.ts'

/** The most writes in flight. The next one is waited for, because a loop without back-pressure would fill the memory. */
const maxInFlight = 64

export class PipelinedWrites {
  /** The error of the first write that failed, if no other statement has failed before it. */
  failure: unknown
  readonly #inFlight = new InFlight()

  get isFull(): boolean {
    return this.#inFlight.count >= maxInFlight
  }

  /** Resolves when no write is in flight; undefined if none is. */
  get ended(): Promise<void> | undefined {
    return this.#inFlight.ended
  }

  /**
   * Adds a write that was sent, and returns the result for its caller, without rows. `explain` converts its error; `undefined` if
   * another statement is the reason.
   */
  add<Row>(write: Promise<unknown>, explain: (error: unknown) => unknown): StatementResult<Row> {
    const fail = (error: unknown): void => {
      this.failure ??= error
    }
    write
      .catch((error: unknown) => fail(explain(error)))
      .catch(fail)
      .finally(this.#inFlight.begin())
    return { rows: [], count: 0, command: '' }
  }

  /** Returns the error of the first write that failed, which is the reason of the given one; without it, the given error. */
  async reasonOf(error: unknown): Promise<unknown> {
    await this.ended
    return this.failure ?? error
  }
}
