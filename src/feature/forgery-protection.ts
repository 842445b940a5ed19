/** The second layer against forged requests: a token that only the site's own pages hold. */
import { registrationsOf, type FilterOptions, type FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import { csrfHeader, csrfKey, ForgeryToken } from '../session.ts'

function checkToken(ctx: FwContext): void {
  const { request } = ctx
  if (request.isSafe) return
  const token = new ForgeryToken(ctx.session)
  if (token.verify(request.http.header(csrfHeader)) || token.verify(ctx.params.get(csrfKey))) return
  throw new HttpError(
    403,
    'feature.forged-request',
    'The form is too old or came from another site: reload the page and try again.',
  )
}

/**
 * Unsafe requests of the chosen routes need the session's token, as parameter `csrf-token` or header `X-CSRF-Token`;
 * else they answer 403. A session without a token refuses every one.
 * @spec Authentication › 2
 */
export function protectFromForgery(controllerClass: object, options: FilterOptions = {}): void {
  registrationsOf(controllerClass).add(
    'token',
    (_controller, ctx: FwContext) => checkToken(ctx),
    options,
  )
}
