/** The part of a client that is the same for every application, as the text of its file. */
export const clientRuntime = `type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226

type Failure =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415
  | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451
  | 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511

/** The statuses that end a request. */
export type HttpStatus = Success | 300 | 301 | 302 | 303 | 304 | 307 | 308 | Failure

/** One status and its body; \`ok\` is true from 200 to 299. */
interface Answered<S, B> {
  readonly status: S
  readonly ok: S extends Success ? true : false
  readonly body: B
  readonly headers: Headers
}

/** What came back: \`status\` says which body it is. The statuses of \`Rest\` that are not listed have the body \`Other\`. */
export type Answer<Bodies, Other, Rest extends HttpStatus = Failure> =
  | { [S in keyof Bodies]: Answered<S, Bodies[S]> }[keyof Bodies]
  | { [S in Exclude<Rest, keyof Bodies>]: Answered<S, Other> }[Exclude<Rest, keyof Bodies>]

type MaybePromise<T> = T | Promise<T>

/** Everything has a default. */
export interface ClientOptions {
  /** Scheme and host of the application, such as https://example.com; the page's own by default. */
  readonly baseUrl?: string | undefined
  /** Headers of every request, or what makes them. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => MaybePromise<Readonly<Record<string, string>>>)
    | undefined
  /** The token of the session, for requests that change something; by default that of the page's meta tag, for the page's own origin alone. */
  readonly csrfToken?: (() => MaybePromise<string | undefined>) | undefined
  /** Which cookies are sent; 'same-origin' by default. */
  readonly credentials?: RequestCredentials | undefined
  /** What sends requests; the platform's own by default. */
  readonly fetch?: typeof fetch | undefined
}

/** What every request may be told. */
interface Asked {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
}

interface Parts extends Asked {
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

const sent = (value: unknown): string =>
  value === null || value === undefined ? '' : String(value)

function fieldsOf(fields: object): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (value === undefined) continue
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, sent(each))
  }
  return params
}

function addressOf(path: string, parts: Parts): string {
  const values = (parts.path ?? {}) as Readonly<Record<string, unknown>>
  const filled = path.replace(/\\{(\\w+)\\}/g, (_found, name: string) => {
    const text = encodeURIComponent(sent(values[name]))
    // The rest of a path keeps its slashes.
    return name.startsWith('splat') ? text.replaceAll('%2F', '/') : text
  })
  const query = fieldsOf(parts.query ?? {}).toString()
  return query === '' ? filled : filled + '?' + query
}

/** As a form sends it, a file as it is. */
function formOf(body: unknown): FormData {
  if (body instanceof FormData) return body
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object) as [string, unknown][]) {
    if (value === undefined) continue
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      form.append(name, each instanceof Blob ? each : sent(each))
  }
  return form
}

function bodyOf(type: string, body: unknown): BodyInit {
  if (type === 'multipart/form-data') return formOf(body)
  if (type === 'application/x-www-form-urlencoded') return fieldsOf(body as object)
  return type.endsWith('json') ? JSON.stringify(body) : sent(body)
}

async function readBody(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (/json/.test(type)) {
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  if (type === '' || /^text\\/|xml/.test(type)) return (await response.text()) || undefined
  return response.blob()
}

interface Page {
  readonly origin?: string
  readonly document?: {
    readonly baseURI: string
    querySelector(selector: string): { getAttribute(name: string): string | null } | null
  }
}

/** Another origin is not told it. */
function tokenOfPage(address: string): string | undefined {
  const { document, origin } = globalThis as Page
  if (document === undefined || new URL(address, document.baseURI).origin !== origin) return undefined
  return document.querySelector('meta[name="csrf-token"]')?.getAttribute('content') ?? undefined
}

function sender(options: ClientOptions) {
  const { baseUrl = '', credentials = 'same-origin', csrfToken } = options
  return async ({ method, path, type }: Operation, parts: Parts = {}): Promise<never> => {
    const own = typeof options.headers === 'function' ? await options.headers() : options.headers
    const headers = new Headers({ accept: 'application/json', ...own, ...parts.headers })
    const init: RequestInit = { method, headers, credentials }
    if (parts.signal !== undefined) init.signal = parts.signal
    if (type !== undefined && parts.body !== undefined) {
      init.body = bodyOf(type, parts.body)
      // A boundary, too, stands in the type of a multipart form.
      if (type !== 'multipart/form-data') headers.set('content-type', type)
    }
    const address = baseUrl + addressOf(path, parts)
    const token =
      method === 'GET' ? undefined : csrfToken === undefined ? tokenOfPage(address) : await csrfToken()
    if (token !== undefined && !headers.has('x-csrf-token')) headers.set('x-csrf-token', token)
    const response = await (options.fetch ?? fetch)(address, init)
    const { status, ok } = response
    return { status, ok, headers: response.headers, body: await readBody(response) } as never
  }
}
`
