/** A request body as Node delivers it: collected by events, limited, and refused when it trickles. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FwError, HttpError } from '../base.ts'
import type { BodySource } from '../http.ts'

const rateGrace = 5_000
const empty = new Uint8Array(0)

/** See `BodySource`. `interim` is the response that still owes a `100 Continue`. */
export class NodeBody implements BodySource {
  readonly declaredLength: number | undefined
  readonly isEmpty: boolean
  readonly #incoming: IncomingMessage
  readonly #interim: ServerResponse | undefined
  readonly #minRate: number
  #taken = false

  constructor(incoming: IncomingMessage, minRate: number, interim: ServerResponse | undefined) {
    const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers
    this.declaredLength = length === undefined ? undefined : Number(length)
    this.isEmpty = coding === undefined && (length === undefined || this.declaredLength === 0)
    this.#incoming = incoming
    this.#interim = interim
    this.#minRate = minRate
  }

  bytes(limit: number): Promise<Uint8Array> {
    if (this.isEmpty) return Promise.resolve(empty)
    const problem = this.#begin(limit)
    if (problem !== undefined) return Promise.reject(problem)
    return collect(this.#incoming, limit, this.#minRate)
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

function collect(incoming: IncomingMessage, limit: number, minRate: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let total = 0
    const timer = watchRate(minRate, () => total, fail)
    incoming.on('data', onData)
    incoming.on('end', onEnd)
    incoming.on('error', onGone)
    incoming.on('close', onGone)

    function onData(chunk: Buffer): void {
      total += chunk.length
      if (total > limit) fail(tooLarge(limit))
      else chunks.push(chunk)
    }
    function onEnd(): void {
      stop()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total))
    }
    function onGone(): void {
      fail(aborted())
    }
    function fail(error: HttpError): void {
      stop()
      incoming.pause()
      reject(error)
    }
    function stop(): void {
      clearInterval(timer)
      incoming.off('data', onData)
      incoming.off('end', onEnd)
      incoming.off('close', onGone)
      // 'error' stays heard: an abort after this must not become an uncaught one.
    }
  })
}

// Whoever sends a byte now and then would hold memory and a connection for ever.
function watchRate(
  minRate: number,
  total: () => number,
  fail: (error: HttpError) => void,
): ReturnType<typeof setInterval> | undefined {
  if (minRate === 0) return undefined
  const start = performance.now()
  return setInterval(() => {
    const seconds = (performance.now() - start) / 1000
    if (total() >= minRate * seconds) return
    fail(new HttpError(408, 'http.body-too-slow', 'The body came too slowly.'))
  }, rateGrace).unref()
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
