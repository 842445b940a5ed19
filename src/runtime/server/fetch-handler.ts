/** `fetchHandler`: serves an application as a Fetch handler, for Bun, Deno and tests without a socket. */
import { FwError, type HttpError } from '../base.ts'
import {
  BodyChunks,
  checkStatus,
  hasNoBody,
  openBodyReader,
  releaseBody,
  type BodySource,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  type ResponseBody,
  type StreamedBody,
} from '../http.ts'
import { bodyTooLarge, errorResponse, plainResponse } from './error-response.ts'
import { switchesProtocol } from './handshake.ts'
import { mayBeProbe, RequestValidator, requestRefused } from './request-validator.ts'
import { resolveSettings, type ResolvedSettings, type ServerSettings } from './server-settings.ts'
import { TrustedProxies } from './trusted-proxies.ts'
import { contentLength, responseHead } from './write-response.ts'

/** The properties of the connection that the runtime (Bun, Deno) reports. */
export interface FetchInfo {
  readonly remoteAddress?: string | undefined
}

/** A function from a Fetch `Request` to its `Response`. The promise never rejects. */
export type FetchHandler = (request: Request, info?: FetchInfo) => Promise<Response>

/**
 * Returns a Fetch handler: `Bun.serve({ fetch: fetchHandler(app) })`. Checks hosts, methods and the sizes of requests like
 * `HttpServer`. The runtime limits connections and their times.
 * @throws FwError `server.setting-invalid`
 */
export function fetchHandler(handler: Handler, settings?: ServerSettings): FetchHandler {
  const resolved = resolveSettings(settings)
  const validator = new RequestValidator(resolved)
  const proxies = new TrustedProxies(resolved)
  return async (native, info) => {
    const request = new FetchRequest(native, info?.remoteAddress ?? '', proxies)
    try {
      const problem =
        validator.validateMethod(request.method) ??
        validator.validateTarget(request.method, request.target) ??
        validator.validateHost(request.directHost) ??
        validator.validateHost(request.host, 'X-Forwarded-Host') ??
        validateHeaders(native.headers, resolved)
      const probed = mayBeProbe(problem)
        ? resolved.probe?.(request.method, request.target, request.header('authorization'))
        : undefined
      if (probed === undefined && problem === undefined) {
        const response = await handler(request)
        if (!switchesProtocol(response)) return toResponse(request.method, response)
        return toResponse(
          request.method,
          resolved.finish(
            plainResponse(request.header('upgrade')?.toLowerCase() === 'websocket' ? 501 : 426),
          ),
        )
      }
      const own = probed ?? plainResponse(problem!.status, problem!.message)
      return toResponse(request.method, resolved.finish(await own))
    } catch (error) {
      return toResponse(request.method, resolved.finish(errorResponse(error, resolved.logger)))
    }
  }
}

function validateHeaders(headers: Headers, settings: ResolvedSettings): HttpError | undefined {
  let count = 0
  let bytes = 0
  for (const [name, value] of headers) {
    count++
    bytes += name.length + value.length + 4
  }
  return count > settings.maxHeaders || bytes > settings.maxHeaderBytes
    ? requestRefused(431, 'The request headers are too large.')
    : undefined
}

function toResponse(method: string, response: HttpResponse): Response {
  const status = checkStatus(response.status)
  const { raw, declaredLength } = responseHead(response)
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!)
  const { body, reason } = response
  const init: ResponseInit = {
    status,
    headers,
    ...(reason === undefined ? {} : { statusText: reason }),
  }
  const bodiless = hasNoBody(status)
  const length = contentLength(body, declaredLength, method)
  if (!bodiless && length !== undefined) headers.set('Content-Length', String(length))
  if (!bodiless && method !== 'HEAD') return new Response(toBodyInit(body), init)
  releaseBody(body)
  return new Response(null, init)
}

function toBodyInit(body: ResponseBody): BodyInit | null {
  if (body === undefined) return null
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  return body instanceof ReadableStream
    ? (body as ReadableStream<Uint8Array<ArrayBuffer>>)
    : toReadableStream(body)
}

function toReadableStream(body: StreamedBody): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = openBodyReader(body)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.next()
      if (done === true) controller.close()
      else
        controller.enqueue(typeof value === 'string' ? Buffer.from(value) : Uint8Array.from(value))
    },
    cancel: () => reader.close(),
  })
}

/** Adapts a Fetch `Request` to the interface `HttpRequest`. */
export class FetchRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly mountPath = ''
  readonly httpVersion = '1.1'
  readonly body: BodySource
  /** The host of the request's URL; the headers of proxies do not change it. */
  readonly directHost: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly remoteAddress: string
  readonly isProxied: boolean
  readonly #native: Request

  constructor(native: Request, peerAddress: string, proxies: TrustedProxies) {
    const { url } = native
    const start = url.indexOf('//') + 2
    const slash = url.indexOf('/', start)
    const hash = url.indexOf('#', slash)
    this.method = native.method.toUpperCase()
    this.directHost = url.slice(start, slash)
    this.target = hash === -1 ? url.slice(slash) : url.slice(slash, hash)
    this.body = new FetchBody(native)
    this.#native = native
    const direct = {
      remoteAddress: peerAddress,
      scheme: url.startsWith('https:') ? 'https' : 'http',
      host: this.directHost,
    } as const
    const connection = proxies.resolve(direct, (name) => this.header(name))
    this.scheme = connection.scheme
    this.host = connection.host
    this.remoteAddress = connection.remoteAddress
    this.isProxied = connection.isProxied === true
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
    const chunks = new BodyChunks()
    if (!this.isEmpty) await this.consume(limit, (chunk) => void chunks.add(chunk))
    return chunks.concat()
  }

  async consume(
    limit: number,
    onChunk: (chunk: Uint8Array) => Promise<void> | undefined,
  ): Promise<void> {
    for await (const chunk of this.stream(limit)) await onChunk(chunk)
  }

  stream(limit: number): ReadableStream<Uint8Array> {
    if (this.#native.bodyUsed || this.#native.body?.locked === true) {
      throw new FwError('http.body-consumed', 'The request body was read before: read it once.')
    }
    if (this.declaredLength !== undefined && this.declaredLength > limit) throw bodyTooLarge(limit)
    let total = 0
    const limited = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.byteLength
        if (total > limit) throw bodyTooLarge(limit)
        controller.enqueue(chunk)
      },
    })
    return (this.#native.body ?? new Blob().stream()).pipeThrough(limited)
  }
}
