/** Adds the security headers of every response: the defaults, settings that replace defaults, and caching rules. */
import { isSafeMethod, type FwContext } from '../action.ts'
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

/** Adds the security headers. The lists for http and https are built at the start; most responses share one. */
export class SecurityHeaders {
  readonly #http: SharedHeaders
  readonly #https: SharedHeaders
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
    this.#http = new SharedHeaders([...first, ...mergeHeaders(headers, false)])
    this.#https = production
      ? new SharedHeaders([...first, ...mergeHeaders(headers, true)])
      : this.#http
    const names = this.#https.raw.filter((_, at) => at % 2 === 0)
    this.#names = new Set(names.map((name) => name.toLowerCase()))
    this.#policyWithNonce = buildPolicy(contentSecurityPolicy, assetServer, nonceMark).split(
      nonceMark,
    )
  }

  /** Adds the headers that the response does not set itself; `nonce` permits the inline scripts and styles of the page. */
  addTo(response: HttpResponse, { scheme, method }: HttpRequest, nonce?: string): void {
    const { headers } = response
    const { raw } = headers
    // A browser may display a download as a page although its type and content may come from a client.
    if (headers.get('content-disposition')?.startsWith('attachment') === true)
      if (!headers.has(policyName)) raw.push(policyName, 'sandbox')
    if (nonce !== undefined && this.#policyWithNonce.length > 1 && !headers.has(policyName))
      raw.push(policyName, this.#policyWithNonce.join(nonce))
    if (this.#prefetches.seen && !isSafeMethod(method) && !headers.has(clearPrefetched[0]))
      raw.push(...clearPrefetched)
    const all = scheme === 'https' ? this.#https : this.#http
    if (this.#setsNone(raw)) {
      response.shared = all
      return
    }
    for (let at = 0; at < all.raw.length; at += 2)
      if (!headers.has(all.raw[at]!)) raw.push(all.raw[at]!, all.raw[at + 1]!)
  }

  #setsNone(raw: readonly string[]): boolean {
    for (let i = 0; i < raw.length; i += 2) if (this.#names.has(raw[i]!.toLowerCase())) return false
    return true
  }
}

const sharedCache = /(?:^|[,\s])(?:public|s-maxage)\b/i

/**
 * Prevents caches from storing the page of one visitor. Sets `no-store` on a page that used the session, has a nonce or sets a
 * cookie, unless the page has a `Cache-Control`. Replaces a public `Cache-Control` of a response that sets a cookie.
 */
export function preventSharedCaching({ response, loadedSession, usedCspNonce }: FwContext): void {
  const { headers } = response
  const cacheControl = headers.get('cache-control')
  if (usedCspNonce !== undefined) headers.delete('etag')
  if (cacheControl === undefined) {
    const isPersonal = loadedSession?.used === true || usedCspNonce !== undefined
    if (isPersonal || headers.has('set-cookie')) headers.append('Cache-Control', 'no-store')
  } else if (sharedCache.test(cacheControl) && headers.has('set-cookie'))
    headers.set('Cache-Control', 'no-store')
}
