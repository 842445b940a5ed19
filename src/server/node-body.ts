/** A request body as Node delivers it: collected by events, limited, and refused when it trickles. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FwError } from '../base.ts'
import type { BodySource } from '../http.ts'
import type { BodyRate } from './body-rate.ts'
import { aborted, Collecting, Lending } from './body-reading.ts'
import { tooLarge } from './too-large.ts'

const empty = new Uint8Array(0)

/** See `BodySource`. `interim` is the response that still owes a `100 Continue`. */
export class NodeBody implements BodySource {
  readonly declaredLength: number | undefined
  readonly isEmpty: boolean
  readonly #incoming: IncomingMessage
  readonly #interim: ServerResponse | undefined
  readonly #rate: BodyRate
  #taken = false

  constructor(incoming: IncomingMessage, rate: BodyRate, interim: ServerResponse | undefined) {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.declaredLength = length === undefined ? undefined : Number(length)
    this.isEmpty = coding === undefined && (length === undefined || this.declaredLength === 0)
    this.#incoming = incoming
    this.#interim = interim
    this.#rate = rate
  }

  bytes(limit: number): Promise<Uint8Array> {
    if (this.isEmpty) return Promise.resolve(empty)
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    if (this.#incoming.complete) return arrived(this.#incoming, limit)
    return new Collecting(this.#incoming, limit, this.#rate).result
  }

  consume(limit: number, take: (piece: Uint8Array) => Promise<void> | undefined): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    return new Lending(this.#incoming, limit, this.#rate, take).result
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    const problem = this.#begin(limit)
    if (problem !== undefined) throw problem
    return streamOf(this.#incoming, limit)
  }

  // What stands against reading; undefined once it has begun.
  #begin(limit: number): FwError | undefined {
    const incoming = this.#incoming
    // Another framework in front of us may have read it already.
    if (this.#taken || incoming.readableEnded || incoming.readableFlowing === true) {
      return new FwError(
        'http.body-consumed',
        'The request body was read before: read it once, or mount Fw in front of other body parsers.',
      )
    }
    if (this.declaredLength !== undefined && this.declaredLength > limit) return tooLarge(limit)
    // Its events are over: nothing would ever end the reading.
    if (incoming.destroyed && !incoming.complete) return aborted()
    this.#taken = true
    this.#interim?.writeContinue()
    return undefined
  }
}

/** A body that is there as a whole. */
function arrived(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { readableLength: length } = incoming
  if (length > limit) return Promise.reject(tooLarge(limit))
  return Promise.resolve(length === 0 ? empty : (incoming.read(length) as Buffer))
}

function streamOf(incoming: IncomingMessage, limit: number): ReadableStream<Uint8Array> {
  let total = 0
  let ended = false
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = (end: () => void): void => {
          if (ended) return
          ended = true
          end()
        }
        incoming.pause()
        incoming.on('data', (chunk: Buffer) => {
          if (ended) return
          total += chunk.length
          if (total > limit) {
            incoming.pause()
            return finish(() => controller.error(tooLarge(limit)))
          }
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
        })
        incoming.on('end', () => finish(() => controller.close()))
        incoming.on('error', () => finish(() => controller.error(aborted())))
        incoming.on('close', () => finish(() => controller.error(aborted())))
      },
      pull() {
        incoming.resume()
      },
      cancel() {
        ended = true
        incoming.pause()
      },
    },
    { highWaterMark: 64 * 1024, size: (chunk) => chunk.byteLength },
  )
}
