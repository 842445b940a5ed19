/** The response contract: a mutable value that a container writes once. */
import type { HttpRequest } from './http-request.ts'
import { ResponseHeaders } from './response-headers.ts'
import type { SharedHeaders } from './response-headers.ts'

/**
 * Undefined is an empty body. Text is sent as UTF-8. A stream is read with back-pressure, and closed
 * (`cancel`, `return`) when the client disconnects.
 */
export type ResponseBody =
  | undefined
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>

/**
 * A response. The container adds `Date`, `Connection` and `Content-Length`, sends no body
 * for HEAD, 204, 205 and 304, and drops hop-by-hop headers.
 */
export class HttpResponse {
  status: number
  /** Replaces the standard reason phrase on HTTP/1.x. */
  reason: string | undefined = undefined
  headers: ResponseHeaders
  /** Sent after `headers`. Must not repeat a name of `headers`. */
  shared: SharedHeaders | undefined = undefined
  body: ResponseBody
  /** True when no route matched: a container inside another framework then calls the next handler. */
  unmatched = false

  constructor(status = 200, body?: ResponseBody, headers: ResponseHeaders = new ResponseHeaders()) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An application as a function. A synchronous application returns its response without a promise. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
