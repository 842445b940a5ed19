/** A Fetch Request as the request contract. */
import { FwError } from '../base.ts'
import type { BodySource, HttpRequest } from '../http.ts'
import { BodyPieces } from './body-pieces.ts'
import type { Origin, ProxyTrust } from './proxy-trust.ts'
import { tooLarge } from './too-large.ts'

export class FetchRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly mountPath = ''
  readonly httpVersion = '1.1'
  readonly body: BodySource
  /** As the URL has it, whatever a proxy says. */
  readonly directHost: string
  readonly #native: Request
  readonly #peer: string
  readonly #trust: ProxyTrust
  #origin: Origin | undefined

  constructor(native: Request, peer: string, trust: ProxyTrust) {
    const { url } = native
    const start = url.indexOf('//') + 2
    const slash = url.indexOf('/', start)
    const hash = url.indexOf('#', slash)
    this.method = native.method.toUpperCase()
    this.directHost = url.slice(start, slash)
    this.target = hash === -1 ? url.slice(slash) : url.slice(slash, hash)
    this.body = new FetchBody(native)
    this.#native = native
    this.#peer = peer
    this.#trust = trust
  }

  header(name: string): string | undefined {
    return this.#native.headers.get(name) ?? undefined
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#native.headers
  }

  get signal(): AbortSignal {
    return this.#native.signal
  }

  get aborted(): boolean {
    return this.#native.signal.aborted
  }

  get scheme(): 'http' | 'https' {
    return this.#resolved().scheme
  }

  get host(): string {
    return this.#resolved().host
  }

  get remoteAddress(): string {
    return this.#resolved().remoteAddress
  }

  #resolved(): Origin {
    return (this.#origin ??= this.#trust.resolve(
      {
        remoteAddress: this.#peer,
        scheme: this.#native.url.startsWith('https:') ? 'https' : 'http',
        host: this.directHost,
      },
      (name) => this.header(name),
    ))
  }
}

class FetchBody implements BodySource {
  readonly declaredLength: number | undefined
  readonly isEmpty: boolean
  readonly #native: Request

  constructor(native: Request) {
    const length = native.headers.get('content-length')
    this.declaredLength = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined
    this.isEmpty = native.body === null || this.declaredLength === 0
    this.#native = native
  }

  async bytes(limit: number): Promise<Uint8Array> {
    if (this.isEmpty) return new Uint8Array(0)
    const pieces = new BodyPieces()
    for await (const piece of this.stream(limit)) pieces.add(piece)
    return pieces.whole()
  }

  async consume(
    limit: number,
    take: (piece: Uint8Array) => Promise<void> | undefined,
  ): Promise<void> {
    for await (const piece of this.stream(limit)) await take(piece)
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    if (this.#native.bodyUsed || this.#native.body?.locked === true) {
      throw new FwError('http.body-consumed', 'The request body was read before: read it once.')
    }
    if (this.declaredLength !== undefined && this.declaredLength > limit) throw tooLarge(limit)
    let total = 0
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.byteLength
        if (total > limit) throw tooLarge(limit)
        controller.enqueue(chunk)
      },
    })
    return (this.#native.body ?? emptyStream()).pipeThrough(counted)
  }
}

function emptyStream(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ start: (controller) => controller.close() })
}
