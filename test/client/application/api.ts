/** A typed client of Application 0.0.0, written by `fw client`. Change the application, not this file. */

export interface Article {
  id: number
  title: string
  author: Author
  tags: readonly string[]
  publishedOn?: string | undefined
  createdAt: string
  views: string
  state: "draft" | "published"
}

export interface ArticlesCreateForm {
  title: string
  publishedOn?: string | null | undefined
  tags?: readonly string[] | undefined
}

export interface ArticlesRenameForm {
  title: string
  note?: string | null | undefined
}

export interface Author {
  name: string
  email?: string | undefined
}

export interface Comment {
  text: string
  replies: readonly Comment[]
}

export type FieldErrors = Readonly<Record<string, readonly string[] | undefined>>

export interface Problem {
  type: string
  /** The reason phrase of the status. */
  title: string
  status: number
  message: string
  /** The code of the error, such as params.invalid. */
  code?: string | undefined
  /** The messages of each invalid parameter. */
  errors?: Readonly<Record<string, readonly string[] | undefined>> | undefined
  /** The id of the request in the log. */
  requestId?: string | undefined
}

export type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

export type Failure =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 406
  | 407
  | 408
  | 409
  | 410
  | 411
  | 412
  | 413
  | 414
  | 415
  | 416
  | 417
  | 418
  | 421
  | 422
  | 423
  | 424
  | 425
  | 426
  | 428
  | 429
  | 431
  | 451
  | 500
  | 501
  | 502
  | 503
  | 504
  | 505
  | 506
  | 507
  | 508
  | 510
  | 511

/** The HTTP statuses that a response can have. */
export type HttpStatus = Success | 300 | 301 | 302 | 303 | 304 | 307 | 308 | Failure

/** A response with the status `S`. `ok` is true for statuses from 200 to 299. `status` and `ok` narrow the type of `body`. */
export interface StatusResponse<S, B, Ok> {
  readonly status: S
  readonly ok: Ok
  readonly body: B
  readonly headers: Headers
}

/** An operation's response. `Bodies` has the body of each documented status; other statuses in `Rest` have the body `Other`. */
export type ApiResponse<Bodies, Other, Rest extends HttpStatus = Failure> =
  | { [S in keyof Bodies]: OneResponse<S, Bodies[S]> }[keyof Bodies]
  | OneResponse<Exclude<Rest, keyof Bodies>, Other>

type OneResponse<S, B> = [S] extends [never]
  ? never
  : [S] extends [Success]
    ? StatusResponse<S, B, true>
    : StatusResponse<S, B, S extends Success ? true : false>

type MaybePromise<T> = T | Promise<T>

/** The options of `createClient`. */
export interface ClientOptions {
  /** The URL that precedes every path, such as https://example.com/api. Default: the origin of the page. */
  readonly baseUrl?: string | undefined
  /** The headers of every request, or a function that returns them. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => MaybePromise<Readonly<Record<string, string>>>)
    | undefined
  /** Returns the session's CSRF token. Default: reads the page's meta tag, for requests to the page's own origin only. */
  readonly csrfToken?: (() => MaybePromise<string | undefined>) | undefined
  /** Which requests send cookies, as in `fetch`. Default: 'same-origin'. */
  readonly credentials?: 'include' | 'omit' | 'same-origin' | undefined
  /** The function that sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** The options of a single request. */
export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

export interface RequestParts extends RequestOptions {
  readonly path?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

export interface Operation {
  readonly method: string
  readonly path: string
  /** The media type of the request body; default JSON. A body of the class `FormData` or `URLSearchParams` ignores it. */
  readonly type?: string
}

/** Sends one request. It is untyped: the functions of a client declare the types of requests and responses. */
export type Send = (operation: Operation, request?: RequestParts) => Promise<never>

const toText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

/** Encodes a path segment. Throws for '', `.` and `..`: URLs drop these segments, so the request would reach another route. */
export function encodeSegment(name: string, value: unknown): string {
  const text = toText(value)
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`path.${name} must not be '${text}'.`)
  return encodeURIComponent(text)
}

function encodeFields(fields: object): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) params.append(name, toText(item))
  }
  return params
}

function buildUrl(path: string, { path: values = {}, query = {} }: RequestParts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = (values as Readonly<Record<string, unknown>>)[name]
    // A splat matches several path segments.
    const segments = name.startsWith('splat') ? toText(value).split('/') : [value]
    return segments.map((segment) => encodeSegment(name, segment)).join('/')
  })
  const text = encodeFields(query).toString()
  return text === '' ? filled : filled + '?' + text
}

function buildForm(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object) as [string, unknown][]) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      form.append(name, item instanceof Blob ? item : toText(item))
  }
  return form
}

function encodeBody(type: string, body: unknown): BodyInit {
  if (body instanceof FormData || body instanceof URLSearchParams) return body
  if (type === 'multipart/form-data') return buildForm(body)
  if (type === 'application/x-www-form-urlencoded') return encodeFields(body as object)
  return type.endsWith('json') ? JSON.stringify(body) : toText(body)
}

/** Reads a body: JSON as its parsed value, text as a string, other content as a `Blob`, an empty body as `undefined`. */
async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  // Require `/xml` or `+xml`: types of binary office documents contain `xml`, such as application/vnd.openxmlformats-….sheet.
  if (!/json|^text\/|[/+]xml\b|^$/.test(type)) return response.blob()
  const text = await response.text()
  if (text === '') return undefined
  if (!/json/.test(type)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Converts an error without JSON, such as that of a proxy, to problem details, the format of Fw's errors. */
function toProblem({ status, statusText }: Response, body: unknown): unknown {
  if (typeof body === 'object') return body
  return { type: 'about:blank', title: statusText, status, message: body ?? statusText }
}

interface PageGlobals {
  readonly origin?: string
  readonly document?: {
    readonly baseURI: string
    querySelector(selector: string): { getAttribute(name: string): string | null } | null
  }
}

/** Reads the CSRF token from the page's meta tag. Returns `undefined` for a request to another origin. */
function readPageToken(url: string): string | undefined {
  const { document, origin } = globalThis as PageGlobals
  if (document === undefined || new URL(url, document.baseURI).origin !== origin) return undefined
  return document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? undefined
}

export function createSend(options: ClientOptions): Send {
  const { baseUrl = '', credentials = 'same-origin', csrfToken } = options
  return async ({ method, path, type = 'application/json' }, request = {}) => {
    const shared = typeof options.headers === 'function' ? await options.headers() : options.headers
    const headers = new Headers({ accept: 'application/json' })
    // Set each header separately: the constructor would join two headers whose names differ only in case.
    for (const given of [shared, request.headers])
      for (const [name, value] of Object.entries(given ?? {})) headers.set(name, value)
    const init: RequestInit = { method, headers, credentials }
    if (request.signal !== undefined) init.signal = request.signal
    if (request.body !== undefined) {
      init.body = encodeBody(type, request.body)
      // `fetch` itself sets the content type of a form, because that of a multipart form contains the boundary.
      if (typeof init.body === 'string' && !headers.has('content-type'))
        headers.set('content-type', type)
    }
    const url = baseUrl + buildUrl(path, request)
    const token =
      method === 'GET'
        ? undefined
        : csrfToken === undefined
          ? readPageToken(url)
          : await csrfToken()
    if (token !== undefined && !headers.has('x-csrf-token')) headers.set('x-csrf-token', token)
    const response = await (options.fetch ?? fetch)(url, init)
    const { status, ok } = response
    const body = await readBody(response)
    return {
      status,
      ok,
      headers: response.headers,
      body: ok ? body : toProblem(response, body),
    } as never
  }
}

/** What `createClient` returns: the first argument of each function below. */
export type Client = Send

/** `const client = createClient({ baseUrl: 'https://example.com' })` */
export const createClient = (options: ClientOptions = {}): Client => createSend(options)

/** Articles index: GET /articles */
export const articlesIndex = (
  client: Client,
  request?: { readonly query?: { tag?: string | undefined; limit?: number | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: {
    articles: readonly Article[]
    total: number
  }; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/articles" }, request)

/** Articles create: POST /articles */
export const articlesCreate = (
  client: Client,
  request: { readonly body: ArticlesCreateForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 201: Article; 400: Problem | FieldErrors; 403: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/articles", type: 'application/json' }, request)

/** Articles show: GET /articles/{id} */
export const articlesShow = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 404: {
    reason: string
    id?: string | undefined
  } }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}" }, request)

/** Articles destroy: DELETE /articles/{id} */
export const articlesDestroy = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 204: undefined; 403: Problem }, Problem>> =>
  client({ method: 'DELETE', path: "/articles/{id}" }, request)

/** Articles rename: PATCH /articles/{id}/title */
export const articlesRename = (
  client: Client,
  request: { readonly path: { id: string | number }; readonly body: ArticlesRenameForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 200: {
    title: string
    note: string | null
  }; 400: Problem; 403: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'PATCH', path: "/articles/{id}/title", type: 'application/json' }, request)

/** Articles comments: GET /articles/{id}/comments */
export const articlesComments = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Comment[]; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}/comments" }, request)

/** Articles counts: GET /counts */
export const articlesCounts = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: {
    byTag: Readonly<Record<string, number | undefined>>
    states: readonly "draft"[]
  }; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/counts" }, request)

/** Articles text: GET /text */
export const articlesText = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: string; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/text" }, request)

/** Articles old: GET /old */
export const articlesOld = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/old" }, request)

/** Articles stats: GET /stats/{year}/{month} */
export const articlesStats = (
  client: Client,
  request: { readonly path: { year: string | number; month: string | number }; readonly query?: { deep?: boolean | undefined; tag?: string | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: {
    articles: number
  }; 409: {
    busy: boolean
  } }, Problem>> =>
  client({ method: 'GET', path: "/stats/{year}/{month}" }, request)

/** Articles stats2: GET /stats/{year} */
export const articlesStats2 = (
  client: Client,
  request: { readonly path: { year: string | number }; readonly query?: { deep?: boolean | undefined; tag?: string | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: {
    articles: number
  }; 409: {
    busy: boolean
  } }, Problem>> =>
  client({ method: 'GET', path: "/stats/{year}" }, request)

/** Articles moved: PUT /moved */
export const articlesMoved = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'PUT', path: "/moved" }, request)

/** Articles moved post: POST /moved */
export const articlesMovedPost = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/moved" }, request)

/** Articles fail: GET /fail */
export const articlesFail = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: {
    never: true
  }; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/fail" }, request)

/** Articles archive: GET /articles/{id}/archive */
export const articlesArchive = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 202: {
    archived: boolean
  }; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}/archive" }, request)

/** Articles merge: GET /articles/{id}/merge */
export const articlesMerge = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: {
    merged: boolean
  }; 202: {
    merged: boolean
  }; 409: {
    merged: boolean
  } }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}/merge" }, request)

/** Articles replay: GET /replay */
export const articlesReplay = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 400: Problem; 200: {
    replayed: boolean
  }; 201: {
    replayed: boolean
  }; 202: {
    replayed: boolean
  }; 203: {
    replayed: boolean
  }; 204: {
    replayed: boolean
  }; 205: {
    replayed: boolean
  }; 206: {
    replayed: boolean
  }; 207: {
    replayed: boolean
  }; 208: {
    replayed: boolean
  }; 226: {
    replayed: boolean
  } }, Problem>> =>
  client({ method: 'GET', path: "/replay" }, request)

/** Articles pause: GET /pause */
export const articlesPause = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 202: {
    paused: boolean
  }; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/pause" }, request)

/** Articles cover: GET /articles/{id}/cover */
export const articlesCover = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 202: string; 410: Problem }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}/cover" }, request)
