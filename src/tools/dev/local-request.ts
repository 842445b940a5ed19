/** Recognizes requests of the developer, which come from this machine, through no proxy, with this machine as `Host`. */
import type { HttpRequest } from '../../runtime/http.ts'

const loopback = /^(127\.|::1$|::ffff:127\.)/
const localHost =
  /^(localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** The headers that proxies add; through a proxy, other machines may send requests. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * Whether the request comes from the developer. False for a peer on the network, for a proxied request, for a `Host` that is
 * not this machine, as in DNS rebinding, and for a request from a script of another site. HTTP/1.0 counts as proxied: nginx
 * uses it by default without proxy headers, and browsers do not use it.
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
