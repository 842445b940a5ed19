/** Sends a streamed body with back-pressure, and lets go of its source however it ends. */
import type { ServerResponse } from 'node:http'
import type { Logger } from '../base.ts'
import type { ResponseBody } from '../http.ts'
import { report } from './container-error.ts'

type StreamedBody = Exclude<ResponseBody, undefined | string | Uint8Array>

/** One way to read both kinds of stream; `close` releases the source, even while `next` is pending. */
interface ChunkSource {
  next(): Promise<{ done?: boolean | undefined; value?: Uint8Array | string | undefined }>
  close(reason: unknown): unknown
}

export interface PumpOptions {
  readonly logger: Logger
  readonly writeTimeout: number
  /** The body must have exactly this length; undefined: as long as it is. */
  readonly declaredLength: number | undefined
}

/** The head is written before. An error of the source cuts the connection: the client must not take the part for the whole. */
export function pumpStream(
  outgoing: ServerResponse,
  body: StreamedBody,
  options: PumpOptions,
): void {
  const source = sourceOf(body)
  const onClose = (): void => {
    if (!outgoing.writableFinished) closeQuietly(source)
  }
  outgoing.once('close', onClose)
  outgoing.flushHeaders()
  pump(outgoing, source, options).catch((error: unknown) => {
    outgoing.off('close', onClose)
    closeQuietly(source)
    if (!outgoing.destroyed) report(options.logger, error, 'response stream failed')
    outgoing.destroy()
  })
}

async function pump(
  outgoing: ServerResponse,
  source: ChunkSource,
  options: PumpOptions,
): Promise<void> {
  let left = options.declaredLength ?? Infinity
  for (;;) {
    const { done, value } = await source.next()
    if (outgoing.destroyed) return
    if (done === true) break
    if (value === undefined || value.length === 0) continue
    left -= typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength
    if (left < 0)
      throw new Error(
        `The body is longer than its Content-Length of ${options.declaredLength} bytes.`,
      )
    if (!outgoing.write(value)) await drained(outgoing, options.writeTimeout)
  }
  if (options.declaredLength !== undefined && left > 0) {
    throw new Error(`The body ended ${left} bytes short of its Content-Length.`)
  }
  outgoing.end()
}

// Also settles when the connection closes; the caller sees `destroyed`.
function drained(outgoing: ServerResponse, writeTimeout: number): Promise<void> {
  const { socket } = outgoing
  // Any progress of the socket counts: a slow client may take long over one large chunk.
  socket?.setTimeout(writeTimeout)
  return new Promise((resolve) => {
    const done = (): void => {
      socket?.setTimeout(0)
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on('drain', done)
    outgoing.on('close', done)
  })
}

/** Releases the source of a body that is not sent. */
export function discardStream(body: ResponseBody): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return
  try {
    closeQuietly(sourceOf(body))
  } catch {
    // A locked stream belongs to someone else.
  }
}

function closeQuietly(source: ChunkSource): void {
  try {
    Promise.resolve(source.close(undefined)).catch(() => {})
  } catch {
    // What fails while letting go has nobody left to tell.
  }
}

function sourceOf(body: StreamedBody): ChunkSource {
  if (body instanceof ReadableStream) {
    const reader = body.getReader()
    return { next: () => reader.read(), close: (reason) => reader.cancel(reason) }
  }
  const iterator = body[Symbol.asyncIterator]()
  const destroy = (body as { destroy?: () => void }).destroy
  return {
    next: () => iterator.next(),
    // A Node stream is destroyed at once; a generator's `return` waits for its pending `next`.
    close: () => (typeof destroy === 'function' ? destroy.call(body) : iterator.return?.()),
  }
}
