/** One way to read every kind of streamed body, and to let go of it. */
import type { ResponseBody } from './http-response.ts'

/** A body that comes piece by piece. */
export type StreamedBody = Exclude<ResponseBody, undefined | string | Uint8Array>

/** Reads a streamed body. */
export interface BodyReader {
  next(): Promise<IteratorResult<Uint8Array | string, unknown>>
  /** Lets go of the source, begun or not, even while `next` is pending. */
  close(): void
}

/** True for a body whose length is not known before it was read. */
export function isStreamed(body: ResponseBody): body is StreamedBody {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}

/** @throws TypeError for a stream that someone else is reading */
export function readerOf(body: StreamedBody): BodyReader {
  if (body instanceof ReadableStream) {
    const reader = body.getReader()
    return {
      next: () => reader.read(),
      close: () => quietly(() => reader.cancel()),
    }
  }
  const iterator = body[Symbol.asyncIterator]()
  const { destroy } = body as { destroy?: () => void }
  return {
    next: () => iterator.next(),
    // A Node stream is destroyed at once; a generator's `return` waits for its pending `next`.
    close: () =>
      quietly(() => (typeof destroy === 'function' ? destroy.call(body) : iterator.return?.())),
  }
}

/** Lets go of a body that is not sent; nothing for one that is no stream. */
export function releaseBody(body: ResponseBody): void {
  if (!isStreamed(body)) return
  // A locked stream belongs to someone else.
  if (body instanceof ReadableStream && body.locked) return
  readerOf(body).close()
}

// What fails while letting go has nobody left to tell.
function quietly(work: () => unknown): void {
  try {
    Promise.resolve(work()).catch(() => {})
  } catch {
    // As above.
  }
}

/** A streamed body that tells once when it is over: read to its end, failed, or let go of. */
export class WatchedBody implements AsyncIterable<Uint8Array | string> {
  readonly #body: StreamedBody
  readonly #over: () => void

  constructor(body: StreamedBody, over: () => void) {
    this.#body = body
    let told = false
    this.#over = () => {
      if (!told) over()
      told = true
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array | string> {
    const reader = readerOf(this.#body)
    const over = this.#over
    return {
      async next() {
        try {
          const result = await reader.next()
          if (result.done === true) over()
          return result
        } catch (error) {
          over()
          throw error
        }
      },
      async return() {
        reader.close()
        over()
        return { done: true, value: undefined }
      },
    }
  }
}
