/** `WaitingCallers`: the queue of the callers that wait for a connection of a pool. */
import type { Connection } from './connection.ts'

/** A caller that waits for a connection. */
export interface Waiter {
  /** True if the caller reserves a connection; false for a single statement, which can share one. */
  readonly exclusive: boolean
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
}

/** Serves callers in order; before the others, those that have had a connection, because refusing them would lose work. */
export class WaitingCallers {
  readonly #entries: (Waiter & { readonly timer: NodeJS.Timeout })[] = []
  /** The number of entries, at the beginning of the queue, that have had a connection. */
  #admitted = 0

  get length(): number {
    return this.#entries.length
  }

  get next(): Waiter | undefined {
    return this.#entries[0]
  }

  /** Adds a caller, which is rejected with `timeoutError()` after `timeout` milliseconds. */
  add(waiter: Waiter, isAdmitted: boolean, timeout: number, timeoutError: () => Error): void {
    const timer = setTimeout(() => {
      this.#remove(this.#entries.indexOf(entry)).reject(timeoutError())
    }, timeout)
    const entry = { ...waiter, timer }
    this.#entries.splice(isAdmitted ? this.#admitted++ : this.length, 0, entry)
  }

  /** Removes the next caller, which gets a connection. */
  shift(): void {
    this.#remove(0)
  }

  rejectAll(error: () => Error): void {
    while (this.length > 0) this.#remove(0).reject(error())
  }

  #remove(at: number): Waiter {
    if (at < this.#admitted) this.#admitted--
    const [entry] = this.#entries.splice(at, 1)
    clearTimeout(entry!.timer)
    return entry!
  }
}
