/** The interface of a request: the value that every container passes to the application, independent of Node. */

/**
 * The body of a request before it is read. It can be read once: as bytes, as a stream or in chunks. `RequestBody` keeps
 * the bytes, so that the application can read them as text, JSON or form fields in any order.
 */
export interface BodySource {
  /** The `Content-Length` in bytes; undefined without that header (a chunked body, or no body). */
  readonly declaredLength: number | undefined
  /** True when, according to the headers, no body follows. */
  readonly isEmpty: boolean
  /**
   * Reads the whole body. Rejects a body whose declared length exceeds `limit` bytes before reading any of it.
   * @throws HttpError 413 `http.body-too-large`; 499 `http.body-aborted` when the client disconnects; 408
   * `http.body-too-slow`; FwError `http.body-consumed` on a second read; the reason of `signal` once the container has
   * cancelled the request
   */
  bytes(limit: number): Promise<Uint8Array>
  /**
   * Reads the whole body synchronously. Returns undefined, and reads nothing, if the body has not arrived completely. If a
   * container has no such method, `bytes` is called.
   * @throws as `bytes`
   */
  arrivedBytes?(limit: number): Uint8Array | undefined
  /**
   * Returns the body as a stream of chunks. The stream fails with a 413 after `limit` bytes.
   * @throws as `bytes`: `http.body-consumed` and the 413 for the declared length at once, the other errors through the
   * stream
   */
  stream(limit: number): ReadableStream<Uint8Array>
  /**
   * Calls `onChunk` with each chunk. If `onChunk` returns a promise, awaits it before reading the next chunk. To save
   * memory, the container may free a chunk after the call: copy the bytes to keep. An error of `onChunk` stops the
   * reading.
   * @throws as `bytes`
   */
  consume(limit: number, onChunk: (chunk: Uint8Array) => Promise<void> | undefined): Promise<void>
}

/** One request as a value. */
export interface HttpRequest {
  /** The method in upper case. */
  readonly method: string
  /** The raw `path?query` as received, not decoded. It begins with `/`, or is `*` for OPTIONS. */
  readonly target: string
  /** The path prefix that a host framework has removed (Express's `baseUrl`); '' without a host framework. */
  readonly mountPath: string
  /** The HTTP version: '1.0', '1.1' or '2'. */
  readonly httpVersion: string
  /** The scheme that the client used. Forwarded headers are read only behind a configured proxy. */
  readonly scheme: 'http' | 'https'
  /**
   * The valid `name[:port]` of the Host header, which the host list contains; '' for an HTTP/1.0 request without that
   * header.
   */
  readonly host: string
  /**
   * The client's address without the port; '' when unknown. Behind configured proxies, the right-most forwarded address
   * that does not belong to a proxy.
   */
  readonly remoteAddress: string
  /** True if a configured proxy sent the request. Only then are its `X-Request-Id` and `traceparent` trusted. */
  readonly isProxied?: boolean
  readonly body: BodySource
  /** A signal that aborts when the client disconnects or the container cancels the request. Created on first use. */
  readonly signal: AbortSignal
  /** The value of `signal.aborted`, read without creating the signal. */
  readonly aborted: boolean
  /** Returns a header's value; undefined without that header. Joins repeated headers with `, `, and cookies with `; `. */
  header(lowerCaseName: string): string | undefined
  /** Iterates over the header lines in the order received, with names in lower case. */
  headers(): Iterable<readonly [string, string]>
}
