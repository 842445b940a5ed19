/** Orders the statements of several clients on the one session of an embedded database. */

interface Turn {
  readonly client: object
  readonly run: () => Promise<void>
}

/** Runs one statement at a time, first come, first served; a client keeps the session while its transaction is open. */
export class EngineTurns {
  readonly #waiting: Turn[] = []
  #isRunning = false
  #keeper: object | undefined

  /** Runs `work` when the session is free. Then `keeps` returns whether the client keeps the session. */
  take<T>(client: object, work: () => Promise<T>, keeps: () => boolean): Promise<T> {
    return new Promise((resolve) => {
      const run = (): Promise<void> => {
        const result = work()
        const end = (): void => {
          this.#keeper = keeps() ? client : undefined
        }
        resolve(result)
        return result.then(end, end)
      }
      this.#waiting.push({ client, run })
      this.#next()
    })
  }

  isKeptByAnother(client: object): boolean {
    return this.#keeper !== undefined && this.#keeper !== client
  }

  #next(): void {
    if (this.#isRunning) return
    const at = this.#waiting.findIndex(({ client }) => !this.isKeptByAnother(client))
    const [turn] = at === -1 ? [] : this.#waiting.splice(at, 1)
    if (turn === undefined) return
    this.#isRunning = true
    void turn.run().then(() => {
      this.#isRunning = false
      this.#next()
    })
  }
}
