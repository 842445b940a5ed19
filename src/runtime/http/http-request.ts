/** The request contract: what every container passes to the application, independent of Node. */

/**
 * An unread request body. It can be read once, as bytes, as a stream or in chunks.
 * `RequestBody` keeps the bytes, so that they can be read as text, JSON or form in any order.
 */
export interface BodySource {
  /** The `Content-Length` in bytes; undefined when there is none (chunked, or no body). */
  readonly declaredLength: number | undefined
  /** True when the headers say that no body follows. */
  readonly isEmpty: boolean
  /**
   * The whole body. A declared length above `limit` (bytes) is rejected before anything is read.
   * @throws HttpError 413 `http.body-too-large`; 400 `http.body-aborted` when the client disconnects;
   * 408 `http.body-too-slow`; FwError `http.body-consumed` on a second read; the reason of `signal` once the
   * container has cancelled the request
   */
  bytes(limit: number): Promise<Uint8Array>
  /**
   * The body as it arrives. It fails with 413 past `limit` (bytes).
   * @throws as `bytes`: `http.body-consumed` and a 413 for the declared length at once, the others through the stream
   */
  stream(limit: number): ReadableStream<Uint8Array>
  /**
   * Calls `onChunk` with each chunk, and waits for the promise it returns, if any, before the next one. The container
   * may free a chunk's memory afterwards, so that large bodies need little of it: copy the bytes to keep.
   * An error of `onChunk` ends the reading.
   * @throws as `bytes`
   */
  consume(limit: number, onChunk: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void>
}

/** One request as a value. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** Raw `path?query` as received: not decoded, begins with `/` (or is `*` for OPTIONS). */
  readonly target: string
  /** The prefix that a host framework has removed from the path (Express's `baseUrl`); '' otherwise. */
  readonly mountPath: string
  /** '1.0', '1.1', '2'. */
  readonly httpVersion: string
  /** The client's scheme. Forwarded headers count only behind a configured proxy. */
  readonly scheme: 'http' | 'https'
  /** `name[:port]` of the Host header, valid and in the host list; '' for an HTTP/1.0 request without one. */
  readonly host: string
  /**
   * The client's address without port. Behind configured proxies: the right-most forwarded address that is not a
   * proxy's. '' when unknown.
   */
  readonly remoteAddress: string
  /** True if a configured proxy sent the request, so that its `X-Request-Id` and `traceparent` count. */
  readonly isProxied?: boolean
  readonly body: BodySource
  /** Created on first use. Aborts when the client disconnects or the container cancels the request. */
  readonly signal: AbortSignal
  /** `signal.aborted`, without creating the signal. */
  readonly aborted: boolean
  /** Repeated headers are joined by `, ` (cookies by `; `); undefined when absent. */
  header(lowerCaseName: string): string | undefined
  /** Names in lower case, in the order received, one entry per header line. */
  headers(): Iterable<readonly [string, string]>
}
