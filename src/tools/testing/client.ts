/** Sends requests to an application without a socket, and reads its responses. */
import { FwError } from '../../runtime/base.ts'
import type { FetchHandler } from '../../runtime/server.ts'
import {
  csrfHeader,
  csrfKey,
  Flash,
  ForgeryToken,
  type SessionManager,
} from '../../runtime/session.ts'
import { HtmlReader } from './html-reader.ts'

type Value = string | number | bigint | boolean
type Fields = Readonly<Record<string, Value | readonly Value[]>>

/** The options of a request; set at most one of `form`, `json`, `multipart` and `body`. */
export interface RequestOptions {
  readonly query?: Fields
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Fields
  readonly json?: unknown
  /** The fields and files of a multipart body: `{ title: 'Ann', photo: new File([bytes], 'ann.png') }`. */
  readonly multipart?: FormData | Readonly<Record<string, string | Blob>>
  readonly body?: string | Uint8Array
}

/** A response with its body. */
export class Page extends HtmlReader {
  readonly status: number
  readonly headers: Headers
  /** The body as text. */
  readonly body: string
  readonly bytes: Uint8Array

  constructor(response: Response, bytes: Uint8Array) {
    super()
    this.status = response.status
    this.headers = response.headers
    this.bytes = bytes
    this.body = new TextDecoder().decode(bytes)
  }

  /** The HTML that the selectors read. */
  protected override get source(): string {
    return this.body
  }

  /** The target of a redirect, from the header `Location`; undefined without a redirect. */
  get location(): string | undefined {
    return this.headers.get('location') ?? undefined
  }

  /** Parses the body as JSON. */
  // The result is `any`, because each test expects a different type.
  // oxlint-disable-next-line typescript/no-explicit-any
  json(): any {
    return JSON.parse(this.body)
  }
}

const origin = 'http://localhost'

function toSearchParams(fields: Fields): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const item of [value].flat()) params.append(name, String(item))
  return params
}

function toFormData(fields: FormData | Readonly<Record<string, string | Blob>>): FormData {
  if (fields instanceof FormData) return fields
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

async function encodeBody(options: RequestOptions): Promise<{ body?: BodyInit; type?: string }> {
  if (options.form !== undefined) return { body: toSearchParams(options.form) }
  if (options.json !== undefined)
    return { body: JSON.stringify(options.json), type: 'application/json' }
  if (options.multipart !== undefined) {
    // Send bytes, because the stream of a FormData throws an error if the application stops reading it.
    const encoded = new Response(toFormData(options.multipart))
    return { body: await encoded.arrayBuffer(), type: encoded.headers.get('content-type')! }
  }
  return options.body === undefined ? {} : { body: options.body as BodyInit }
}

/** Sends independent requests. It keeps no cookies and does not follow redirects. */
export class TestClient {
  readonly #fetch: FetchHandler

  constructor(fetch: FetchHandler) {
    this.#fetch = fetch
  }

  get(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('GET', path, options)
  }

  head(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('HEAD', path, options)
  }

  post(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('POST', path, options)
  }

  put(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('PUT', path, options)
  }

  patch(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('PATCH', path, options)
  }

  delete(path: string, options?: RequestOptions): Promise<Page> {
    return this.request('DELETE', path, options)
  }

  /** Sends a request with any method. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Page> {
    const url = new URL(path, origin)
    for (const [name, value] of toSearchParams(options.query ?? {}))
      url.searchParams.append(name, value)
    const { body, type } = await encodeBody(options)
    const headers = new Headers(options.headers)
    if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type)
    const response = await this.#fetch(
      new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }),
    )
    return new Page(response, new Uint8Array(await response.arrayBuffer()))
  }
}

/** The headers of a visitor, and the content of the visitor's session before the first request. */
export interface SessionFixture {
  /** The headers for every request, such as `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly attributes?: Readonly<Record<string, unknown>>
  /** The flash values that requests read until the first page has shown them, as if a previous request had set them. */
  readonly flash?: Readonly<Record<string, unknown>>
}

export interface StoredSession {
  readonly cookie: { readonly name: string; readonly value: string }
  /** The CSRF token, for forms and the header `X-CSRF-Token`. */
  readonly token: string
}

/** Stores a session with the content of the fixture in the store of the application. @throws the errors of `Session.set` */
export async function storeSession(
  sessions: SessionManager,
  { attributes = {}, flash = {} }: SessionFixture,
): Promise<StoredSession> {
  const session = sessions.open(undefined)
  for (const [name, value] of Object.entries(attributes)) session.set(name, value)
  const entries = new Flash(session)
  for (const [name, value] of Object.entries(flash)) entries.set(name, value)
  const token = new ForgeryToken(session).mask()
  const change = await session.commit()
  if (change === undefined || !('set' in change)) throw new TypeError('The session was not stored.')
  return { cookie: { name: sessions.cookie.name, value: change.set }, token }
}

const maxRedirects = 10

/** Refuses a user who was not found, so that a test does not go on as a visitor who is not logged in. @throws FwError */
export function checkUser(user: unknown): void {
  if (user !== undefined) return
  throw new FwError(
    'testing.user-undefined',
    'The user to log in is undefined, like the result of a finder without a row. For a visitor who is not logged in, pass null.',
  )
}

/** The session and the headers with which a visitor begins. */
export interface VisitorStart {
  readonly session?: StoredSession
  readonly headers?: Readonly<Record<string, string>>
}

/** How a visitor begins: the content of the session, and how the application stores it. */
export interface VisitorOptions<User> {
  readonly fixture?: SessionFixture | undefined
  /** Stores a session with this content, and with that of a user who is logged in. */
  readonly store: (fixture: SessionFixture, user?: User) => Promise<VisitorStart>
}

/**
 * A client that behaves like a browser: it keeps cookies, and adds the CSRF token of the last page to its forms. `User` is the type
 * of the users that can log in.
 */
export class Visitor<User = never> extends TestClient {
  readonly #cookies = new Map<string, string>()
  #token: string | undefined
  readonly #options: VisitorOptions<User> | undefined
  #storeSession: (() => Promise<VisitorStart>) | undefined
  /** The headers of the user's API client. */
  #ownHeaders: Readonly<Record<string, string>> = {}
  /** The pending storage of the session fixture, which concurrent requests share. */
  #stored: Promise<void> | undefined

  constructor(fetch: FetchHandler, options?: VisitorOptions<User>) {
    super(fetch)
    this.#options = options
    const { headers: _headers, ...content } = options?.fixture ?? {}
    const hasOnlyHeaders = Object.keys(content).length === 0 && options?.fixture?.headers
    if (options?.fixture !== undefined && !hasOnlyHeaders)
      this.#storeSession = () => options.store(content)
  }

  /**
   * Logs a user in without the page of the login: the next request has a new session, with the attributes that `sessionOf` of the
   * application's `FwLifeCycle` returns, and the headers that its `headersOf` returns. It sends a forgery token with every
   * request. With null instead of a user, the visitor stays as it is. Returns the visitor.
   * @throws FwError `testing.user-undefined`; `testing.no-login` with the next request, if the application defines neither
   */
  as(user: User | null): this {
    checkUser(user)
    if (user === null) return this
    const { store, fixture = {} } = this.#options!
    this.#storeSession = () => store(fixture, user)
    this.#stored = undefined
    return this
  }

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Page> {
    await (this.#stored ??= this.#applyFixture())
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      ...(cookie === '' ? {} : { cookie }),
      // The CSRF token of a session fixture is not on any page, so it is sent with every request.
      ...(this.#storeSession && this.#token !== undefined ? { [csrfHeader]: this.#token } : {}),
      ...this.#ownHeaders,
      ...this.#options?.fixture?.headers,
      ...options.headers,
    }
    const page = await super.request(method, path, { ...this.#addToken(options), headers })
    this.#update(page)
    return page
  }

  /** Follows at most ten redirects with GET requests, and returns the last page. */
  async follow(page: Page): Promise<Page> {
    let last = page
    for (let left = maxRedirects; last.location !== undefined && left > 0; left--)
      last = await this.get(last.location)
    return last
  }

  async #applyFixture(): Promise<void> {
    if (this.#storeSession === undefined) return
    const { session, headers = {} } = await this.#storeSession()
    this.#ownHeaders = headers
    if (session === undefined) return
    this.#cookies.set(session.cookie.name, session.cookie.value)
    this.#token = session.token
  }

  #addToken(options: RequestOptions): RequestOptions {
    if (options.form === undefined || this.#token === undefined || csrfKey in options.form)
      return options
    return { ...options, form: { [csrfKey]: this.#token, ...options.form } }
  }

  /** Stores the cookies and the CSRF token of a page. */
  #update(page: Page): void {
    for (const line of page.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const at = pair.indexOf('=')
      const isExpired = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))
      if (isExpired) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    if (page.headers.get('content-type')?.startsWith('text/html') !== true) return
    this.#token =
      page.attribute(`input[name="${csrfKey}"]`, 'value') ??
      page.attribute(`meta[name="${csrfKey}"]`, 'content') ??
      this.#token
  }
}
