/** The first layer against forged requests: the origin that the browser reports. */
import { FwError } from '../base.ts'

/** The headers of an unsafe request; `undefined` when absent. */
export interface RequestOrigin {
  /** Header `Sec-Fetch-Site`. */
  readonly secFetchSite: string | undefined
  /** Header `Origin`. */
  readonly origin: string | undefined
  /** Host and port of the request target. */
  readonly host: string | undefined
  readonly scheme: 'http' | 'https'
  /** Foreign origins that may send unsafe requests, from `parseTrustedOrigins`. */
  readonly trustedOrigins: ReadonlySet<string>
}

/**
 * False when a browser reports a foreign origin. A client that sends neither header is not a browser, so the result is
 * true; controllers with forgery protection then check its token.
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
  // An attacker on the network can forge http pages, so an http origin never matches an https request.
  if (request.scheme === 'https' && url.protocol !== 'https:') return false
  return URL.parse(`${url.protocol}//${request.host}`)?.host === url.host
}
