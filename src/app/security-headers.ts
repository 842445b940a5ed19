/** The headers that every response carries unless it set them itself. */
import type { FwContext } from '../action.ts'
import {
  SharedHeaders,
  type HttpRequest,
  type HttpResponse,
  type ResponseHeaders,
} from '../http.ts'
import { headersOf, policyOf } from './security-policy.ts'
import type { ApplicationSettings } from './settings.ts'

const policyName = 'Content-Security-Policy'
/** Stands where a response's nonce goes, in a policy that is put together once. */
const nonceMark = '\0'

/** One list for each scheme, made at the start: most responses set none of them and take it as it is. */
export class SecurityHeaders {
  readonly #plain: SharedHeaders
  readonly #secure: SharedHeaders
  readonly #names: ReadonlySet<string>
  readonly #policyWithNonce: readonly string[]

  /** @param production adds `Strict-Transport-Security` to what goes over https */
  constructor(
    { headers, contentSecurityPolicy }: ApplicationSettings['security'],
    production: boolean,
  ) {
    const policy = policyOf(contentSecurityPolicy)
    const head = policy === '' ? [] : [policyName, policy]
    this.#plain = new SharedHeaders([...head, ...headersOf(headers, false)])
    this.#secure = production
      ? new SharedHeaders([...head, ...headersOf(headers, true)])
      : this.#plain
    this.#names = new Set(
      this.#secure.raw.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()),
    )
    this.#policyWithNonce = policyOf(contentSecurityPolicy, nonceMark).split(nonceMark)
  }

  /** Adds what the response does not have; `nonce` is let into the policy for a page with inline scripts or styles of its own. */
  addTo(response: HttpResponse, { scheme }: HttpRequest, nonce?: string): void {
    const { headers } = response
    const { raw } = headers
    if (nonce !== undefined && this.#policyWithNonce.length > 1 && !headers.has(policyName))
      raw.push(policyName, this.#policyWithNonce.join(nonce))
    const all = scheme === 'https' ? this.#secure : this.#plain
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

const shared = /(?:^|[,\s])(?:public|s-maxage)\b/i

/**
 * Keeps what is one visitor's own out of caches: a page that used the session or has a nonce, unless it says how it may
 * be cached; and, whatever it says, a shared copy of a response that sets a cookie.
 */
export function keepPrivate({ response, knownSession, usedCspNonce }: FwContext): void {
  const { headers } = response
  const said = headers.get('cache-control')
  if (usedCspNonce !== undefined) headers.delete('etag')
  if (said === undefined) {
    if (knownSession?.used === true || usedCspNonce !== undefined || setsCookie(headers))
      headers.append('Cache-Control', 'no-store')
  } else if (shared.test(said) && setsCookie(headers)) headers.set('Cache-Control', 'no-store')
}

const setsCookie = (headers: ResponseHeaders): boolean => headers.has('set-cookie')
