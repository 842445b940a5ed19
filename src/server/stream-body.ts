/** Sends a streamed body with back-pressure, and lets go of its source however it ends. */
import type { ServerResponse } from 'node:http'
import type { Logger } from '../base.ts'
import { readerOf, type BodyReader, type StreamedBody } from '../http.ts'
import { report } from './container-error.ts'
import type { WriteRate } from './write-rate.ts'

export interface PumpOptions {
  readonly logger: Logger
  readonly writeRate: WriteRate
  /** The body must have exactly this length; undefined: as long as it is. */
  readonly declaredLength: number | undefined
}

/** The head is written before. An error of the source cuts the connection: the client must not take the part for the whole. */
export function pumpStream(
  outgoing: ServerResponse,
  body: StreamedBody,
  options: PumpOptions,
): void {
  const source = readerOf(body)
  const onClose = (): void => {
    if (!outgoing.writableFinished) source.close()
  }
  outgoing.once('close', onClose)
  outgoing.flushHeaders()
  pump(outgoing, source, options).catch((error: unknown) => {
    outgoing.off('close', onClose)
    source.close()
    if (!outgoing.destroyed) report(options.logger, error, 'response stream failed')
    outgoing.destroy()
  })
}

async function pump(
  outgoing: ServerResponse,
  source: BodyReader,
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
    if (!outgoing.write(value)) await drained(outgoing, options.writeRate)
  }
  if (options.declaredLength !== undefined && left > 0) {
    throw new Error(`The body ended ${left} bytes short of its Content-Length.`)
  }
  outgoing.end()
  options.writeRate.watch(outgoing)
}

// Also settles when the connection closes; the caller sees `destroyed`.
function drained(outgoing: ServerResponse, writeRate: WriteRate): Promise<void> {
  writeRate.watch(outgoing)
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done)
      outgoing.off('close', done)
      resolve()
    }
    outgoing.on('drain', done)
    outgoing.on('close', done)
  })
}
