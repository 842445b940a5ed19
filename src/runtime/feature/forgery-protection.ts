/** Protection against forged requests by a token that only the site's own pages have. */
import {
  Registrations,
  registrationsOf,
  type Ctor,
  type FilterOptions,
  type FwContext,
} from '../action.ts'
import { HttpError } from '../base.ts'
import { csrfHeader, csrfKey, isSameOrigin } from '../session.ts'
import { useSession } from './session-access.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

const xsrfCookie = 'XSRF-TOKEN'
/** The header in which Angular, axios and similar clients send the token. */
const xsrfHeader = 'x-xsrf-token'

const noOrigins: ReadonlySet<string> = new Set()

/**
 * Whether htmx of a page of this origin sent the request. A page cannot set the browser's own headers, and another
 * origin's page may send `HX-Request` only after a preflight, which `Sec-Fetch-Site` and `Origin` would contradict anyway.
 */
function isOwnHtmx({ request }: FwContext): boolean {
  const { http } = request
  if (http.header('hx-request') !== 'true') return false
  const secFetchSite = http.header('sec-fetch-site')
  const origin = http.header('origin')
  if (secFetchSite === undefined ? origin === undefined : secFetchSite !== 'same-origin')
    return false
  const { host } = request
  return isSameOrigin({
    secFetchSite,
    origin,
    host,
    scheme: http.scheme,
    trustedOrigins: noOrigins,
  })
}

function checkToken(_controller: object, ctx: FwContext): void {
  const { request } = ctx
  if (request.isSafe || !ctx.hasSession) return
  const token = ctx.forgeryToken
  if (token.verify(request.http.header(csrfHeader))) return
  if (token.verify(request.http.header(xsrfHeader))) return
  if (token.verify(ctx.params.get(csrfKey))) return
  if (isOwnHtmx(ctx)) return
  ctx.ignoreSession()
  throw new HttpError(
    403,
    'feature.forged-request',
    'The form is too old or came from another site: reload the page and try again.',
  )
}

/** Checks the token where the controller has no check of its own, whose `only` and `except` count. */
function checkUnprotected(controller: object, ctx: FwContext): void {
  if (!Registrations.has(controller.constructor, checkToken)) checkToken(controller, ctx)
}

const scriptType = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i

/**
 * Browsers send cookies with the request of a script tag, so a page of another site could run a visitor's script and
 * read its data. Old browsers without `Sec-Fetch-Site` are stopped by `Cross-Origin-Resource-Policy`.
 */
function checkScript(_controller: object, { request, response }: FwContext): void {
  if (!request.isSafe) return
  const site = request.http.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!scriptType.test(response.headers.get('content-type') ?? '')) return
  throw new HttpError(
    403,
    'feature.cross-origin-script',
    'This script is for pages of its own site.',
  )
}

/** Registers the protection; see `forgeryProtection`. @spec Authentication › 2 */
export function protectFromForgery(controllerClass: Ctor, options: FilterOptions = {}): void {
  useSession(controllerClass)
  const own = registrationsOf(controllerClass)
  own.add('token', checkToken, options)
  own.add('after', checkScript, options)
}

/**
 * Unsafe requests of the chosen routes need the session's token, as parameter `csrf-token` or header `X-CSRF-Token`
 * (`X-XSRF-TOKEN` with `XsrfCookie`); else the response is 403. A visitor without a token is refused. Requests of htmx
 * need no token if the browser says that a page of this origin sent them. Pages of other sites cannot load the scripts
 * of these routes.
 * @spec Authentication › 2
 */
export const forgeryProtection = (options: FilterOptions = {}): FilterTrait =>
  filterTrait('forgeryProtection', (_own, controllerClass) =>
    protectFromForgery(controllerClass, options),
  )

/**
 * Sends the session's forgery token in the cookie `XSRF-TOKEN` with every response, for single-page clients: their
 * script copies it into the header `X-XSRF-TOKEN`. Only the header is compared with the session's token, so the cookie
 * grants nothing by itself. A controller without forgery protection, such as one of an API, gets it for all routes.
 * @spec Authentication › 2
 */
export const XsrfCookie: FilterTrait = filterTrait('XsrfCookie', (own, controllerClass) => {
  useSession(controllerClass)
  own.add('token', checkUnprotected)
  own.add('after', function sendToken(_controller, ctx) {
    const token = ctx.maskToken()
    if (token === undefined || ctx.forgeryToken.verify(ctx.cookies.get(xsrfCookie))) return
    ctx.cookies.set(xsrfCookie, token, { httpOnly: false, sameSite: 'strict' })
  })
})
