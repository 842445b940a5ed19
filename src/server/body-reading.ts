/** Reads a request body by Node's events: limited, refused when it trickles, kept whole or lent piece by piece. */
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { HttpError } from '../base.ts'
import { BodyPieces } from './body-pieces.ts'
import type { Arriving, BodyRate } from './body-rate.ts'
import { tooLarge } from './too-large.ts'

/** Less than was announced. */
export function aborted(): HttpError {
  return new HttpError(
    400,
    'http.body-aborted',
    'The client went away before the body was complete.',
  )
}

/** A body being read by events; what the promise needs to end, and no listener more. */
abstract class Reading<T> implements Arriving {
  readonly since = performance.now()
  place = -1
  received = 0
  protected readonly incoming: IncomingMessage
  readonly #limit: number
  readonly #rate: BodyRate
  readonly #settle: PromiseWithResolvers<T> = Promise.withResolvers()
  #ended = false
  #settled = false

  constructor(incoming: IncomingMessage, limit: number, rate: BodyRate) {
    this.incoming = incoming
    this.#limit = limit
    this.#rate = rate
    rate.begin(this)
    incoming.on('data', (chunk: Buffer) => this.#receive(chunk))
    incoming.on('end', () => {
      this.#ended = true
      this.atEnd()
    })
    // A client that goes away says so by 'close' too: without a listener for it, 'error' stays silent.
    incoming.on('close', () => {
      if (!this.#ended) this.fail(aborted())
    })
  }

  get result(): Promise<T> {
    return this.#settle.promise
  }

  tooSlow(): void {
    this.fail(new HttpError(408, 'http.body-too-slow', 'The body came too slowly.'))
  }

  /** Nothing more is taken. */
  fail(error: unknown): void {
    if (!this.#end()) return
    this.incoming.pause()
    this.#settle.reject(error)
  }

  protected abstract take(chunk: Buffer): void
  /** All has been taken. */
  protected abstract atEnd(): void

  protected get settled(): boolean {
    return this.#settled
  }

  protected finish(result: T): void {
    if (this.#end()) this.#settle.resolve(result)
  }

  #receive(chunk: Buffer): void {
    if (this.#settled) return
    this.received += chunk.length
    if (this.received > this.#limit) this.fail(tooLarge(this.#limit))
    else this.take(chunk)
  }

  /** False when it has ended before. */
  #end(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#rate.end(this)
    return true
  }
}

/** A body for one who wants it whole. */
export class Collecting extends Reading<Uint8Array> {
  readonly #pieces = new BodyPieces()

  protected override take(chunk: Buffer): void {
    this.#pieces.add(chunk)
  }

  protected override atEnd(): void {
    this.finish(this.#pieces.whole())
  }
}

/** A body for one who looks at each piece once. */
export class Lending extends Reading<void> {
  readonly #borrower: (piece: Uint8Array) => Promise<void> | undefined
  readonly #frees: boolean
  #isLent = false
  #isLast = false
  #waiting: Buffer[] | undefined

  constructor(
    incoming: IncomingMessage,
    limit: number,
    rate: BodyRate,
    borrower: (piece: Uint8Array) => Promise<void> | undefined,
    isOwn: boolean,
  ) {
    super(incoming, limit, rate)
    this.#borrower = borrower
    // Instruments that look at bodies put an `on` of their own on the message, which shows them what our listener gets.
    this.#frees = isOwn && incoming.on === Readable.prototype.on
  }

  protected override take(piece: Buffer): void {
    if (this.#isLent) return this.#keepWaiting(piece)
    let borrowed: Promise<void> | undefined
    try {
      borrowed = this.#borrower(piece)
    } catch (error) {
      return this.fail(error)
    }
    if (borrowed === undefined) return this.#free(piece)
    this.#isLent = true
    this.incoming.pause()
    borrowed.then(
      () => this.#takeBack(piece),
      (error: unknown) => this.fail(error),
    )
  }

  // Node tells of the end together with the last piece, paused or not.
  protected override atEnd(): void {
    this.#isLast = true
    if (!this.#isLent) this.finish()
  }

  // It was paused: another has resumed it.
  #keepWaiting(piece: Buffer): void {
    this.incoming.pause()
    ;(this.#waiting ??= []).push(piece)
  }

  #takeBack(piece: Buffer): void {
    this.#isLent = false
    this.#free(piece)
    while (!this.#isLent && !this.settled) {
      const next = this.#waiting?.shift()
      if (next === undefined) return this.#goOn()
      this.take(next)
    }
  }

  #goOn(): void {
    if (this.#isLast) this.finish()
    else this.incoming.resume()
  }

  /**
   * Node makes a block for each piece. Dead ones lie around until V8 has counted 32 to 80 MB of them; to detach a block
   * frees it at once. Only what Node's own parser made for us alone: other servers' messages may carry someone's bytes.
   */
  #free({ buffer, byteLength }: Buffer): void {
    if (
      this.#frees &&
      buffer instanceof ArrayBuffer &&
      buffer.byteLength === byteLength &&
      Object.getPrototypeOf(this.incoming) === IncomingMessage.prototype &&
      this.incoming.listenerCount('data') === 1
    )
      buffer.transfer(0)
  }
}
