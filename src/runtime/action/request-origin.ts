/** Compares the origin that a browser sends with the origin of the application. */
import type { HttpRequest } from '../http.ts'
import { isSameOrigin } from '../session.ts'

const noOrigins: ReadonlySet<string> = new Set()

/** Returns true if the URL, by default the header `Origin`, has the origin of the application; false without a URL. */
export function isFromOwnOrigin(http: HttpRequest, url = http.header('origin')): boolean {
  const origin = url === undefined ? undefined : URL.parse(url)?.origin
  if (origin === undefined) return false
  const { scheme, host } = http
  return isSameOrigin({ secFetchSite: undefined, origin, host, scheme, trustedOrigins: noOrigins })
}

/** Returns true if a page of another site sent the request, so that it comes without `SameSite=Lax` cookies. */
export function isCrossSite(http: HttpRequest): boolean {
  const site = http.header('sec-fetch-site')
  if (site !== undefined) return site === 'cross-site'
  return http.header('origin') !== undefined && !isFromOwnOrigin(http)
}
