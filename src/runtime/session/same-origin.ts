/** Rejects forged requests by the origin that the browser sends. This check runs before that of the forgery token. */
import { FwError } from '../base.ts'

/** The headers of a request with an unsafe method; `undefined` for a missing header. */
export interface RequestOrigin {
  /** The header `Sec-Fetch-Site`. */
  readonly secFetchSite: string | undefined
  /** The header `Origin`. */
  readonly origin: string | undefined
  /**
   * The host that the client addressed, with its port if the header names one: from `Host`, or from a trusted proxy's
   * `X-Forwarded-Host`.
   */
  readonly host: string | undefined
  readonly scheme: 'http' | 'https'
  /** The foreign origins that may send unsafe requests, from `parseTrustedOrigins`. */
  readonly trustedOrigins: ReadonlySet<string>
}

/**
 * Returns false when a browser sends a foreign origin. Returns true for a client without `Sec-Fetch-Site` and `Origin`,
 * because it is not a browser. Controllers with forgery protection then check the client's token.
 * @spec Authentication › 2
 */
export function isSameOrigin(request: RequestOrigin): boolean {
  const { secFetchSite, origin } = request
  if (origin !== undefined && request.trustedOrigins.has(origin)) return true
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin' || secFetchSite === 'none'
  return origin === undefined || isOwn(origin, request)
}

/**
 * Parses `csrf.trustedOrigins`.
 * @throws FwError `session.origin-invalid` unless each is an exact origin such as `https://app.example.com`
 */
export function parseTrustedOrigins(list: readonly string[]): ReadonlySet<string> {
  for (const origin of list) {
    const url = URL.parse(origin)
    const exact = url !== null && url.origin === origin && !origin.includes('*')
    if (exact && (url.protocol === 'https:' || url.protocol === 'http:')) continue
    throw new FwError(
      'session.origin-invalid',
      `Trusted origin ${JSON.stringify(origin)}: write scheme, host and port only, such as https://app.example.com.`,
    )
  }
  return new Set(list)
}

function isOwn(origin: string, request: RequestOrigin): boolean {
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin || request.host === undefined) return false
  // An attacker on the network can forge http pages. An http origin therefore never matches an https request.
  if (request.scheme === 'https' && url.protocol !== 'https:') return false
  return URL.parse(`${url.protocol}//${request.host}`)?.host === url.host
}

const longestOrigin = 200

/** Explains to the operator why `isSameOrigin` returned false, with both origins and the setting that may be wrong. */
export function explainForeignOrigin(request: RequestOrigin): string {
  const { secFetchSite, scheme, host } = request
  const origin = request.origin?.slice(0, longestOrigin) ?? 'an unknown origin'
  const own = `${scheme}://${host}`
  const trusted = `If ${origin} is yours, add it to csrf.trustedOrigins.`
  if (secFetchSite !== undefined)
    return `A page of ${origin} sent the request to ${own}; the browser says Sec-Fetch-Site: ${secFetchSite.slice(0, longestOrigin)}. ${trusted}`
  if (origin === 'null')
    return `The browser hides the origin of a request to ${own}, as it does for pages with Referrer-Policy: no-referrer and in sandboxed frames.`
  if (origin === `http://${host}`)
    return `A page of ${origin} sent the request to ${own}: redirect http to https in the proxy.`
  return (
    `A page of ${origin} sent the request to ${own}. If both are the same site, a proxy replaces Host: let it pass Host on, ` +
    `or send X-Forwarded-Host and list the proxy in server.trustedProxies. ${trusted}`
  )
}
