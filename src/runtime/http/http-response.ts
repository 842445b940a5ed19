/** The interface of a response: a mutable value that a container sends once. */
import type { HttpRequest } from './http-request.ts'
import { ResponseHeaders, type SharedHeaders } from './response-headers.ts'

/**
 * The body of a response; undefined for an empty body. Text is sent as UTF-8. A stream is read with back-pressure, and
 * closed (`cancel`, `return`) when the client disconnects.
 */
export type ResponseBody =
  | undefined
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>

/**
 * A response. The container adds `Date`, `Connection` and `Content-Length`, and removes hop-by-hop headers. It sends no
 * body for a HEAD request or the statuses 204, 205 and 304.
 */
export class HttpResponse {
  status: number
  /** The reason phrase of HTTP/1.x, instead of the standard phrase of the status. */
  reason: string | undefined = undefined
  headers: ResponseHeaders
  /** Prebuilt headers, sent after `headers`. They must not contain a name that `headers` contains. */
  shared: SharedHeaders | undefined = undefined
  body: ResponseBody
  /** Called with the connection if the status is 101. The server that sends the response defines the arguments: `TakeOver`. */
  switchTo: ((...connection: never[]) => unknown) | undefined = undefined
  /** True when no route matched. A container inside a host framework then calls the framework's next handler. */
  unmatched = false

  constructor(status = 200, body?: ResponseBody, headers: ResponseHeaders = new ResponseHeaders()) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An application as a function. A synchronous application returns the response itself instead of a promise. */
export type Handler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
