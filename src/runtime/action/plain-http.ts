/** `warnOfPlainHttp`: logs once that browsers drop the `Secure` cookies of responses over http. */
import type { Logger } from '../base.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'

/** The members of `FwContext` that are used here: importing the class would be an import cycle. */
interface Visit {
  readonly request: { readonly http: HttpRequest }
  readonly response: HttpResponse
  readonly services: { readonly logger: Logger }
}

const warned = new WeakSet<Logger>()

/** Browsers accept `Secure` cookies of these hosts over http, too. */
const localHost = /^(?:(?:[\w.-]+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
const secureAttribute = /; Secure(?:;|$)/i

/** Logs the first response of the application that sets a `Secure` cookie over http: forms and logins then fail. */
export function warnOfPlainHttp({
  request: { http },
  response,
  services: { logger },
}: Visit): void {
  if (warned.has(logger) || localHost.test(http.host)) return
  if (!response.headers.getAll('set-cookie').some((line) => secureAttribute.test(line))) return
  warned.add(logger)
  const proxy =
    http.isProxied === true
      ? 'the proxy must send X-Forwarded-Proto: https'
      : `it must send X-Forwarded-Proto: https, and server.trustedProxies must contain its address, ${http.remoteAddress}`
  logger.warn(
    { host: http.host },
    `A request to http://${http.host} got a Secure cookie, which browsers do not send back over http: forms and logins fail. ` +
      `Serve the application over https. If a proxy already does, ${proxy}. For http only, set cookies.secure to false.`,
  )
}
