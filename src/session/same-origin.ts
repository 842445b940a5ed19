/** The first layer against forged requests: where a browser says that a request comes from. */
import { FwError } from '../base.ts'

/** What the headers of an unsafe request say; absent is `undefined`. */
export interface RequestOrigin {
  /** Header `Sec-Fetch-Site`. */
  readonly secFetchSite: string | undefined
  /** Header `Origin`. */
  readonly origin: string | undefined
  /** Host and port that the request was sent to. */
  readonly host: string | undefined
  readonly scheme: 'http' | 'https'
  /** Origins, beside the own, that may send unsafe requests: what `trustedOrigins` made. */
  readonly trustedOrigins: ReadonlySet<string>
}

/**
 * True unless a browser says that another origin sent the request. Clients that send neither header are no browsers that
 * could be misled: they pass, and the token decides where there is one.
 * @spec Authentication › 2
 */
export function isSameOrigin(request: RequestOrigin): boolean {
  const { secFetchSite, origin } = request
  if (origin !== undefined && request.trustedOrigins.has(origin)) return true
  if (secFetchSite !== undefined) return secFetchSite === 'same-origin' || secFetchSite === 'none'
  return origin === undefined || isOwn(origin, request)
}

/**
 * Checks `csrf.trustedOrigins`.
 * @throws FwError `session.origin-invalid` for anything but exact origins such as `https://app.example.com`
 */
export function trustedOrigins(list: readonly string[]): ReadonlySet<string> {
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
  // A page fetched in the clear may be anyone's, so it cannot speak for the secure site of the same host.
  if (request.scheme === 'https' && url.protocol !== 'https:') return false
  return URL.parse(`${url.protocol}//${request.host}`)?.host === url.host
}
