/** Lets pages of other, named origins read a controller's answers. */
import {
  registrationsOf,
  type ControllerClass,
  type CrossOrigin,
  type Ctor,
  type FwContext,
} from '../action.ts'
import { addVary, type HttpResponse } from '../http.ts'
import { trustedOrigins } from '../session.ts'

/** Who may read what. */
export interface CorsOptions {
  /** Exact origins such as `https://app.example.com`; or `'*'`, every origin, for answers that are the same for all. */
  readonly origins: readonly string[] | '*'
  /** Cookies are sent along and answers to them can be read; not with `'*'`. False unless set. */
  readonly credentials?: boolean
  /** Request headers that a page may set; `Content-Type` and `X-CSRF-Token` unless set. */
  readonly headers?: readonly string[]
  /** Response headers that a page may read, beside the few that are always readable. */
  readonly exposedHeaders?: readonly string[]
  /** For how many seconds a browser need not ask again; 600 unless set. */
  readonly maxAge?: number
}

class CorsPolicy implements CrossOrigin {
  readonly #origins: ReadonlySet<string> | '*'
  readonly #options: CorsOptions

  /** @throws FwError `session.origin-invalid` */
  constructor(options: CorsOptions) {
    const { origins } = options
    this.#origins = origins === '*' ? origins : trustedOrigins(origins)
    this.#options = origins === '*' ? { ...options, credentials: false } : options
  }

  trusts(origin: string): boolean {
    return this.#origins !== '*' && this.#origins.has(origin)
  }

  /** The headers that let the asking page read the answer; none for a page of an origin that is not listed. */
  allow({ request, response }: FwContext): boolean {
    const origin = request.http.header('origin')
    if (this.#origins !== '*') addVary(response.headers, 'Origin')
    if (origin === undefined || (this.#origins !== '*' && !this.#origins.has(origin))) return false
    const { headers } = response
    headers.set('Access-Control-Allow-Origin', this.#origins === '*' ? '*' : origin)
    if (this.#options.credentials === true) headers.set('Access-Control-Allow-Credentials', 'true')
    setList(response, 'Access-Control-Expose-Headers', this.#options.exposedHeaders ?? [])
    return true
  }

  preflight(ctx: FwContext, methods: readonly string[]): void {
    if (!this.allow(ctx)) return
    const { headers = ['Content-Type', 'X-CSRF-Token'], maxAge = 600 } = this.#options
    setList(ctx.response, 'Access-Control-Allow-Methods', methods)
    setList(ctx.response, 'Access-Control-Allow-Headers', headers)
    ctx.response.headers.set('Access-Control-Max-Age', maxAge)
  }
}

function setList({ headers }: HttpResponse, name: string, values: readonly string[]): void {
  if (values.length > 0) headers.set(name, values.join(', '))
}

/**
 * `mix(FwController, cors({ origins: ['https://app.example.com'] }))`. Pages of the origins may read the controller's
 * answers and send it unsafe requests; `protectFromForgery` still asks for its token. Browsers that ask beforehand are
 * answered for every path of the controller.
 * @throws FwError `session.origin-invalid` for anything but exact origins
 */
export function cors(options: CorsOptions): <B extends ControllerClass>(Base: B) => B & Ctor {
  const policy = new CorsPolicy(options)
  return <B extends ControllerClass>(Base: B): B & Ctor => {
    abstract class Cors extends Base {
      static {
        const own = registrationsOf(this)
        own.crossOrigin = policy
        own.add('guard', (_controller, ctx: FwContext) => void policy.allow(ctx))
      }
    }
    return Cors
  }
}
