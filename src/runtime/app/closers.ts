/** Closes the resources that the start of an application has opened. Node 22 has no `AsyncDisposableStack`. */

/** A list of functions that `close` calls once, in reverse order. If one fails, the others are called nevertheless. */
export class Closers {
  readonly #closers: (() => unknown)[] = []
  #closing: Promise<void> | undefined

  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Calls the functions. A second call returns the promise of the first. @throws the first error */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    const errors: unknown[] = []
    for (const close of this.#closers.toReversed()) {
      try {
        await close()
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
  }
}

/** Calls `open`. If it fails, closes what it has opened until then. */
export async function closeOnFailure<T>(open: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers()
  try {
    return await open(closers)
  } catch (error) {
    // Ignore errors of closing, which would hide the first error.
    await closers.close().catch(() => {})
    throw error
  }
}
