/** `OpenStreams`: the event streams and WebSockets that end when the server stops. */

/** A stream that a stop of the server ends. */
export interface OpenStream {
  end(): unknown
}

export class OpenStreams {
  readonly #streams = new Set<OpenStream>()
  #areEnded = false

  /** True after `endAll`. */
  get areEnded(): boolean {
    return this.#areEnded
  }

  /** Adds a stream. After `endAll`, ends it at once. */
  add(stream: OpenStream): void {
    if (this.#areEnded) stream.end()
    else this.#streams.add(stream)
  }

  delete(stream: OpenStream): void {
    this.#streams.delete(stream)
  }

  endAll(): void {
    this.#areEnded = true
    for (const stream of this.#streams) stream.end()
  }
}
