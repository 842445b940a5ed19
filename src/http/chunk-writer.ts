/** A body that is written piece by piece: each write waits until the client has room for more. */

/** Takes the pieces of a body. */
export interface ChunkWriter {
  /**
   * Sends a piece; settles when the one before is on its way, so that awaiting it holds back a fast writer.
   * @throws `ClientGone` when nobody reads any more: let it pass, it ends the writing
   */
  writeChunk(chunk: Uint8Array | string): Promise<void>
}

/** The reader left; the writing is over, and nothing is wrong. */
class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

interface Pending {
  readonly chunk: Uint8Array | string
  readonly taken: () => void
  readonly refused: (error: Error) => void
}

/** Pieces on their way from one writer to one reader. */
class Channel implements ChunkWriter {
  readonly #waiting: Pending[] = []
  #wake: () => void = () => {}
  #ended: { readonly error?: unknown } | undefined
  #gone = false

  writeChunk(chunk: Uint8Array | string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#gone) return reject(new ClientGone('The client has gone.'))
      this.#waiting.push({ chunk, taken: resolve, refused: reject })
      this.#wake()
    })
  }

  end(reason: { readonly error?: unknown }): void {
    this.#ended = reason
    this.#wake()
  }

  /** `last` is the piece that was under way, if any. */
  leave(last: Pending | undefined): void {
    this.#gone = true
    const left = last === undefined ? [] : [last]
    for (const { refused } of left.concat(this.#waiting.splice(0)))
      refused(new ClientGone('The client has gone.'))
  }

  async take(): Promise<Pending | undefined> {
    for (;;) {
      const first = this.#waiting.shift()
      if (first !== undefined) return first
      if (this.#ended !== undefined) {
        if ('error' in this.#ended) throw this.#ended.error
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** The body that `work` writes; it begins when the body is first read, and its failure cuts the response. */
export async function* writtenBody(
  work: (out: ChunkWriter) => Promise<void>,
): AsyncGenerator<Uint8Array | string> {
  const channel = new Channel()
  work(channel).then(
    () => channel.end({}),
    (error: unknown) => channel.end({ error }),
  )
  let pending: Pending | undefined
  try {
    while ((pending = await channel.take()) !== undefined) {
      yield pending.chunk
      pending.taken()
    }
  } finally {
    channel.leave(pending)
  }
}
