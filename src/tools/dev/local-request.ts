/** Recognizes requests of the developer: from this machine, without a proxy, under its own name. */
import type { HttpRequest } from '../../runtime/http.ts'

const loopback = /^(127\.|::1$|::ffff:127\.)/
const localHost =
  /^(localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** Headers of proxies, through which other machines may send requests. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * False for a peer on the network; for a proxied request (nginx uses HTTP/1.0 without proxy headers by default, and no
 * browser does); for a `Host` that does not name this machine, as in DNS rebinding; and for a request by a script of
 * another site.
 */
export function isLocalRequest(request: HttpRequest): boolean {
  return (
    loopback.test(request.remoteAddress) &&
    request.httpVersion !== '1.0' &&
    localHost.test(request.host) &&
    proxyHeaders.every((name) => request.header(name) === undefined) &&
    (request.header('sec-fetch-site') !== 'cross-site' ||
      request.header('sec-fetch-mode') === 'navigate')
  )
}
