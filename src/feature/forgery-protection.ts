/** The second layer against forged requests: a token that only the site's own pages hold. */
import { registrationsOf, type FilterOptions, type FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import { csrfHeader, csrfKey, ForgeryToken } from '../session.ts'
import { useSession } from './session-steps.ts'
import { xsrfHeader } from './xsrf-cookie.ts'

function checkToken(ctx: FwContext): void {
  const { request } = ctx
  if (request.isSafe) return
  const token = new ForgeryToken(ctx.session)
  if (token.verify(request.http.header(csrfHeader))) return
  if (token.verify(request.http.header(xsrfHeader))) return
  if (token.verify(ctx.params.get(csrfKey))) return
  throw new HttpError(
    403,
    'feature.forged-request',
    'The form is too old or came from another site: reload the page and try again.',
  )
}

const script = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i

/**
 * A script made for this visitor must not run in a page of another site, which could read what it says: browsers send
 * cookies with the request of a script tag. Those that tell nothing of a request's origin are held off by
 * `Cross-Origin-Resource-Policy`.
 */
function checkScript({ request, response }: FwContext): void {
  if (!request.isSafe) return
  const site = request.http.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!script.test(response.headers.get('content-type') ?? '')) return
  throw new HttpError(
    403,
    'feature.cross-origin-script',
    'This script is for pages of its own site.',
  )
}

/**
 * Unsafe requests of the chosen routes need the session's token, as parameter `csrf-token` or header `X-CSRF-Token`
 * (`X-XSRF-TOKEN` with `XsrfCookie`); else they answer 403. A session without a token refuses every one. Scripts that the
 * routes answer with are not for pages of other sites.
 * @spec Authentication › 2
 */
export function protectFromForgery(controllerClass: object, options: FilterOptions = {}): void {
  useSession(controllerClass)
  const own = registrationsOf(controllerClass)
  own.add('token', (_controller, ctx: FwContext) => checkToken(ctx), options)
  own.add('after', (_controller, ctx: FwContext) => checkScript(ctx), options)
}
