/** The forgery token for single-page clients: a cookie that their script copies into a header. */
import { registrationsOf, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { ForgeryToken } from '../session.ts'
import { useSession } from './session-steps.ts'

const xsrfCookie = 'XSRF-TOKEN'
/** The header that Angular, axios and their like send it in. */
export const xsrfHeader = 'x-xsrf-token'

/**
 * Sends the token unless the client holds one that is good. The cookie proves nothing by itself: only the header is
 * compared, with the token in the session.
 */
function sendToken(ctx: FwContext): void {
  const token = new ForgeryToken(ctx.session)
  if (token.verify(ctx.cookies.get(xsrfCookie))) return
  ctx.cookies.set(xsrfCookie, token.mask(), { httpOnly: false, sameSite: 'strict' })
}

/**
 * Every response of the controller carries the session's forgery token in the cookie `XSRF-TOKEN`, which scripts of the
 * site can read; `protectFromForgery` takes it in the header `X-XSRF-TOKEN`.
 * @spec Authentication › 2
 */
export const XsrfCookie = <B extends ControllerClass>(Base: B): B & Ctor => {
  abstract class XsrfCookie extends Base {
    static {
      useSession(this)
      registrationsOf(this).add('after', (_controller, ctx: FwContext) => sendToken(ctx))
    }
  }
  return XsrfCookie
}
