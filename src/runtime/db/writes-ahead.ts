/** `WritesAhead`: the writes of a transaction whose results its caller did not wait for. */

/** A transaction with so many writes in flight waits for the next one, because code that never waits would fill the memory. */
const mostAhead = 64

export class WritesAhead {
  /** The error of the first write that failed. PostgreSQL has then aborted the transaction, so it explains the errors after it. */
  failure: Error | undefined
  #inFlight = 0
  #end: PromiseWithResolvers<void> | undefined

  get isFull(): boolean {
    return this.#inFlight >= mostAhead
  }

  /** Resolves when no write is in flight; undefined if none is. */
  get ended(): Promise<void> | undefined {
    return this.#end?.promise
  }

  add(write: Promise<unknown>, explain: (error: unknown) => unknown): void {
    this.#inFlight++
    this.#end ??= Promise.withResolvers()
    write
      .catch((error: unknown) => (this.failure ??= explain(error) as Error))
      .finally(() => {
        if (--this.#inFlight > 0) return
        this.#end?.resolve()
        this.#end = undefined
      })
  }
}
