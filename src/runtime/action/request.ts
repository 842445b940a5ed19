/** The request of an action: path, headers, and a body that can be read more than once. */
import {
  parseHttpDate,
  parseQuery,
  RequestBody,
  type FieldMap,
  type HttpRequest,
  type RequestPath,
} from '../http.ts'

/** Limits on the request body, in bytes. */
export interface BodyLimits {
  /** Forms, JSON and text; 1 MiB unless configured. */
  readonly body: number
}

const noFields: FieldMap = new Map()

/** Pseudo-headers of HTTP/2 are left out; several lines of cookies are joined as RFC 9113 says. */
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
  /** The request as the container received it. */
  readonly http: HttpRequest
  /** Decoded once; router, filters, static files and logs all read this value. */
  readonly path: RequestPath
  readonly #limits: BodyLimits
  #body: RequestBody | undefined
  #query: FieldMap | undefined
  #form: FieldMap = noFields
  #headers: Headers | undefined
  #web: Request | undefined
  /** The container's method, or the one that the method override set. */
  method: string

  constructor(http: HttpRequest, path: RequestPath, limits: BodyLimits) {
    this.http = http
    this.path = path
    this.method = http.method
    this.#limits = limits
  }

  /** A header's value, name in any case; `undefined` when absent. */
  header(name: string): string | undefined {
    return this.http.header(name.toLowerCase())
  }

  /** All headers, as the standard's `Headers`; a change does not affect the request. */
  get headers(): Headers {
    return (this.#headers ??= copyHeaders(this.http))
  }

  /**
   * The request as the standard's `Request`, for libraries: the URL that the client asked for, the method with its
   * override, the body as a stream, and a signal that is aborted when the client goes away. Reading the body fails past
   * the limit of bodies. A later call returns the same object.
   * @throws FwError `http.body-consumed` if something has read the body as a stream
   */
  toWeb(): Request {
    return (this.#web ??= this.#createWeb())
  }

  #createWeb(): Request {
    const { http, method } = this
    const path = http.target.startsWith('/') ? http.mountPath + http.target : '/'
    const host = http.host === '' ? 'localhost' : http.host
    const hasBody = method !== 'GET' && method !== 'HEAD' && !http.body.isEmpty
    return new Request(`${http.scheme}://${host}${path}`, {
      method,
      headers: this.headers,
      signal: http.signal,
      ...(hasBody ? { body: this.inputStream as BodyInit, duplex: 'half' } : {}),
    })
  }

  /** A header with a date, such as `If-Modified-Since`; `undefined` when absent or not an HTTP date. */
  dateHeader(name: string): Date | undefined {
    const text = this.header(name)
    return text === undefined ? undefined : parseHttpDate(text)
  }

  /** The query string without its `?`; `''` when there is none. */
  get queryString(): string {
    const { target } = this.http
    const at = target.indexOf('?')
    return at === -1 ? '' : target.slice(at + 1)
  }

  /** The parsed query. @throws HttpError 400 `http.query-invalid` */
  get query(): FieldMap {
    return (this.#query ??= this.queryString === '' ? noFields : parseQuery(this.queryString))
  }

  /** The fields of an urlencoded or multipart body, read in the stage `body`; empty for other types. */
  get form(): FieldMap {
    return this.#form
  }

  /** Whether the body's fields were read. False for a body of a type that the controller does not read. */
  get isFormRead(): boolean {
    return this.#form !== noFields
  }

  set form(fields: FieldMap) {
    this.#form = fields
  }

  /** The body that `JsonParamsFeature` or `XmlParamsFeature` parsed, unchecked; `undefined` for other bodies. */
  parsedBody: unknown

  get #cached(): RequestBody {
    return (this.#body ??= new RequestBody(this.http, this.#limits.body))
  }

  /** The whole body as text, in the request's charset. @throws HttpError 413 `http.body-too-large` */
  body(): Promise<string> {
    return this.#cached.text()
  }

  /** The body's bytes. @throws HttpError 413 `http.body-too-large` */
  bytes(): Promise<Uint8Array> {
    return this.#cached.bytes()
  }

  /** The body parsed as JSON. @throws HttpError 400 `http.json-invalid` */
  json(): Promise<unknown> {
    return this.#cached.json()
  }

  /** The XML body as the equivalent of parsed JSON. @throws HttpError 400 `http.xml-invalid` */
  xml(): Promise<unknown> {
    return this.#cached.xml()
  }

  /** The fields of an urlencoded body. @throws HttpError 413 `http.body-too-large`, 400 `http.query-invalid` */
  readForm(): Promise<FieldMap> {
    return this.#cached.form()
  }

  /** The raw body, also of a form whose fields were read. An unread body can be read only once, uploads only as files. */
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

  /** The body's bytes if anything has started to read them. */
  get cachedBytes(): Promise<Uint8Array> | undefined {
    return this.#body?.startedRead
  }

  /** The media type of the body without its parameters, in lower case. */
  get mediaType(): string | undefined {
    const type = this.http.header('content-type')
    if (type === undefined) return undefined
    const end = type.indexOf(';')
    return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
  }

  /** True for GET, HEAD, OPTIONS, QUERY and TRACE, which must not change anything. */
  get isSafe(): boolean {
    return isSafeMethod(this.method)
  }

  /** `name[:port]` of the Host header; `''` when an HTTP/1.0 client sent none. */
  get host(): string {
    return this.http.host
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

/** Whether requests with `method` must not change anything. */
export const isSafeMethod = (method: string): boolean =>
  method === 'GET' ||
  method === 'HEAD' ||
  method === 'OPTIONS' ||
  method === 'QUERY' ||
  method === 'TRACE'
