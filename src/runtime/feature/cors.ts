/** `cors` sets the headers that let pages of other origins read the responses. */
import type { CrossOrigin, FwContext } from '../action.ts'
import { addVary, type HttpResponse } from '../http.ts'
import { parseTrustedOrigins } from '../session.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** The options of `cors`, which allows pages of other origins to read responses. */
export interface CorsOptions {
  /**
   * The origins whose pages may read the responses, such as `https://app.example.com`. `'*'` allows every origin; use it only
   * for responses without private data.
   */
  readonly origins: readonly string[] | '*'
  /** True allows requests with cookies; ignored with `'*'`. False by default. */
  readonly credentials?: boolean
  /** The request headers that a page may set; `Content-Type`, `Authorization` and `X-CSRF-Token` by default. */
  readonly headers?: readonly string[]
  /** The response headers that a page may read, in addition to those that browsers always expose. */
  readonly exposedHeaders?: readonly string[]
  /** The number of seconds for which a browser may cache a preflight response; 600 by default. */
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
    // Browsers add these headers without the visitor's consent, so they do not prove that the visitor intends the request.
    if (http.header('cookie') !== undefined) return false
    if (browserScheme.test(http.header('authorization') ?? '')) return false
    // A form of another site can navigate to this URL, and the response could log the visitor in to another account.
    const mode = http.header('sec-fetch-mode')
    return mode === 'cors' || (mode === undefined && plan?.savesSession !== true)
  }

  /** Sets the CORS headers of the response. Returns false if the origin is not allowed. */
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

/** The schemes of `Authorization` whose credentials browsers store and send automatically. */
const browserScheme = /^(?:basic|digest|negotiate|ntlm)\b/i

function setList({ headers }: HttpResponse, name: string, values: readonly string[]): void {
  if (values.length > 0) headers.set(name, values.join(', '))
}

/**
 * Allows pages of other origins to read the controller's responses and to send unsafe requests: `mix(FwController, cors({
 * origins: ['https://app.example.com'] }))`. With `'*'`, only requests without cookies are allowed. `forgeryProtection` still
 * requires its token. Every path of the controller responds to preflight requests.
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
