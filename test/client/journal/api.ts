/** A typed client of journal 0.1.0, written by `fw client`. Change the application, not this file. */

export interface ApiTokensCreateForm {
  name: string
  scopes?: readonly string[] | undefined
  days: number
}

export interface Article {
  id: number
  title: string
  summary: string
  body: string
  status: string
  published_at: string | null
  updated_at: string
  author: {
    id: number
    name: string
    bio: string | null
  } | null
  tags: readonly {
    id: number
    name: string
  }[]
}

export interface Article2 {
  id: number
  author_id: number
  title: string
  summary: string
  body: string
  status: string
  published_at: string | null
  lock_version: number
  created_at: string
  updated_at: string
}

export interface ArticleForm {
  title: string
  summary: string
  body: string
  tags?: readonly string[] | null | undefined
  status?: "draft" | "published" | null | undefined
}

export interface ArticleForm2 {
  title: string
  summary: string
  body: string
  tags?: string | null | undefined
  alt?: string | null | undefined
}

export interface ArticleForm3 {
  title: string
  summary: string
  body: string
  tags?: string | null | undefined
  alt?: string | null | undefined
  lockVersion: number
}

export interface ArticlePatch {
  title?: string | undefined
  summary?: string | undefined
  body?: string | undefined
  tags?: readonly string[] | null | undefined
  status?: "draft" | "published" | null | undefined
}

export interface ArticlePatch2 {
  title?: string | undefined
  summary?: string | undefined
  body?: string | undefined
  tags?: string | null | undefined
  alt?: string | null | undefined
  lockVersion?: number | undefined
}

export interface ArticlesCommentForm {
  body: string
}

export type BrowserOptions = Readonly<Record<string, unknown | undefined>>

export interface CodesCreateForm {
  code: string
}

export interface Comment {
  id: number
  body: string
  created_at: string
  author: {
    id: number
    name: string
    bio: string | null
  } | null
}

export interface CommentForm {
  body: string
}

export type FieldErrors = Readonly<Record<string, readonly string[] | undefined>>

export interface PasskeysCreateForm {
  name: string
  credential: string
}

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

export interface ProfileUpdateForm {
  name: string
  bio?: string | null | undefined
}

export interface SecondFactorCreateForm {
  code: string
}

export interface SessionsCreateForm {
  email: string
  password: string
  remember?: boolean | undefined
}

export interface Tag {
  id: number
  name: string
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

/** Account end login: POST /account/logins/{id}/end */
export const accountEndLogin = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/logins/{id}/end" }, request)

/** Account end others: POST /account/logins/end */
export const accountEndOthers = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/logins/end" }, request)

/** Lists articles: GET /api/articles.json */
export const apiArticlesIndexApi = (
  client: Client,
  request?: { readonly query?: { size?: number | undefined; after?: string | undefined; before?: string | undefined; total?: "exact" | undefined; sort?: "publishedAt" | "-publishedAt" | "title" | "-title" | undefined; q?: string | undefined; author_id?: number | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Article[]; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/articles.json" }, request)

/** Shows one article: GET /api/articles/{id}.json */
export const apiArticlesShowApi = (
  client: Client,
  request: { readonly path: { id: number } } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 404: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/articles/{id}.json" }, request)

/** Lists comments: GET /api/articles/{articleId}/comments.json */
export const apiArticlesCommentsIndexApi = (
  client: Client,
  request: { readonly path: { articleId: number }; readonly query?: { size?: number | undefined; after?: string | undefined; before?: string | undefined; total?: "exact" | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Comment[]; 400: Problem; 404: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/articles/{articleId}/comments.json" }, request)

/** Creates one comment: POST /api/articles/{articleId}/comments.json */
export const apiArticlesCommentsCreateApi = (
  client: Client,
  request: { readonly path: { articleId: number }; readonly body: CommentForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 201: Comment; 400: Problem | FieldErrors; 401: Problem; 403: Problem; 404: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/api/articles/{articleId}/comments.json", type: 'application/json' }, request)

/** Shows one comment: GET /api/articles/{articleId}/comments/{id}.json */
export const apiArticlesCommentsShowApi = (
  client: Client,
  request: { readonly path: { articleId: number; id: number } } & RequestOptions,
): Promise<ApiResponse<{ 200: Comment; 404: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/articles/{articleId}/comments/{id}.json" }, request)

/** Lists articles: GET /api/desk/articles.json */
export const apiDeskArticlesIndexApi = (
  client: Client,
  request?: { readonly query?: { size?: number | undefined; after?: string | undefined; before?: string | undefined; total?: "exact" | undefined; sort?: "title" | "-title" | "publishedAt" | "-publishedAt" | undefined; q?: string | undefined; status?: string | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Article[]; 400: Problem; 401: Problem; 403: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/desk/articles.json" }, request)

/** Creates one article: POST /api/desk/articles.json */
export const apiDeskArticlesCreateApi = (
  client: Client,
  request: { readonly body: ArticleForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 201: Article; 400: Problem | FieldErrors; 401: Problem; 403: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/api/desk/articles.json", type: 'application/json' }, request)

/** Shows one article: GET /api/desk/articles/{id}.json */
export const apiDeskArticlesShowApi = (
  client: Client,
  request: { readonly path: { id: number } } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 401: Problem; 403: Problem; 404: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/desk/articles/{id}.json" }, request)

/** Changes one article: POST /api/desk/articles/{id}.json */
export const apiDeskArticlesUpdatePostApi = (
  client: Client,
  request: { readonly path: { id: number }; readonly body: ArticleForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 204: undefined; 400: Problem | FieldErrors; 401: Problem; 403: Problem; 404: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/api/desk/articles/{id}.json", type: 'application/json' }, request)

/** Changes one article: PUT /api/desk/articles/{id}.json */
export const apiDeskArticlesUpdatePutApi = (
  client: Client,
  request: { readonly path: { id: number }; readonly body: ArticleForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 204: undefined; 400: Problem | FieldErrors; 401: Problem; 403: Problem; 404: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'PUT', path: "/api/desk/articles/{id}.json", type: 'application/json' }, request)

/** Changes what is sent of one article: PATCH /api/desk/articles/{id}.json */
export const apiDeskArticlesUpdatePatchApi = (
  client: Client,
  request: { readonly path: { id: number }; readonly body?: ArticlePatch | FormData | URLSearchParams | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: Article; 204: undefined; 400: Problem | FieldErrors; 401: Problem; 403: Problem; 404: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'PATCH', path: "/api/desk/articles/{id}.json", type: 'application/json' }, request)

/** Deletes one article: DELETE /api/desk/articles/{id}.json */
export const apiDeskArticlesDestroyApi = (
  client: Client,
  request: { readonly path: { id: number } } & RequestOptions,
): Promise<ApiResponse<{ 204: undefined; 401: Problem; 403: Problem; 404: Problem; 409: Problem; 412: Problem }, Problem>> =>
  client({ method: 'DELETE', path: "/api/desk/articles/{id}.json" }, request)

/** Lists tags: GET /api/tags.json */
export const apiTagsIndexApi = (
  client: Client,
  request?: { readonly query?: { size?: number | undefined; after?: string | undefined; before?: string | undefined; total?: "exact" | undefined; sort?: "name" | "-name" | undefined; q?: string | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Tag[]; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/tags.json" }, request)

/** Api tokens destroy: POST /account/tokens/{id}/revoke */
export const apiTokensDestroy = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/tokens/{id}/revoke" }, request)

/** Articles new comment: GET /articles/{id}/{slug}/comment */
export const articlesNewComment = (
  client: Client,
  request: { readonly path: { id: string | number; slug: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/articles/{id}/{slug}/comment" }, request)

/** Codes create: POST /login/code */
export const codesCreate = (
  client: Client,
  request: { readonly body: CodesCreateForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 400: Problem }, unknown, HttpStatus>> =>
  client({ method: 'POST', path: "/login/code", type: 'application/x-www-form-urlencoded' }, request)

/** Comments destroy: DELETE /comments/{id} */
export const commentsDestroy = (
  client: Client,
  request: { readonly path: { id: string | number }; readonly query?: { name?: number | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'DELETE', path: "/comments/{id}" }, request)

/** Lists articles: GET /desk/articles */
export const deskArticlesIndex = (
  client: Client,
  request?: { readonly query?: { size?: number | undefined; after?: string | undefined; before?: string | undefined; total?: "exact" | undefined; sort?: "title" | "-title" | "publishedAt" | "-publishedAt" | undefined; q?: string | undefined; status?: string | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: readonly Article2[]; 400: Problem; 406: Problem }, Problem>> =>
  client({ method: 'GET', path: "/desk/articles" }, request)

/** Creates one article: POST /desk/articles */
export const deskArticlesCreate = (
  client: Client,
  request: { readonly body: ArticleForm2 | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 201: Article2; 400: Problem | FieldErrors; 403: Problem; 406: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/desk/articles", type: 'application/json' }, request)

/** Shows one article: GET /desk/articles/{id} */
export const deskArticlesShow = (
  client: Client,
  request: { readonly path: { id: number } } & RequestOptions,
): Promise<ApiResponse<{ 200: Article2; 404: Problem; 406: Problem }, Problem>> =>
  client({ method: 'GET', path: "/desk/articles/{id}" }, request)

/** Changes one article: POST /desk/articles/{id} */
export const deskArticlesUpdatePost = (
  client: Client,
  request: { readonly path: { id: number }; readonly body: ArticleForm3 | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 200: Article2; 204: undefined; 400: Problem | FieldErrors; 403: Problem; 404: Problem; 406: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'POST', path: "/desk/articles/{id}", type: 'application/json' }, request)

/** Changes one article: PUT /desk/articles/{id} */
export const deskArticlesUpdate = (
  client: Client,
  request: { readonly path: { id: number }; readonly body: ArticleForm3 | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 200: Article2; 204: undefined; 400: Problem | FieldErrors; 403: Problem; 404: Problem; 406: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'PUT', path: "/desk/articles/{id}", type: 'application/json' }, request)

/** Changes what is sent of one article: PATCH /desk/articles/{id} */
export const deskArticlesUpdatePatch = (
  client: Client,
  request: { readonly path: { id: number }; readonly body?: ArticlePatch2 | FormData | URLSearchParams | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: Article2; 204: undefined; 400: Problem | FieldErrors; 403: Problem; 404: Problem; 406: Problem; 412: Problem; 413: Problem; 415: Problem }, Problem>> =>
  client({ method: 'PATCH', path: "/desk/articles/{id}", type: 'application/json' }, request)

/** Deletes one article: DELETE /desk/articles/{id} */
export const deskArticlesDestroy = (
  client: Client,
  request: { readonly path: { id: number } } & RequestOptions,
): Promise<ApiResponse<{ 204: undefined; 403: Problem; 404: Problem; 406: Problem; 409: Problem; 412: Problem }, Problem>> =>
  client({ method: 'DELETE', path: "/desk/articles/{id}" }, request)

/** Desk articles publish: POST /desk/articles/{id}/publish */
export const deskArticlesPublish = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/desk/articles/{id}/publish" }, request)

/** Desk articles withdraw: POST /desk/articles/{id}/withdraw */
export const deskArticlesWithdraw = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/desk/articles/{id}/withdraw" }, request)

/** Images show: GET /images/{id}/{digest} */
export const imagesShow = (
  client: Client,
  request: { readonly path: { id: string | number; digest: string | number }; readonly query?: { name?: number | undefined } | undefined } & RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/images/{id}/{digest}" }, request)

/** Locale choose: POST /locale */
export const localeChoose = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/locale" }, request)

/** Mailed links use magic: POST /login/link/enter */
export const mailedLinksUseMagic = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 400: Problem }, unknown, HttpStatus>> =>
  client({ method: 'POST', path: "/login/link/enter" }, request)

/** Mailed links use email: POST /account/email */
export const mailedLinksUseEmail = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/email" }, request)

/** Passkey logins script: GET /login/passkey/script */
export const passkeyLoginsScript = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 400: Problem }, Problem>> =>
  client({ method: 'GET', path: "/login/passkey/script" }, request)

/** Passkey logins options: POST /login/passkey/options */
export const passkeyLoginsOptions = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: BrowserOptions; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/login/passkey/options" }, request)

/** Passkey logins create: POST /login/passkey */
export const passkeyLoginsCreate = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 400: Problem }, unknown, HttpStatus>> =>
  client({ method: 'POST', path: "/login/passkey" }, request)

/** Passkeys options: POST /account/passkeys/options */
export const passkeysOptions = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: BrowserOptions; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/passkeys/options" }, request)

/** Passkeys destroy: POST /account/passkeys/delete */
export const passkeysDestroy = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/passkeys/delete" }, request)

/** Second factor destroy: POST /account/second-factor/delete */
export const secondFactorDestroy = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/second-factor/delete" }, request)

/** Security destroy: POST /account/security/delete */
export const securityDestroy = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/account/security/delete" }, request)

/** Sessions create: POST /login */
export const sessionsCreate = (
  client: Client,
  request: { readonly body: SessionsCreateForm | FormData | URLSearchParams } & RequestOptions,
): Promise<ApiResponse<{ 400: Problem }, unknown, HttpStatus>> =>
  client({ method: 'POST', path: "/login", type: 'application/x-www-form-urlencoded' }, request)

/** Sessions destroy: POST /logout */
export const sessionsDestroy = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: unknown; 403: Problem }, Problem>> =>
  client({ method: 'POST', path: "/logout" }, request)

/** Tokens index: GET /api/tokens */
export const tokensIndex = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 200: {
    tokens: readonly ({
      id: number
      userId: number
      name: string
      prefix: string
      tokenHash: string
      scopes: readonly string[]
      lastUsedAt?: string | undefined
      expiresAt: string
      createdAt: string
    })[]
  }; 401: Problem; 403: Problem }, Problem>> =>
  client({ method: 'GET', path: "/api/tokens" }, request)

/** Tokens end current token: DELETE /api/tokens/current */
export const tokensEndCurrentToken = (
  client: Client,
  request?: RequestOptions,
): Promise<ApiResponse<{ 401: Problem; 403: Problem }, unknown, HttpStatus>> =>
  client({ method: 'DELETE', path: "/api/tokens/current" }, request)

/** Tokens destroy: DELETE /api/tokens/{id} */
export const tokensDestroy = (
  client: Client,
  request: { readonly path: { id: string | number } } & RequestOptions,
): Promise<ApiResponse<{ 401: Problem; 403: Problem }, unknown, HttpStatus>> =>
  client({ method: 'DELETE', path: "/api/tokens/{id}" }, request)
