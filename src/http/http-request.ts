/** The request contract: what every container hands to the application, knowing nothing of Node. */

/**
 * A request body that has not been read yet. It can be read once, either whole or as a stream;
 * `requestBody` (see body.ts) keeps what was read so that text, JSON and form can be asked for in any order.
 */
export interface BodySource {
  /** The `Content-Length` in bytes; undefined when there is none (chunked, or no body). */
  readonly declaredLength: number | undefined
  /** True when the headers say that no body follows. */
  readonly isEmpty: boolean
  /**
   * The whole body. A declared length above `limit` (bytes) is refused before anything is read.
   * @throws HttpError 413 `http.body-too-large`; 400 `http.body-aborted` when the client goes away;
   * 408 `http.body-too-slow`; FwError `http.body-consumed` when it was read before; the reason of `signal` once the
   * container gives the request up
   */
  bytes(limit: number): Promise<Uint8Array>
  /**
   * The body as it arrives; errors with 413 past `limit` (bytes).
   * @throws as `bytes`, through the stream; `http.body-consumed` and an early 413 at once
   */
  stream(limit: number): ReadableStream<Uint8Array>
  /**
   * Lends the body to `take` piece by piece; the next one comes when the promise that it returns is fulfilled, or at once.
   * Afterwards the piece's memory belongs to the container, which may free it: copy what is to stay. Ends when the
   * body has ended; what `take` throws ends it, too. This is how large bodies are read in little memory.
   * @throws as `bytes`
   */
  consume(limit: number, take: (piece: Uint8Array) => Promise<void> | undefined): Promise<void>
}

/** One request as a value. Header names are asked for in lower case. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string
  /** Raw `path?query` as received: never decoded, always beginning with `/` (or `*` for OPTIONS). */
  readonly target: string
  /** What a surrounding framework has already taken off the path (Express's `baseUrl`); '' otherwise. */
  readonly mountPath: string
  /** '1.0', '1.1', '2'. */
  readonly httpVersion: string
  /** How the client spoke; a forwarded header counts only behind a configured proxy. */
  readonly scheme: 'http' | 'https'
  /** `name[:port]` as the client addressed it, checked for syntax and against the host list; '' when HTTP/1.0 sent none. */
  readonly host: string
  /** The client's address without port; behind a configured proxy the right-most address that is no proxy. '' when unknown. */
  readonly remoteAddress: string
  readonly body: BodySource
  /** Made when first asked for; aborted when the client goes away or the container gives the request up. */
  readonly signal: AbortSignal
  /** What `signal.aborted` would say, without making the signal. */
  readonly aborted: boolean
  /** Repeats are joined by `, ` (cookies by `; `); undefined when absent. */
  header(lowerCaseName: string): string | undefined
  /** Names in lower case, in the order received, repeats each for itself. */
  headers(): Iterable<readonly [string, string]>
}
