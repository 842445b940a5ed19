{{header}}
{{schemas}}
type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

type Failure =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415
  | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511

/** The statuses of final responses. */
export type HttpStatus = Success | 300 | 301 | 302 | 303 | 304 | 307 | 308 | Failure

/** A response with one status; `ok` is true from 200 to 299. */
interface StatusResponse<S, B> {
  readonly status: S
  readonly ok: S extends Success ? true : false
  readonly body: B
  readonly headers: Headers
}

/** `Bodies` maps each documented status to its body. Every other status in `Rest` has the body `Other`. */
export type ApiResponse<Bodies, Other, Rest extends HttpStatus = Failure> =
  | { [S in keyof Bodies]: StatusResponse<S, Bodies[S]> }[keyof Bodies]
  | { [S in Exclude<Rest, keyof Bodies>]: StatusResponse<S, Other> }[Exclude<Rest, keyof Bodies>]

type MaybePromise<T> = T | Promise<T>

export interface ClientOptions {
  /** Scheme and host of the application, such as https://example.com. Default: the origin of the page. */
  readonly baseUrl?: string | undefined
  /** Headers of every request, or a function that returns them. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => MaybePromise<Readonly<Record<string, string>>>)
    | undefined
  /** Returns the CSRF token of the session. Default: the page's meta tag, for requests to the page's own origin. */
  readonly csrfToken?: (() => MaybePromise<string | undefined>) | undefined
  /** When to send cookies. Default: 'same-origin'. */
  readonly credentials?: RequestCredentials | undefined
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Options of a single request. */
interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

interface RequestParts extends RequestOptions {
  readonly path?: object | undefined
  readonly query?: object | undefined
  readonly body?: unknown
}

interface Operation {
  readonly method: string
  readonly path: string
  /** The media type of the body. */
  readonly type?: string
}

const toText = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

function encodeFields(fields: object): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) params.append(name, toText(item))
  }
  return params
}

function buildUrl(path: string, parts: RequestParts): string {
  const values = (parts.path ?? {}) as Readonly<Record<string, unknown>>
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const text = encodeURIComponent(toText(values[name]))
    // A splat matches several path segments.
    return name.startsWith('splat') ? text.replaceAll('%2F', '/') : text
  })
  const query = encodeFields(parts.query ?? {}).toString()
  return query === '' ? filled : filled + '?' + query
}

function buildForm(body: unknown): FormData {
  if (body instanceof FormData) return body
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object) as [string, unknown][]) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      form.append(name, item instanceof Blob ? item : toText(item))
  }
  return form
}

function encodeBody(type: string, body: unknown): BodyInit {
  if (type === 'multipart/form-data') return buildForm(body)
  if (type === 'application/x-www-form-urlencoded') return encodeFields(body as object)
  return type.endsWith('json') ? JSON.stringify(body) : toText(body)
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/json/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  if (type === '' || /^text\/|xml/.test(type)) return (await response.text()) || undefined
  return response.blob()
}

interface Page {
  readonly origin?: string
  readonly document?: {
    readonly baseURI: string
    querySelector(selector: string): { getAttribute(name: string): string | null } | null
  }
}

/** The token in the page's meta tag; `undefined` for a request to another origin. */
function readPageToken(url: string): string | undefined {
  const { document, origin } = globalThis as Page
  if (document === undefined || new URL(url, document.baseURI).origin !== origin) return undefined
  return document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? undefined
}

function createSender(options: ClientOptions) {
  const { baseUrl = '', credentials = 'same-origin', csrfToken } = options
  return async ({ method, path, type }: Operation, parts: RequestParts = {}): Promise<never> => {
    const shared = typeof options.headers === 'function' ? await options.headers() : options.headers
    const headers = new Headers({ accept: 'application/json', ...shared, ...parts.headers })
    const init: RequestInit = { method, headers, credentials }
    if (parts.signal !== undefined) init.signal = parts.signal
    if (type !== undefined && parts.body !== undefined) {
      init.body = encodeBody(type, parts.body)
      // `fetch` sets the type of a multipart form itself, because it contains the boundary.
      if (type !== 'multipart/form-data') headers.set('content-type', type)
    }
    const url = baseUrl + buildUrl(path, parts)
    const token =
      method === 'GET' ? undefined : csrfToken === undefined ? readPageToken(url) : await csrfToken()
    if (token !== undefined && !headers.has('x-csrf-token')) headers.set('x-csrf-token', token)
    const response = await (options.fetch ?? fetch)(url, init)
    const { status, ok } = response
    return { status, ok, headers: response.headers, body: await readBody(response) } as never
  }
}

/** `const api = createClient({ baseUrl: 'https://example.com' })` */
export function createClient(options: ClientOptions = {}) {
  const send = createSender(options)
  return {
{{groups}}  }
}

/** The type of the object that `createClient` returns. */
export type Client = ReturnType<typeof createClient>
