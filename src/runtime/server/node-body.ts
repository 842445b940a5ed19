/** Reads a request body from the events of Node's message, with a limit of its size and a minimum rate. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FwError, HttpError } from '../base.ts'
import { BodyChunks, type BodySource } from '../http.ts'
import { bodyAborted, bodyTooLarge } from './error-response.ts'
import { freeChunk, mayFreeChunks } from './free-chunk.ts'
import { BodyRateMonitor, type MonitoredBody } from './time-limits.ts'

const empty = new Uint8Array(0)
const noMinimum = new BodyRateMonitor(0)
const queuing = new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 })

type OnChunk = (chunk: Uint8Array) => Promise<void> | undefined

/** The request to which a body belongs. */
interface BodyOwner {
  /** Called when the reading of the body has ended. */
  bodyEnded(): void
}

/** The body of a Node request; implements `BodySource`. */
export class NodeBody implements BodySource {
  readonly declaredLength: number | undefined
  readonly isEmpty: boolean
  readonly #incoming: IncomingMessage
  readonly #interim: ServerResponse | undefined
  readonly #rate: BodyRateMonitor
  readonly #freesChunks: boolean
  readonly #owner: BodyOwner | undefined
  /** The number of bytes that had arrived at the last call of `isArriving`. */
  #received = 0
  #begun = false
  #reading: BodyReading | undefined
  #cancelled: FwError | undefined

  /**
   * @param interim the response that sends `100 Continue`; undefined if the client does not wait for it
   */
  constructor(
    incoming: IncomingMessage,
    rate: BodyRateMonitor,
    interim: ServerResponse | undefined,
    freesChunks = false,
    owner?: BodyOwner,
  ) {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.declaredLength = length === undefined ? undefined : Number(length)
    this.isEmpty = coding === undefined && (length === undefined || this.declaredLength === 0)
    this.#incoming = incoming
    this.#interim = interim
    this.#rate = rate
    this.#freesChunks = freesChunks
    this.#owner = owner
  }

  /**
   * Returns true while the request waits for the client: if bytes have arrived since the last call, or if none are there and the
   * minimum rate will end the wait.
   */
  isArriving(): boolean {
    const reading = this.#reading
    if (reading === undefined || reading.settled || this.#rate.isTooSlow(reading)) return false
    const hasProgress = reading.received > this.#received
    this.#received = reading.received
    return hasProgress || (!reading.isPaused && this.#rate.hasMinimum)
  }

  arrivedBytes(limit: number): Uint8Array | undefined {
    if (this.isEmpty) return empty
    const incoming = this.#incoming
    if (!incoming.complete) return undefined
    const problem = this.#begin(limit)
    if (problem !== undefined) throw problem
    const { readableLength: length } = incoming
    return length === 0 ? empty : (incoming.read(length) as Buffer)
  }

  async bytes(limit: number): Promise<Uint8Array> {
    const arrived = this.arrivedBytes(limit)
    if (arrived !== undefined) return arrived
    const problem = this.#begin(limit)
    if (problem !== undefined) throw problem
    const chunks = new BodyChunks()
    await this.#read(limit, (chunk) => void chunks.add(chunk), false)
    return chunks.concat()
  }

  consume(limit: number, onChunk: OnChunk): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    return this.#read(limit, onChunk, this.#freesChunks)
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    const problem = this.#begin(limit)
    if (problem !== undefined) throw problem
    let resume = (): void => {}
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const onChunk = (chunk: Uint8Array): Promise<void> | undefined => {
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) > 0) return undefined
        return new Promise((resolve) => (resume = resolve))
      }
      // No minimum rate, because the reader of the stream may be slower than the client.
      this.#read(limit, onChunk, false, noMinimum).then(
        () => controller.close(),
        (error: unknown) => controller.error(error),
      )
    }
    const cancel = (reason: unknown): void => this.#reading?.fail(reason)
    return new ReadableStream({ start, pull: () => resume(), cancel }, queuing)
  }

  /** Rejects the current read and later reads with `reason`. */
  cancel(reason: FwError): void {
    this.#cancelled = reason
    this.#reading?.fail(reason)
  }

  #read(
    limit: number,
    onChunk: OnChunk,
    freesChunks: boolean,
    rate: BodyRateMonitor = this.#rate,
  ): Promise<void> {
    this.#reading = new BodyReading(this.#incoming, limit, rate, onChunk, freesChunks, this.#owner)
    return this.#reading.result
  }

  // Returns why the body cannot be read; undefined if reading may begin.
  #begin(limit: number): FwError | undefined {
    const incoming = this.#incoming
    if (this.#cancelled !== undefined) return this.#cancelled
    // A body parser of a host framework may have read the body.
    if (this.#begun || incoming.readableEnded || incoming.readableFlowing === true) {
      return new FwError(
        'http.body-consumed',
        'The request body was read before: read it once, or mount Fw in front of other body parsers.',
      )
    }
    if ((this.declaredLength ?? incoming.readableLength) > limit) return bodyTooLarge(limit)
    // Node has already emitted all events of the message, so a read would never end.
    if (incoming.destroyed && !incoming.complete) return bodyAborted()
    this.#begun = true
    this.#interim?.writeContinue()
    return undefined
  }
}

/** Passes each chunk of a message to a callback. Pauses the message until the promise of the callback is fulfilled. */
class BodyReading implements MonitoredBody {
  readonly since = performance.now()
  listIndex = -1
  received = 0
  readonly #incoming: IncomingMessage
  readonly #limit: number
  readonly #rate: BodyRateMonitor
  readonly #onChunk: OnChunk
  readonly #freesChunks: boolean
  readonly #outcome = Promise.withResolvers<void>()
  /** True after the last chunk. */
  #ended = false
  settled = false
  readonly #owner: BodyOwner | undefined
  /** True while the callback processes a chunk. */
  isPaused = false
  #queue: Buffer[] | undefined

  constructor(
    incoming: IncomingMessage,
    limit: number,
    rate: BodyRateMonitor,
    onChunk: OnChunk,
    freesChunks: boolean,
    owner: BodyOwner | undefined,
  ) {
    this.#incoming = incoming
    this.#owner = owner
    this.#limit = limit
    this.#rate = rate
    this.#onChunk = onChunk
    this.#freesChunks = freesChunks && mayFreeChunks(incoming)
    rate.begin(this)
    incoming.on('data', (chunk: Buffer) => this.#receive(chunk))
    // Node emits `end` right after the last chunk, even if the message is paused. Then `#continue` finishes the reading.
    incoming.on('end', () => {
      this.#ended = true
      if (!this.isPaused) this.#finish()
    })
    // Node emits `close` when the client disconnects. It also emits `error`, but only if that event has a listener.
    incoming.on('close', () => {
      if (!this.#ended) this.fail(bodyAborted())
    })
  }

  get result(): Promise<void> {
    return this.#outcome.promise
  }

  tooSlow(): void {
    this.fail(new HttpError(408, 'http.body-too-slow', 'The body came too slowly.'))
  }

  fail(error: unknown): void {
    if (!this.#settle()) return
    this.#incoming.pause()
    this.#outcome.reject(error)
  }

  #finish(): void {
    if (this.#settle()) this.#outcome.resolve()
  }

  /** Ends the reading. Returns false if it had already ended. */
  #settle(): boolean {
    if (this.settled) return false
    this.settled = true
    this.#rate.end(this)
    this.#owner?.bodyEnded()
    return true
  }

  #receive(chunk: Buffer): void {
    if (this.settled) return
    this.received += chunk.length
    if (this.received > this.#limit) this.fail(bodyTooLarge(this.#limit))
    else if (this.isPaused) this.#enqueue(chunk)
    else this.#pass(chunk)
  }

  #pass(chunk: Buffer): void {
    let done: Promise<void> | undefined
    try {
      done = this.#onChunk(chunk)
    } catch (error) {
      return this.fail(error)
    }
    if (done === undefined) return this.#free(chunk)
    this.isPaused = true
    this.#incoming.pause()
    done.then(
      () => this.#continue(chunk),
      (error: unknown) => this.fail(error),
    )
  }

  // A chunk arrives during a pause only if other code has resumed the message.
  #enqueue(chunk: Buffer): void {
    this.#incoming.pause()
    ;(this.#queue ??= []).push(chunk)
  }

  #continue(chunk: Buffer): void {
    this.isPaused = false
    this.#free(chunk)
    while (!this.isPaused && !this.settled) {
      const next = this.#queue?.shift()
      if (next !== undefined) this.#pass(next)
      else if (this.#ended) return this.#finish()
      else return void this.#incoming.resume()
    }
  }

  #free(chunk: Buffer): void {
    if (this.#freesChunks) freeChunk(this.#incoming, chunk)
  }
}
