/** `FwRequest`: the request of an action, with its path, its headers, and a body that can be read more than once. */
import type { MaybePromise } from '../base.ts'
import {
  parseHttpDate,
  parseQueryString,
  RequestBody,
  type FieldMap,
  type HttpRequest,
  type RequestPath,
} from '../http.ts'

export interface BodyLimits {
  /** The maximum size of forms, JSON and text in bytes; 1 MiB unless configured. */
  readonly body: number
}

/** Headers that identify a visitor or client. */
const credentialHeaders: ReadonlySet<string> = new Set(['authorization', 'cookie'])

/** Copies the headers. HTTP/2 pseudo-headers are left out, and several `Cookie` lines are joined, as RFC 9113 requires. */
function copyHeaders(http: HttpRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of http.headers())
    if (!name.startsWith(':') && name !== 'cookie') headers.append(name, value)
  const cookie = http.header('cookie')
  if (cookie !== undefined) headers.set('cookie', cookie)
  return headers
}

/** The request of an action: `this.request`. @spec Response helpers › Other request facilities */
export class FwRequest {
  /** The request as the server received it. */
  readonly http: HttpRequest
  /** The path, which is decoded only once; the router, filters, static files and logs all use this value. */
  readonly path: RequestPath
  readonly #limits: BodyLimits
  #body: RequestBody | undefined
  #query: FieldMap | undefined
  #form: FieldMap | undefined
  #isFormRead = false
  #headers: Headers | undefined
  #web: Request | undefined
  #variesByPurpose = false
  /** The HTTP method of the request, or the one that a method override has set. */
  method: string

  constructor(http: HttpRequest, path: RequestPath, limits: BodyLimits) {
    this.http = http
    this.path = path
    this.method = http.method
    this.#limits = limits
  }

  /**
   * True once code has read `Authorization`, `Cookie`, a bearer token, or a signed or sealed cookie of the request. No shared
   * cache stores the response then. Set it for credentials in another header.
   */
  usesCredentials = false

  /** Returns the value of a header, whose name is not case-sensitive; `undefined` if the header is absent. */
  header(name: string): string | undefined {
    const key = name.toLowerCase()
    const value = this.http.header(key)
    if (value !== undefined && credentialHeaders.has(key)) this.usesCredentials = true
    return value
  }

  /** All headers as a standard `Headers` object. Changing it does not affect the request. */
  get headers(): Headers {
    for (const name of credentialHeaders)
      if (this.http.header(name) !== undefined) this.usesCredentials = true
    return (this.#headers ??= copyHeaders(this.http))
  }

  /**
   * Returns the request as a standard `Request`, for libraries. It has the URL that the client requested, the overridden
   * method, the body as a stream, and a signal that is aborted when the client disconnects. Reading more of the body than the
   * limit allows fails. Each call returns the same object.
   * @throws FwError `http.body-consumed` if the body was already read as a stream
   */
  toWeb(): Request {
    if (this.#web !== undefined) return this.#web
    const { http, method } = this
    const path = http.target.startsWith('/') ? http.mountPath + http.target : '/'
    const host = http.host === '' ? 'localhost' : http.host
    const hasBody = method !== 'GET' && method !== 'HEAD' && !http.body.isEmpty
    this.#web = new Request(`${http.scheme}://${host}${path}`, {
      method,
      headers: this.headers,
      signal: http.signal,
      ...(hasBody ? { body: this.inputStream as BodyInit, duplex: 'half' } : {}),
    })
    return this.#web
  }

  /** Returns the date in a header such as `If-Modified-Since`; `undefined` if the header is absent or not an HTTP date. */
  dateHeader(name: string): Date | undefined {
    const text = this.header(name)
    return text === undefined ? undefined : parseHttpDate(text)
  }

  /** The query string without the `?`; `''` if there is none. */
  get queryString(): string {
    const { target } = this.http
    const at = target.indexOf('?')
    return at === -1 ? '' : target.slice(at + 1)
  }

  /**
   * The parameters of the query string. Reading a malformed one, or all of them, throws.
   * @throws HttpError 400 `http.query-invalid`
   */
  get query(): FieldMap {
    return (this.#query ??= parseQueryString(this.queryString))
  }

  /** The fields of an urlencoded or multipart body, which the stage `body` reads; empty for other types. */
  get form(): FieldMap {
    return (this.#form ??= new Map())
  }

  /** True if the fields of the body were read; false if the controller does not read bodies of this type. */
  get isFormRead(): boolean {
    return this.#isFormRead
  }

  set form(fields: FieldMap) {
    this.#form = fields
    this.#isFormRead = true
  }

  /** The body that `JsonParamsFeature` or `XmlParamsFeature` has parsed, not yet validated; `undefined` for other bodies. */
  parsedBody: unknown

  /** The body. Its methods may return their result without a promise. */
  get content(): RequestBody {
    return (this.#body ??= new RequestBody(this.http, this.#limits.body))
  }

  /** Reads the whole body as text in the request's charset. @throws HttpError 413 `http.body-too-large` */
  async body(): Promise<string> {
    return this.content.text()
  }

  /** Reads the whole body as bytes. @throws HttpError 413 `http.body-too-large` */
  async bytes(): Promise<Uint8Array> {
    return this.content.bytes()
  }

  /** Reads the body and parses it as JSON. @throws HttpError 400 `http.json-invalid` */
  async json(): Promise<unknown> {
    return this.content.json()
  }

  /** Reads an XML body, and converts it to the values of equivalent JSON. @throws HttpError 400 `http.xml-invalid` */
  async xml(): Promise<unknown> {
    return this.content.xml()
  }

  /**
   * The raw body as a stream; works even after the fields of a form were read. A body that nothing has read yet can be streamed
   * only once. Uploads are available only as files.
   */
  get inputStream(): ReadableStream<Uint8Array> {
    const started = this.cachedBytes
    if (started === undefined) return this.http.body.stream(this.#limits.body)
    return new ReadableStream({
      async pull(controller) {
        const bytes = await started
        if (bytes.length > 0) controller.enqueue(bytes.slice())
        controller.close()
      },
    })
  }

  /** The bytes of the body if code has started to read it; otherwise undefined. */
  get cachedBytes(): MaybePromise<Uint8Array> | undefined {
    return this.#body?.startedRead
  }

  /** The media type of the body without parameters, in lower case. */
  get mediaType(): string | undefined {
    const type = this.http.header('content-type')
    if (type === undefined) return undefined
    const end = type.indexOf(';')
    return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
  }

  /** True for GET, HEAD, OPTIONS, QUERY and TRACE, which must not change data. */
  get isSafe(): boolean {
    return isSafeMethod(this.method)
  }

  /** The host and port (`name[:port]`) of the Host header; `''` if an HTTP/1.0 client sent no such header. */
  get host(): string {
    return this.http.host
  }

  /**
   * True if the browser requests the page before the visitor does, by `Sec-Purpose` or, from a script such as Turbo,
   * `X-Sec-Purpose`. Such a request stores nothing: no session, flash, cookie or visit. Reading it sets the header `Vary`.
   */
  get isPrefetch(): boolean {
    this.#variesByPurpose = true
    return this.isSafe && isPrefetch(this.http)
  }

  /** True if code has read `isPrefetch`. */
  get variesByPurpose(): boolean {
    return this.#variesByPurpose
  }

  get isHttps(): boolean {
    return this.http.scheme === 'https'
  }

  get isAjax(): boolean {
    return this.header('x-requested-with') !== undefined
  }

  get remoteAddress(): string {
    return this.http.remoteAddress
  }

  get userAgent(): string | undefined {
    return this.header('user-agent') || undefined
  }

  get referrer(): string | undefined {
    return this.header('referer')
  }
}

/** Returns true if the headers mark a prefetch, such as `Sec-Purpose: prefetch;prerender`. */
export const isPrefetch = (http: HttpRequest): boolean =>
  (http.header('sec-purpose') ?? http.header('x-sec-purpose'))?.startsWith('prefetch') === true

/** Returns true if requests with `method` must not change data. */
export const isSafeMethod = (method: string): boolean =>
  method === 'GET' ||
  method === 'HEAD' ||
  method === 'OPTIONS' ||
  method === 'QUERY' ||
  method === 'TRACE'
