/** Adds the default headers of every response, for caching and security, and the settings that replace them. */
import { isSafeMethod } from '../action.ts'
import { SharedHeaders, type HttpRequest, type HttpResponse } from '../http.ts'

type Texts = ReadonlyMap<string, string>

/** The settings `security.*`, which change the defaults. */
interface SecuritySettings {
  readonly headers: Texts
  readonly contentSecurityPolicy: Texts
}

/** Removes prefetched pages, which Chromium otherwise shows after a write in spite of `no-store`. */
const clearPrefetched = ['Clear-Site-Data', '"prefetchCache", "prerenderCache"'] as const

/** The value of a setting that removes a header or directive. */
const off = 'off'

const defaultDirectives: Texts = new Map([
  ['default-src', "'self'"],
  ['script-src', "'self'"],
  ['style-src', "'self'"],
  ['object-src', "'none'"],
  ['base-uri', "'none'"],
  ['form-action', "'self'"],
  ['frame-ancestors', "'self'"],
])

const defaultHeaders: Texts = new Map([
  ['Cache-Control', 'private, no-cache'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Frame-Options', 'SAMEORIGIN'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
])

/** A header that is sent only in production, on https. */
const strictTransport = [
  'Strict-Transport-Security',
  'max-age=63072000; includeSubDomains',
] as const

const policyName = 'Content-Security-Policy'
/** A placeholder that is replaced by the nonce, so that the policy is built only once. */
const nonceMark = '\0'

const headerName = /^[A-Za-z][A-Za-z0-9-]*$/
const headerValue = /^[\x20-\x7e]*$/
const directiveName = /^[a-z]+(-[a-z]+)*$/
const directiveValue = /^[\x21-\x2b\x2d-\x3a\x3c-\x7e]*( +[\x21-\x2b\x2d-\x3a\x3c-\x7e]+)*$/

/** Returns the problem of the setting `security.headers`, as text that follows "security.headers" in the error message. */
export function findHeadersProblem(headers: Texts): string | undefined {
  for (const [name, value] of headers) {
    if (!headerName.test(name)) return `names ${JSON.stringify(name)}, which is not a header`
    if (!headerValue.test(value)) return `has a value of ${name} that a header cannot have`
    if (name.toLowerCase() === 'content-security-policy')
      return 'must not name Content-Security-Policy: use security.contentSecurityPolicy'
  }
  return undefined
}

/** Returns the problem of the setting `security.contentSecurityPolicy`, as text that follows the key in the error message. */
export function findPolicyProblem(directives: Texts): string | undefined {
  for (const [name, value] of directives) {
    if (!directiveName.test(name)) return `names ${JSON.stringify(name)}, which is not a directive`
    if (!directiveValue.test(value))
      return `has sources of ${name} with a comma, a semicolon or a control character`
  }
  return undefined
}

/** Merges the default headers with the settings, without the Content-Security-Policy. Returns names and values in turn. */
function mergeHeaders(changes: Texts, https: boolean): string[] {
  const defaults = https ? [...defaultHeaders, strictTransport] : [...defaultHeaders]
  const merged = new Map(defaults.map(([name, value]) => [name.toLowerCase(), [name, value]]))
  for (const [name, value] of changes) {
    const key = name.toLowerCase()
    if (!https && key === 'strict-transport-security') continue
    if (value === off) merged.delete(key)
    else merged.set(key, [merged.get(key)?.[0] ?? name, value])
  }
  return [...merged.values()].flat()
}

function addSource(directives: Map<string, string>, name: string, source: string): void {
  const sources = directives.get(name) ?? directives.get('default-src')
  if (sources !== undefined)
    directives.set(name, sources === "'none'" ? source : `${sources} ${source}`)
}

/**
 * Builds the value of `Content-Security-Policy`. `server` permits modules, styles, images and fonts of Vite's server, and its
 * WebSocket; `nonce` permits the inline scripts and styles of a page.
 */
function buildPolicy(changes: Texts, server: string | undefined, nonce?: string): string {
  const directives = new Map([...defaultDirectives, ...changes])
  for (const [name, value] of changes) if (value === off) directives.delete(name)
  if (server !== undefined) {
    for (const name of ['script-src', 'style-src', 'img-src', 'font-src'])
      addSource(directives, name, server)
    addSource(directives, 'connect-src', `${server} ${server.replace(/^http/, 'ws')}`)
  }
  if (nonce !== undefined)
    for (const name of ['script-src', 'style-src']) addSource(directives, name, `'nonce-${nonce}'`)
  return [...directives].map(([name, value]) => `${name} ${value}`.trim()).join('; ')
}

/** Completes the caching headers of a response that has its own. Returns false if it has none. */
function addPrivate({ headers }: HttpResponse): boolean {
  if (headers.has('cache-control')) return true
  if (!headers.has('expires')) return false
  // `Expires` alone would allow shared caches to store the response.
  headers.raw.push('Cache-Control', 'private')
  return true
}

/** The headers for one scheme: all of them, and those for a response with its own caching headers. */
interface HeaderLists {
  readonly all: SharedHeaders
  readonly withoutCaching: SharedHeaders
}

function createLists(raw: readonly string[]): HeaderLists {
  const at = raw.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'cache-control')
  const withoutCaching = at === -1 ? raw : raw.toSpliced(at, 2)
  return { all: new SharedHeaders(raw), withoutCaching: new SharedHeaders(withoutCaching) }
}

/** The properties of a request by which the headers are chosen. */
type RequestKind = Pick<HttpRequest, 'scheme' | 'method'>

/** Adds the default headers. The lists for http and https are built at the start; most responses share one. */
export class SecurityHeaders {
  readonly #http: HeaderLists
  readonly #https: HeaderLists
  readonly #names: ReadonlySet<string>
  readonly #policyWithNonce: readonly string[]
  /** `seen` is true if browsers prefetch pages of the application. */
  readonly #prefetches: { readonly seen: boolean }

  /** `production` adds `Strict-Transport-Security` on https; `assetServer` is the origin of Vite's server. */
  constructor(
    { headers, contentSecurityPolicy }: SecuritySettings,
    production: boolean,
    prefetches: { readonly seen: boolean },
    assetServer?: string,
  ) {
    this.#prefetches = prefetches
    const policy = buildPolicy(contentSecurityPolicy, assetServer)
    const first = policy === '' ? [] : [policyName, policy]
    this.#http = createLists([...first, ...mergeHeaders(headers, false)])
    this.#https = production ? createLists([...first, ...mergeHeaders(headers, true)]) : this.#http
    const names = this.#https.withoutCaching.raw.filter((_, at) => at % 2 === 0)
    this.#names = new Set(names.map((name) => name.toLowerCase()))
    this.#policyWithNonce = buildPolicy(contentSecurityPolicy, assetServer, nonceMark).split(
      nonceMark,
    )
  }

  /** Adds the headers that the response does not set itself; `nonce` permits the inline scripts and styles of the page. */
  addTo(response: HttpResponse, { scheme, method }: RequestKind, nonce?: string): void {
    const { headers } = response
    const { raw } = headers
    // A browser may display a download as a page although its type and content may come from a client.
    if (headers.get('content-disposition')?.startsWith('attachment') === true)
      if (!headers.has(policyName)) raw.push(policyName, 'sandbox')
    if (nonce !== undefined && this.#policyWithNonce.length > 1 && !headers.has(policyName))
      raw.push(policyName, this.#policyWithNonce.join(nonce))
    if (this.#prefetches.seen && !isSafeMethod(method) && !headers.has(clearPrefetched[0]))
      raw.push(...clearPrefetched)
    const hasCaching = addPrivate(response)
    const lists = scheme === 'https' ? this.#https : this.#http
    const list = hasCaching ? lists.withoutCaching : lists.all
    if (this.#setsNone(raw)) {
      response.shared = list
      return
    }
    for (let at = 0; at < list.raw.length; at += 2)
      if (!headers.has(list.raw[at]!)) raw.push(list.raw[at]!, list.raw[at + 1]!)
  }

  #setsNone(raw: readonly string[]): boolean {
    for (let i = 0; i < raw.length; i += 2) if (this.#names.has(raw[i]!.toLowerCase())) return false
    return true
  }
}
