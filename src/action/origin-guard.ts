/** The first layer against forged requests: for every unsafe request, before its body is read. */
import { HttpError } from '../base.ts'
import { isSameOrigin } from '../session.ts'
import type { FwContext } from './context.ts'

/**
 * Refuses an unsafe request that a browser says comes from another origin.
 * @throws HttpError 403 `action.cross-origin`
 * @spec Authentication › 2
 */
export function guardOrigin(ctx: FwContext): void {
  const { request } = ctx
  if (request.isSafe) return
  const origin = request.http.header('origin')
  const secFetchSite = request.http.header('sec-fetch-site')
  // No browser that could be misled; most programs are answered here.
  if (origin === undefined && secFetchSite === undefined) return
  if (origin !== undefined && ctx.plan?.crossOrigin?.trusts(origin) === true) return
  const allowed = isSameOrigin({
    secFetchSite,
    origin,
    host: request.host,
    scheme: request.http.scheme,
    trustedOrigins: ctx.services.trustedOrigins,
  })
  if (!allowed)
    throw new HttpError(403, 'action.cross-origin', 'The request came from another site.')
}
