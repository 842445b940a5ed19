/** Removes the body that another one replaces, or the whole page that a refusal or a fault replaces. */
import { releaseBody, type ResponseHeaders } from '../http.ts'
import type { FwContext } from './context.ts'

/** The headers that describe a body: its content, its version and its ranges. */
const bodyHeader =
  /^(?:content-(?!security-policy).*|etag|last-modified|accept-ranges|(?:repr-)?digest)$/i

/**
 * The further headers that describe a page: who may store it for how long, where it is, where htmx goes, and the file that a
 * proxy sends in its place. A refusal keeps all other headers, such as Allow, Retry-After, WWW-Authenticate, Vary, Set-Cookie
 * and those of CORS, security and the application.
 */
const pageHeader =
  /^(?:(?:.+-)?cache-control|surrogate-control|x-accel-(?:expires|redirect)|expires|pragma|location|refresh|x-sendfile|x-lighttpd-send-file|hx-(?:redirect|location|refresh|push-url|replace-url))$/i

function deleteMatching(headers: ResponseHeaders, pattern: RegExp): void {
  const names = headers.raw.filter((_, at) => at % 2 === 0)
  for (const name of names) if (pattern.test(name)) headers.delete(name)
}

/** Removes the body of the response, with the headers that describe it. */
export function dropBody({ response }: FwContext): void {
  releaseBody(response.body)
  response.body = undefined
  deleteMatching(response.headers, bodyHeader)
}

/**
 * Removes the page that a refusal or a fault replaces: the body, the reason, a recorded redirect, and the headers that describe
 * the page. Keeps `Cache-Control: no-store`. With `keepsType`, keeps the `Content-Type`, which the application may have set for
 * the text of its refusal.
 */
export function clearPage(ctx: FwContext, keepsType = false): void {
  const { response } = ctx
  const { headers } = response
  const type = keepsType ? headers.get('content-type') : undefined
  const isUnstored = headers.get('cache-control')?.includes('no-store') === true
  ctx.recordedRedirect = response.reason = undefined
  dropBody(ctx)
  deleteMatching(headers, pageHeader)
  if (type !== undefined) headers.append('Content-Type', type)
  if (isUnstored) headers.append('Cache-Control', 'no-store')
}
