/** Whether a request comes from whoever develops the application: from this machine, straight, by its own name. */
import type { HttpRequest } from '../http.ts'

const loopback = /^(127\.|::1$|::ffff:127\.)/
const localHost =
  /^(localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** What a proxy adds: then somebody else may be asking through it. */
const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/**
 * False for a peer on the network, for a request that a proxy passed on (HTTP/1.0 is how nginx does, with no header that
 * tells; no browser speaks it), for one whose `Host` is no name of this machine (a
 * page of elsewhere whose name leads here), and for one that a page of another site sent by its script.
 */
export function isLocal(request: HttpRequest): boolean {
  return (
    loopback.test(request.remoteAddress) &&
    request.httpVersion !== '1.0' &&
    localHost.test(request.host) &&
    forwarding.every((name) => request.header(name) === undefined) &&
    (request.header('sec-fetch-site') !== 'cross-site' ||
      request.header('sec-fetch-mode') === 'navigate')
  )
}
