/** Sends requests to an application without a socket. */
import type { FetchHandler } from '../server.ts'
import { csrfHeader, csrfKey } from '../session.ts'
import type { BegunSession } from './given-session.ts'
import { Page } from './page.ts'

type Value = string | number | bigint | boolean
type Fields = Readonly<Record<string, Value | readonly Value[]>>

/** One of `form`, `json`, `multipart` and `body` at most. */
export interface RequestOptions {
  readonly query?: Fields
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Fields
  readonly json?: unknown
  readonly multipart?: FormData
  readonly body?: string | Uint8Array
}

const origin = 'http://localhost'

function fieldsOf(fields: Fields): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? (value as readonly Value[]) : [value as Value])
      params.append(name, String(each))
  }
  return params
}

async function bodyOf(options: RequestOptions): Promise<{ body?: BodyInit; type?: string }> {
  if (options.form !== undefined) return { body: fieldsOf(options.form) }
  if (options.json !== undefined)
    return { body: JSON.stringify(options.json), type: 'application/json' }
  if (options.multipart !== undefined) return encoded(options.multipart)
  return options.body === undefined ? {} : { body: options.body as BodyInit }
}

// As bytes: the stream of a native form fails when the application stops reading it.
async function encoded(form: FormData): Promise<{ body: BodyInit; type: string }> {
  const native = new Response(form)
  return { body: await native.arrayBuffer(), type: native.headers.get('content-type')! }
}

/** Every request stands for itself: cookies are not kept, redirects not followed. */
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

  /** Any method. */
  async request(method: string, path: string, options: RequestOptions = {}): Promise<Page> {
    const url = new URL(path, origin)
    for (const [name, value] of fieldsOf(options.query ?? {})) url.searchParams.append(name, value)
    const { body, type } = await bodyOf(options)
    const headers = new Headers(options.headers)
    if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type)
    const response = await this.#fetch(
      new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }),
    )
    return new Page(response, new Uint8Array(await response.arrayBuffer()))
  }
}

/** A visitor with a browser's memory: keeps cookies, and sends the forgery token of the last page with its forms. */
export class Visitor extends TestClient {
  readonly #cookies = new Map<string, string>()
  #token: string | undefined
  readonly #begin: (() => Promise<BegunSession>) | undefined
  /** Shared by requests that are sent at once. */
  #begun: Promise<void> | undefined
  /** A session that was given: its token goes with every request, for no page has told it. */
  #isGiven = false

  constructor(fetch: FetchHandler, begin?: () => Promise<BegunSession>) {
    super(fetch)
    this.#begin = begin
  }

  override async request(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Page> {
    await (this.#begun ??= this.#beginSession())
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = {
      ...(cookie === '' ? {} : { cookie }),
      ...this.#tokenHeader(),
      ...options.headers,
    }
    const page = await super.request(method, path, { ...this.#withToken(options), headers })
    this.#remember(page)
    return page
  }

  /** As `get`, but follows redirects to the page they end on, ten at most. */
  async follow(page: Page): Promise<Page> {
    let at = page
    for (let left = 10; at.location !== undefined && left > 0; left--)
      at = await this.get(at.location)
    return at
  }

  async #beginSession(): Promise<void> {
    if (this.#begin === undefined) return
    const { cookie, token } = await this.#begin()
    this.#cookies.set(cookie.name, cookie.value)
    this.#token = token
    this.#isGiven = true
  }

  #tokenHeader(): Record<string, string> {
    return this.#isGiven && this.#token !== undefined ? { [csrfHeader]: this.#token } : {}
  }

  #withToken(options: RequestOptions): RequestOptions {
    if (options.form === undefined || this.#token === undefined || csrfKey in options.form)
      return options
    return { ...options, form: { [csrfKey]: this.#token, ...options.form } }
  }

  #remember(page: Page): void {
    for (const line of page.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const at = pair.indexOf('=')
      const ended = attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))
      if (ended) this.#cookies.delete(pair.slice(0, at))
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    if (page.headers.get('content-type')?.startsWith('text/html') !== true) return
    this.#token =
      page.attribute(`input[name="${csrfKey}"]`, 'value') ??
      page.attribute(`meta[name="${csrfKey}"]`, 'content') ??
      this.#token
  }
}
