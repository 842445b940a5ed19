/** Streamed response bodies: reads streams of any kind, and lets an application write a body chunk by chunk. */
import type { ResponseBody } from './http-response.ts'

type Chunk = Uint8Array | string

/** A body that arrives in chunks. */
export type StreamedBody = Exclude<ResponseBody, undefined | string | Uint8Array>

/** Reads the chunks of a streamed body. */
export interface BodyReader {
  next(): Promise<IteratorResult<Chunk, unknown>>
  /** Closes the source of the chunks, even before the first `next` or during a pending one. */
  close(): void
}

/** Returns true for a streamed body, whose length is unknown before the end. */
export function isStreamed(body: ResponseBody): body is StreamedBody {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}

/**
 * A body that reads another source. The object is its own iterator and reader: thousands of streams may wait at once, and an async
 * generator, or an object for each of these roles, takes more memory for each stream. Call `next` only after the promise of the last
 * call has settled.
 */
export abstract class DerivedBody implements AsyncIterableIterator<Chunk>, BodyReader {
  abstract next(): Promise<IteratorResult<Chunk, unknown>>

  /** Closes the source. `close` ignores its errors. */
  protected abstract closeSource(): unknown

  close(): void {
    void ignoreFailure(() => this.closeSource())
  }

  return(): Promise<IteratorResult<Chunk, unknown>> {
    this.close()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

class IteratorReader implements BodyReader {
  readonly #body: object
  readonly #iterator: AsyncIterator<Chunk, unknown>

  constructor(body: AsyncIterable<Chunk>) {
    this.#body = body
    this.#iterator = body[Symbol.asyncIterator]()
  }

  /** An iterator may return its result without a promise, as for `for await`. */
  next(): Promise<IteratorResult<Chunk, unknown>> {
    return Promise.resolve(this.#iterator.next())
  }

  close(): void {
    const { destroy } = this.#body as { destroy?: () => void }
    // `destroy` closes a Node stream at once. The `return` of a generator waits for its pending `next`.
    void ignoreFailure(() =>
      typeof destroy === 'function' ? destroy.call(this.#body) : this.#iterator.return?.(),
    )
  }
}

/** Opens a reader for any streamed body. @throws TypeError for a locked `ReadableStream` */
export function openBodyReader(body: StreamedBody): BodyReader {
  if (body instanceof DerivedBody) return body
  if (!(body instanceof ReadableStream)) return new IteratorReader(body)
  const reader = body.getReader()
  return {
    next: () => reader.read(),
    close: () => void ignoreFailure(() => reader.cancel()),
  }
}

/** Closes the source of a body that will not be sent. Does nothing for text, bytes or a locked stream. */
export function releaseBody(body: ResponseBody): void {
  if (!isStreamed(body)) return
  if (body instanceof ReadableStream && body.locked) return
  openBodyReader(body).close()
}

/** Runs work whose failure has no consequence, because the response has ended. */
export async function ignoreFailure(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch {
    // Ignore the failure: the response has ended, so that it has no consequence.
  }
}

/**
 * A streamed body that calls `onChunk` for each chunk, and `onEnd` once when it has been read completely, failed or
 * been closed.
 */
export class WatchedBody extends DerivedBody {
  readonly #body: StreamedBody
  readonly #onEnd: () => void
  readonly #onChunk: ((chunk: Chunk) => void) | undefined
  #reader: BodyReader | undefined
  #hasEnded = false

  constructor(body: StreamedBody, onEnd: () => void, onChunk?: (chunk: Chunk) => void) {
    super()
    this.#body = body
    this.#onChunk = onChunk
    this.#onEnd = onEnd
  }

  next(): Promise<IteratorResult<Chunk, unknown>> {
    try {
      return this.#open()
        .next()
        .then(
          (result) => this.#handleResult(result),
          (error: unknown) => this.#fail(error),
        )
    } catch (error) {
      return this.#rejectWith(error)
    }
  }

  protected closeSource(): void {
    try {
      this.#open().close()
    } finally {
      this.#end()
    }
  }

  #open(): BodyReader {
    return (this.#reader ??= openBodyReader(this.#body))
  }

  #handleResult(result: IteratorResult<Chunk, unknown>): IteratorResult<Chunk, unknown> {
    try {
      if (result.done === true) this.#end()
      else this.#onChunk?.(result.value)
    } catch (error) {
      this.#fail(error)
    }
    return result
  }

  #fail(error: unknown): never {
    this.#end()
    throw error
  }

  async #rejectWith(error: unknown): Promise<never> {
    return this.#fail(error)
  }

  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#onEnd()
  }
}

/** The time in milliseconds for which a response waits for its first chunk. A failure after that time cuts the connection. */
const firstChunkTime = 1000

/** A streamed body whose first chunk is read before the response begins. An early failure can thus become an error response. */
export class StartedBody extends DerivedBody {
  readonly #reader: BodyReader
  /** The first read, until `next` returns it: the chunk must not stay in memory as long as the stream. */
  #first: Promise<IteratorResult<Chunk, unknown>> | undefined

  /** @throws TypeError for a locked `ReadableStream` */
  constructor(body: StreamedBody) {
    super()
    this.#reader = openBodyReader(body)
    this.#first = this.#reader.next()
    this.#first.catch(() => {})
  }

  /**
   * Waits for the first chunk. Resolves when it has arrived, after a second, or when the client disconnects. Rejects
   * with the error of a source that fails earlier.
   */
  async started(signal: AbortSignal): Promise<void> {
    const waiting = Promise.withResolvers<unknown>()
    const timer = setTimeout(waiting.resolve, firstChunkTime)
    signal.addEventListener('abort', waiting.resolve)
    if (signal.aborted) waiting.resolve(undefined)
    try {
      await Promise.race([waiting.promise, this.#first])
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', waiting.resolve)
    }
  }

  next(): Promise<IteratorResult<Chunk, unknown>> {
    const first = this.#first
    this.#first = undefined
    return first ?? this.#reader.next()
  }

  protected closeSource(): void {
    this.#reader.close()
  }
}

/** Writes the chunks of a body. */
export interface ChunkWriter {
  /**
   * Writes a chunk. Resolves when the container has accepted it. Await the promise, so that a slow client slows the
   * writer down.
   * @throws `ClientGone` when the client has disconnected: do not catch the error, so that it ends the writing
   */
  writeChunk(chunk: Uint8Array | string): Promise<void>
}

/** The error for a disconnected client. It is not a fault of the application. */
class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

interface PendingChunk {
  readonly chunk: Chunk
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Returns the body that `work` writes. `work` starts on the first read; if it fails, the connection is cut. */
export async function* writerBody(
  work: (out: ChunkWriter) => Promise<void>,
): AsyncGenerator<Chunk> {
  const pending: PendingChunk[] = []
  let sent: PendingChunk | undefined
  let end = undefined as { readonly error?: unknown } | undefined
  let closed = false
  let wake = (): void => {}
  const writeChunk = (chunk: Chunk): Promise<void> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new ClientGone('The client has gone.'))
      pending.push({ chunk, resolve, reject })
      wake()
    })
  const finish = (reason: { readonly error?: unknown }): void => {
    end = reason
    wake()
  }
  work({ writeChunk }).then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  )
  try {
    for (;;) {
      sent = pending.shift()
      if (sent !== undefined) {
        yield sent.chunk
        sent.resolve()
      } else if (end === undefined) await new Promise<void>((resolve) => (wake = resolve))
      else if ('error' in end) throw end.error
      else return
    }
  } finally {
    closed = true
    if (sent !== undefined) pending.unshift(sent)
    for (const { reject } of pending) reject(new ClientGone('The client has gone.'))
  }
}
