/** A request body as Node delivers it: collected by events, limited, and refused when it trickles. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FwError, HttpError } from '../base.ts'
import type { BodySource } from '../http.ts'
import type { Arriving, BodyRate } from './body-rate.ts'

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
    return new Collecting(this.#incoming, limit, this.#rate).bytes
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
    this.#taken = true
    this.#interim?.writeContinue()
    return undefined
  }
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, 'http.body-too-large', `The body is larger than ${limit} bytes.`)
}

function aborted(): HttpError {
  return new HttpError(
    400,
    'http.body-aborted',
    'The client went away before the body was complete.',
  )
}

/** A body that is there as a whole. */
function arrived(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const { readableLength: length } = incoming
  if (length > limit) return Promise.reject(tooLarge(limit))
  return Promise.resolve(length === 0 ? empty : (incoming.read(length) as Buffer))
}

/** A body being collected; what the promise needs to end, and no listener more. */
class Collecting implements Arriving {
  readonly since = performance.now()
  place = -1
  received = 0
  readonly #incoming: IncomingMessage
  readonly #limit: number
  readonly #rate: BodyRate
  readonly #settle: PromiseWithResolvers<Uint8Array> = Promise.withResolvers()
  readonly #chunks: Buffer[] = []
  #settled = false

  constructor(incoming: IncomingMessage, limit: number, rate: BodyRate) {
    this.#incoming = incoming
    this.#limit = limit
    this.#rate = rate
    rate.begin(this)
    incoming.on('data', (chunk: Buffer) => this.#take(chunk))
    incoming.on('end', () => this.#complete())
    // A client that goes away says so by 'close' too: without a listener for it, 'error' stays silent.
    incoming.on('close', () => {
      if (!this.#settled) this.#fail(aborted())
    })
  }

  get bytes(): Promise<Uint8Array> {
    return this.#settle.promise
  }

  tooSlow(): void {
    this.#fail(new HttpError(408, 'http.body-too-slow', 'The body came too slowly.'))
  }

  #take(chunk: Buffer): void {
    if (this.#settled) return
    this.received += chunk.length
    if (this.received > this.#limit) this.#fail(tooLarge(this.#limit))
    else this.#chunks.push(chunk)
  }

  #complete(): void {
    if (!this.#end()) return
    const [only, more] = this.#chunks
    const whole = only !== undefined && more === undefined
    this.#settle.resolve(whole ? only : Buffer.concat(this.#chunks, this.received))
  }

  #fail(error: HttpError): void {
    if (!this.#end()) return
    this.#incoming.pause()
    this.#settle.reject(error)
  }

  /** False when it has ended before. */
  #end(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#rate.end(this)
    return true
  }
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
