/** The response contract: a mutable value that a container writes once. */
import type { HttpRequest } from './http-request.ts'
import { ResponseHeaders } from './response-headers.ts'
import type { SharedHeaders } from './shared-headers.ts'

/**
 * Undefined is an empty body. Text is sent as UTF-8. A stream is read with back-pressure and closed
 * (`cancel`, `return`) when the client goes away.
 */
export type ResponseBody =
  | undefined
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>

/**
 * What the application answers. The container adds `Date`, `Connection` and `Content-Length`, sends no body
 * for HEAD, 204, 205 and 304, and drops hop-by-hop headers.
 */
export class HttpResponse {
  status: number
  /** Sent on HTTP/1.x in place of the standard phrase. */
  reason: string | undefined = undefined
  headers: ResponseHeaders
  /** Sent after `headers`; none of them is among those. */
  shared: SharedHeaders | undefined = undefined
  body: ResponseBody
  /** True when no route answered: a container mounted in another framework goes on to the next handler there. */
  unmatched = false

  constructor(status = 200, body?: ResponseBody, headers: ResponseHeaders = new ResponseHeaders()) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An application as a function. A synchronous answer stays synchronous. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
