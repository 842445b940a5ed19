/** What a start has opened: closed at the end of the application, or at once when the start fails half way. */

/** Closes in the reverse order of the opening, everything once, each though another fails. */
export class Openings {
  readonly #closers: (() => unknown)[] = []
  #closing: Promise<void> | undefined

  add(close: () => unknown): void {
    this.#closers.push(close)
  }

  /** Called again, it gives the first call's promise. @throws the first of the failures */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeAll())
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.#closers.toReversed()) {
      try {
        await close()
      } catch (failure) {
        failures.push(failure)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
