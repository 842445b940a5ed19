/** `WritesAhead`: the writes of a transaction that were sent without waiting for their results. */

/** A transaction that has sent so many writes waits for their results, because code that never waits would fill the memory. */
const mostAhead = 64

/** Remembers the first failure of such writes. PostgreSQL has then aborted the transaction: their failure explains later ones. */
export class WritesAhead {
  /** Resolves when the results of all writes so far have arrived. */
  ended: Promise<unknown> | undefined
  failure: Error | undefined
  #inFlight = 0

  get isFull(): boolean {
    return this.#inFlight >= mostAhead
  }

  add(write: Promise<unknown>): void {
    this.#inFlight++
    const settled = write
      .catch((error: unknown) => (this.failure ??= error as Error))
      .finally(() => this.#inFlight--)
    this.ended = this.ended === undefined ? settled : Promise.all([this.ended, settled])
  }

  /** Forgets the failure, which a savepoint has undone. */
  async undo(): Promise<void> {
    await this.ended
    this.failure = undefined
  }
}
