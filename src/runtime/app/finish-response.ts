/**
 * Completes every response. Those of the application pass through `finishResponse`. Those that a server creates without the
 * application, for probes, metrics and rejected requests, pass through the function of `responseFinisher`. Both add the
 * headers of `SecurityHeaders`.
 */
import { findAllowedStyles, isUnchanged, type FwContext, type Services } from '../action.ts'
import { isPromise } from '../base.ts'
import {
  addVary,
  compress,
  hasNoBody,
  isCompressible,
  releaseBody,
  type HttpResponse,
} from '../http.ts'

type Response = HttpResponse | Promise<HttpResponse>

/** Writes cookies and headers, responds 304 if the client has the current version, and compresses the body. */
export function finishResponse(ctx: FwContext): Response {
  const { request, response, services } = ctx
  services.recentWrites?.writeCookie(ctx)
  ctx.writeCookies()
  ctx.writeVary()
  restrictCaching(ctx)
  if (ctx.usedRequestId !== undefined) response.headers.set('X-Request-Id', ctx.usedRequestId)
  applyNotModified(ctx)
  if (hasNoBody(response.status)) removeContentHeaders(response)
  services.securityHeaders.addTo(response, request.http, ctx.usedCspNonce, findAllowedStyles(ctx))
  if (services.compression !== undefined) {
    const compressing = compress(request.http, response, services.compression)
    if (isPromise(compressing)) return compressing.then(() => endResponse(ctx))
  }
  return endResponse(ctx)
}

/**
 * Returns the function that completes the responses of a server itself. Their requests have no context, and the scheme of a
 * rejected request is unknown: `Strict-Transport-Security` is not sent.
 */
export const responseFinisher =
  ({ securityHeaders }: Pick<Services, 'securityHeaders'>) =>
  (response: HttpResponse): HttpResponse => {
    securityHeaders.addTo(response, { scheme: 'http', method: 'GET' })
    return response
  }

/** `Cache-Control` directives that allow shared caches to store a response. */
const shared = /(?:^|[,\s])(?:public|s-maxage)\b/i
/** Directives that forbid it. */
const unshared = /(?:^|[,\s])(?:private|no-store)\b/i

/** Headers that shared caches read instead of `Cache-Control`. */
const sharedCacheHeaders: ReadonlySet<string> = new Set([
  'expires',
  'surrogate-control',
  'x-accel-expires',
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'vercel-cdn-cache-control',
  'netlify-cdn-cache-control',
])

/**
 * Prevents caches from giving the response of one visitor to another. A personal response is `no-store` unless it has a
 * `Cache-Control`, and never public. All other responses without `Cache-Control` get that of the default headers.
 */
function restrictCaching(ctx: FwContext): void {
  const { headers } = ctx.response
  // A nonce is valid for one response only, so that no cache may validate the page and send it again.
  if (ctx.usedCspNonce !== undefined) {
    headers.delete('etag')
    headers.delete('last-modified')
  }
  if (!isPersonal(ctx)) {
    if (ctx.readsCookies) addVary(headers, 'Cookie')
    return
  }
  const cacheControl = headers.get('cache-control')
  if (cacheControl === undefined) headers.append('Cache-Control', 'no-store')
  else if (shared.test(cacheControl)) headers.set('Cache-Control', 'no-store')
  else if (!unshared.test(cacheControl)) headers.set('Cache-Control', `private, ${cacheControl}`)
  headers.deleteAll(sharedCacheHeaders)
}

/** Returns true for a response that sets a cookie, has a nonce, or whose code has used the session or credentials. */
function isPersonal({ request, response, loadedSession, usedCspNonce }: FwContext): boolean {
  return (
    request.usesCredentials ||
    usedCspNonce !== undefined ||
    loadedSession?.used === true ||
    response.headers.has('set-cookie')
  )
}

/** Changes the response to 304 if the conditional headers of a GET or HEAD match its version. */
function applyNotModified({ request: { http }, response, services }: FwContext): void {
  if (!isUnchanged(http, response)) return
  const { headers } = response
  if (services.compression !== undefined && isCompressible(response))
    addVary(headers, 'Accept-Encoding')
  response.status = 304
  releaseBody(response.body)
  response.body = undefined
}

const contentHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-disposition',
])

/** Removes the headers of a content that the response does not have. */
function removeContentHeaders({ headers }: HttpResponse): void {
  headers.deleteAll(contentHeaders)
}

function endResponse(ctx: FwContext): HttpResponse {
  ctx.endRequest()
  return ctx.response
}
