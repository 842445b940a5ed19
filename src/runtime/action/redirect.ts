/** Creates redirects. Redirects to other hosts are refused unless the application allows them. */
import { FwError } from '../base.ts'
import { ActionResult } from '../http.ts'
import type { FwContext } from './context.ts'
import { isSafeMethod } from './request.ts'

export interface RedirectOptions {
  /** True allows any host for this redirect. Never set it for a target that a client sent. */
  readonly allowOtherHost?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const forbidden = /[\u0000-\u001f\u007f\\]/
const fullUrl = /^[a-z][a-z0-9+.-]*:/i

function refused(target: string, why: string): FwError {
  return new FwError(
    'action.redirect-refused',
    `The redirect to ${JSON.stringify(target)} was refused: ${why}.` +
      ` Redirect to a path of the application, list the host in redirect.allowedHosts, or pass { allowOtherHost: true }.`,
  )
}

function checkFullUrl(ctx: FwContext, target: string, options: RedirectOptions): string {
  const url = URL.parse(target)
  if (url === null) throw refused(target, 'it is not a valid URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refused(target, `its scheme is ${url.protocol}`)
  // The Host header may be in capitals, or contain the default port, which a parsed URL does not.
  const own = URL.parse(`${url.protocol}//${ctx.request.host}`)?.host
  const known = url.host === own || ctx.services.redirectHosts.includes(url.host)
  if (!known && options.allowOtherHost !== true)
    throw refused(target, `${url.host} is another host`)
  // Only development has an error reporter.
  if (!known && !ctx.request.isSafe && ctx.services.errorReporter !== undefined)
    ctx.logger.warn(
      { host: url.host },
      'browsers block this redirect after a form: list the host in redirect.allowedHosts, which form-action then contains',
    )
  return url.href
}

/** Returns the `Location`: a path with the context path, or a full URL. @throws FwError `action.redirect-refused` */
export function redirectLocation(ctx: FwContext, target: string, options: RedirectOptions): string {
  if (forbidden.test(target))
    throw refused(target, 'it contains a backslash or a control character')
  if (fullUrl.test(target)) return checkFullUrl(ctx, target, options)
  const { http, path } = ctx.request
  const here = `http://localhost${http.mountPath}${path.raw}`
  const url = target.startsWith('//') ? null : URL.parse(target, here)
  if (url === null || url.pathname.startsWith('//'))
    throw refused(target, 'a path that begins with // names another host')
  const { pathname, search, hash } = url
  const isInside = `${pathname}/`.startsWith(`${ctx.contextPath}/`)
  return (isInside ? pathname : ctx.contextPath + pathname) + search + hash
}

/** The status of a redirect that names none. After a 302, `fetch` repeats every method but POST at the target. */
export const redirectStatus = (method: string): 302 | 303 =>
  isSafeMethod(method) || method === 'POST' ? 302 : 303

/** Creates the result of a redirect and records it in the context, so that a redirect in a filter skips the action. */
export function recordRedirect<const S extends number>(
  ctx: FwContext,
  status: S,
  target: string,
  options: RedirectOptions = {},
): ActionResult<S, undefined> {
  const headers = { ...options.headers, Location: redirectLocation(ctx, target, options) }
  const result = new ActionResult(status, undefined, headers)
  ctx.recordedRedirect = result
  return result
}
