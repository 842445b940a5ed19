/** A request body as Node delivers it: collected by events, limited, and refused when it trickles. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FwError } from '../base.ts'
import type { BodySource } from '../http.ts'
import type { BodyRate } from './body-rate.ts'
import { aborted, Collecting, Lending } from './body-reading.ts'
import { tooLarge } from './too-large.ts'

const empty = new Uint8Array(0)
const pulled = new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 })

/** See `BodySource`. `interim` is the response that still owes a `100 Continue`; `isOwn` as `ownsMessages`. */
export class NodeBody implements BodySource {
  readonly declaredLength: number | undefined
  readonly isEmpty: boolean
  readonly #incoming: IncomingMessage
  readonly #interim: ServerResponse | undefined
  readonly #rate: BodyRate
  readonly #isOwn: boolean
  #taken = false
  #reading: { fail(error: unknown): void } | undefined
  #givenUp: FwError | undefined

  constructor(
    incoming: IncomingMessage,
    rate: BodyRate,
    interim: ServerResponse | undefined,
    isOwn = false,
  ) {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.declaredLength = length === undefined ? undefined : Number(length)
    this.isEmpty = coding === undefined && (length === undefined || this.declaredLength === 0)
    this.#incoming = incoming
    this.#interim = interim
    this.#rate = rate
    this.#isOwn = isOwn
  }

  bytes(limit: number): Promise<Uint8Array> {
    if (this.isEmpty) return Promise.resolve(empty)
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    if (this.#incoming.complete) return arrived(this.#incoming, limit)
    const collecting = (this.#reading = new Collecting(this.#incoming, limit, this.#rate))
    return collecting.result
  }

  consume(limit: number, take: (piece: Uint8Array) => Promise<void> | undefined): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    const lending = new Lending(this.#incoming, limit, this.#rate, take, this.#isOwn)
    this.#reading = lending
    return lending.result
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    const problem = this.#begin(limit)
    if (problem !== undefined) throw problem
    const streaming = (this.#reading = new Streaming(this.#incoming, limit))
    return new ReadableStream(streaming, pulled)
  }

  /** Nobody is answered any more: the reading under way fails, as does each to come. */
  giveUp(reason: FwError): void {
    this.#givenUp = reason
    this.#reading?.fail(reason)
  }

  // What stands against reading; undefined once it has begun.
  #begin(limit: number): FwError | undefined {
    const incoming = this.#incoming
    if (this.#givenUp !== undefined) return this.#givenUp
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

/** A body for one who pulls it as a stream. */
class Streaming {
  readonly #incoming: IncomingMessage
  readonly #limit: number
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #received = 0

  constructor(incoming: IncomingMessage, limit: number) {
    this.#incoming = incoming
    this.#limit = limit
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    const incoming = this.#incoming
    incoming.pause()
    incoming.on('data', (chunk: Buffer) => this.#receive(chunk))
    incoming.on('end', () => this.#end()?.close())
    incoming.on('error', () => this.fail(aborted()))
    incoming.on('close', () => this.fail(aborted()))
  }

  pull(): void {
    this.#incoming.resume()
  }

  cancel(): void {
    this.#end()
    this.#incoming.pause()
  }

  fail(error: unknown): void {
    this.#end()?.error(error)
  }

  #receive(chunk: Buffer): void {
    const controller = this.#controller
    if (controller === undefined) return
    this.#received += chunk.length
    if (this.#received > this.#limit) {
      this.#incoming.pause()
      return this.fail(tooLarge(this.#limit))
    }
    controller.enqueue(chunk)
    if ((controller.desiredSize ?? 0) <= 0) this.#incoming.pause()
  }

  // Undefined when it has ended before.
  #end(): ReadableStreamDefaultController<Uint8Array> | undefined {
    const controller = this.#controller
    this.#controller = undefined
    return controller
  }
}
