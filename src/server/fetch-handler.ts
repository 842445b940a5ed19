/** An application as a Fetch handler: for Bun, Deno and tests without a socket. */
import { HttpError } from '../base.ts'
import type { Handler, HttpResponse } from '../http.ts'
import { checkedStatus, hasNoBody, releaseBody } from '../http.ts'
import { errorResponse, plainResponse } from './container-error.ts'
import { FetchRequest } from './fetch-request.ts'
import { ProxyTrust } from './proxy-trust.ts'
import { RequestHygiene } from './request-hygiene.ts'
import { responseHead } from './response-head.ts'
import type { ResolvedSettings, ServerSettings } from './server-settings.ts'
import { resolveSettings } from './server-settings.ts'

/** What the runtime knows of the connection. */
export interface FetchInfo {
  readonly remoteAddress?: string | undefined
}

/** Never rejects; `info` may be left out. */
export type FetchHandler = (request: Request, info?: FetchInfo) => Promise<Response>

/**
 * `Bun.serve({ fetch: fetchHandler(app) })`. Hosts, methods and limits are checked as in `HttpServer`;
 * connection limits and timeouts are the runtime's.
 * @throws FwError `server.setting-invalid`
 */
export function fetchHandler(handler: Handler, settings?: ServerSettings): FetchHandler {
  const resolved = resolveSettings(settings)
  const hygiene = new RequestHygiene(resolved)
  const trust = new ProxyTrust(resolved.trustedProxies)
  return async (native, info) => {
    const request = new FetchRequest(native, info?.remoteAddress ?? '', trust)
    try {
      const refusal = refusalOf(request, native, hygiene, resolved)
      const response =
        refusal === undefined
          ? await handler(request)
          : plainResponse(refusal.status, refusal.message)
      return toResponse(request.method, response)
    } catch (error) {
      return toResponse(request.method, errorResponse(error, resolved.logger))
    }
  }
}

function refusalOf(
  request: FetchRequest,
  native: Request,
  hygiene: RequestHygiene,
  settings: ResolvedSettings,
): HttpError | undefined {
  return (
    hygiene.refusedMethod(request.method) ??
    hygiene.refusedTarget(request.method, request.target) ??
    hygiene.refusedHost(request.directHost) ??
    refusedHeaders(native.headers, settings)
  )
}

function refusedHeaders(headers: Headers, settings: ResolvedSettings): HttpError | undefined {
  let count = 0
  let bytes = 0
  for (const [name, value] of headers) {
    count++
    bytes += name.length + value.length + 4
  }
  return count > settings.maxHeaders || bytes > settings.maxHeaderBytes
    ? new HttpError(431, 'server.request-refused', 'The request headers are too large.')
    : undefined
}

function toResponse(method: string, response: HttpResponse): Response {
  const status = checkedStatus(response.status)
  const { raw, declaredLength } = responseHead(response)
  const headers = new Headers()
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i]!, raw[i + 1]!)
  const { body, reason } = response
  const init: ResponseInit = {
    status,
    headers,
    ...(reason === undefined ? {} : { statusText: reason }),
  }
  if (hasNoBody(status) || method === 'HEAD') {
    if (!hasNoBody(status)) setLength(headers, body, declaredLength)
    releaseBody(body)
    return new Response(null, init)
  }
  setLength(headers, body, declaredLength)
  return new Response(nativeBody(body), init)
}

function setLength(
  headers: Headers,
  body: HttpResponse['body'],
  declared: number | undefined,
): void {
  const length =
    typeof body === 'string'
      ? Buffer.byteLength(body)
      : body instanceof Uint8Array
        ? body.byteLength
        : (declared ?? (body === undefined ? 0 : undefined))
  if (length !== undefined) headers.set('Content-Length', String(length))
}

function nativeBody(body: HttpResponse['body']): BodyInit | null {
  if (body === undefined) return null
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  return body instanceof ReadableStream
    ? (body as ReadableStream<Uint8Array<ArrayBuffer>>)
    : streamOf(body)
}

function streamOf(
  body: AsyncIterable<Uint8Array | string>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const iterator = body[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done === true) controller.close()
      else
        controller.enqueue(typeof value === 'string' ? Buffer.from(value) : Uint8Array.from(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
