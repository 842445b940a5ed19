/** `OpenStreams`: the event streams and WebSockets that end when the server stops. */

export class OpenStreams {
  readonly #ends = new Set<() => void>()
  #areEnded = false

  /** True after `endAll`. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** Adds the function that ends a stream. After `endAll`, calls it at once. */
  add(end: () => void): void {
    if (this.#areEnded) end()
    else this.#ends.add(end)
  }

  delete(end: () => void): void {
    this.#ends.delete(end)
  }

  endAll(): void {
    this.#areEnded = true
    for (const end of this.#ends) end()
  }
}
