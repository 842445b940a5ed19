/** `Closers`: closes the resources that the start of an application opened. Node 22 has no `AsyncDisposableStack`. */

/** Calls its functions once, in reverse order, each of them even if another fails. */
export class Closers {
  readonly #closers: (() => unknown)[] = []
  #closing: Promise<void> | undefined

  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** A second call returns the promise of the first. @throws the first error */
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
