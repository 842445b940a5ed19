/** Headers for other origins and for caches: CORS, and ETags computed from the body. */
import type { CrossOrigin, FwContext } from '../action.ts'
import { addVary, bodyEntityTag, type HttpResponse } from '../http.ts'
import { parseTrustedOrigins } from '../session.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** Who may read the responses. */
export interface CorsOptions {
  /** Exact origins such as `https://app.example.com`; `'*'` is every origin, for responses without private data. */
  readonly origins: readonly string[] | '*'
  /** Whether requests may send cookies; ignored with `'*'`. False unless set. */
  readonly credentials?: boolean
  /** Request headers that a page may set; `Content-Type`, `Authorization` and `X-CSRF-Token` unless set. */
  readonly headers?: readonly string[]
  /** Response headers that a page may read, in addition to the headers that browsers always expose. */
  readonly exposedHeaders?: readonly string[]
  /** How many seconds a browser may cache a preflight response; 600 unless set. */
  readonly maxAge?: number
}

class CorsPolicy implements CrossOrigin {
  readonly #origins: ReadonlySet<string> | '*'
  readonly #options: CorsOptions

  /** @throws FwError `session.origin-invalid` */
  constructor(options: CorsOptions) {
    const { origins } = options
    this.#origins = origins === '*' ? origins : parseTrustedOrigins(origins)
    this.#options = origins === '*' ? { ...options, credentials: false } : options
  }

  trusts(origin: string, { request: { http }, plan }: FwContext): boolean {
    if (this.#origins !== '*') return this.#origins.has(origin)
    // A browser adds these by itself, so they do not show that the visitor wants the request.
    if (http.header('cookie') !== undefined) return false
    if (browserScheme.test(http.header('authorization') ?? '')) return false
    // The response to a form's navigation could log the visitor in as somebody else.
    const mode = http.header('sec-fetch-mode')
    return mode === 'cors' || (mode === undefined && plan?.savesSession !== true)
  }

  /** Returns false for an origin that is not listed. */
  allow({ request, response }: FwContext): boolean {
    const origin = request.http.header('origin')
    const { headers } = response
    if (this.#origins === '*') headers.set('Access-Control-Allow-Origin', '*')
    else {
      addVary(headers, 'Origin')
      if (origin === undefined || !this.#origins.has(origin)) return false
      headers.set('Access-Control-Allow-Origin', origin)
    }
    if (this.#options.credentials === true) headers.set('Access-Control-Allow-Credentials', 'true')
    setList(response, 'Access-Control-Expose-Headers', this.#options.exposedHeaders ?? [])
    return true
  }

  preflight(ctx: FwContext, methods: readonly string[]): void {
    if (!this.allow(ctx)) return
    const { headers = defaultHeaders, maxAge = 600 } = this.#options
    setList(ctx.response, 'Access-Control-Allow-Methods', methods)
    setList(ctx.response, 'Access-Control-Allow-Headers', headers)
    ctx.response.headers.set('Access-Control-Max-Age', maxAge)
  }
}

const defaultHeaders = ['Content-Type', 'Authorization', 'X-CSRF-Token']

/** Schemes of `Authorization` whose credentials browsers store and send. */
const browserScheme = /^(?:basic|digest|negotiate|ntlm)\b/i

function setList({ headers }: HttpResponse, name: string, values: readonly string[]): void {
  if (values.length > 0) headers.set(name, values.join(', '))
}

/**
 * `mix(FwController, cors({ origins: ['https://app.example.com'] }))`. Pages of the origins may read the controller's
 * responses and send it unsafe requests; with `'*'` only requests without cookies. `forgeryProtection` still requires its
 * token. Preflight requests are answered
 * for every path of the controller.
 * @throws FwError `session.origin-invalid` for a value that is not an exact origin
 */
export function cors(options: CorsOptions): FilterTrait {
  const policy = new CorsPolicy(options)
  return filterTrait('cors', (own) => {
    own.crossOrigin = policy
    own.add('guard', function allowOrigin(_controller, ctx) {
      policy.allow(ctx)
    })
  })
}

/**
 * Successful GETs whose whole body is known get an `ETag`, and a client that has this content gets 304. Excluded are
 * pages with a nonce and responses that used the session, because no cache may store them.
 */
export const ConditionalGet: FilterTrait = filterTrait('ConditionalGet', (own) => {
  // After every filter, when it is known whether the response used the session.
  own.add('save', function tagBody(_controller, ctx) {
    const { request, response } = ctx
    const { headers, body } = response
    if (request.http.method !== 'GET' && request.http.method !== 'HEAD') return
    if (response.status !== 200 || headers.has('etag')) return
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return
    // A nonce is valid for one response: a cached page would violate the policy with another nonce.
    if (ctx.usedCspNonce !== undefined || ctx.loadedSession?.used === true) return
    if (/no-store/i.test(headers.get('cache-control') ?? '')) return
    headers.append('ETag', bodyEntityTag(body))
    if (!headers.has('cache-control')) headers.append('Cache-Control', 'private, no-cache')
  })
})
