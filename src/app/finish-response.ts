/** The last steps of a response, whoever made it: cookies, security headers, conditions, compression, the request's end. */
import { endRequest, type FwContext } from '../action.ts'
import { isPromise } from '../base.ts'
import {
  addVary,
  compress,
  isCompressible,
  judge,
  parseHttpDate,
  releaseBody,
  type HttpResponse,
} from '../http.ts'
import { keepPrivate } from './security-headers.ts'

/** Readies the response for the container; synchronous unless it is compressed. */
export function finishResponse(ctx: FwContext): HttpResponse | Promise<HttpResponse> {
  const { response, services } = ctx
  ctx.writeCookies()
  keepPrivate(ctx)
  if (ctx.usedRequestId !== undefined) response.headers.set('X-Request-Id', ctx.usedRequestId)
  services.securityHeaders.addTo(response, ctx.request.http, ctx.usedCspNonce)
  leaveOutKnown(ctx)
  if (services.compression !== undefined) {
    const compressing = compress(ctx.request.http, response, services.compression)
    if (isPromise(compressing)) return compressing.then(() => ended(ctx))
  }
  return ended(ctx)
}

function ended(ctx: FwContext): HttpResponse {
  endRequest(ctx)
  return ctx.response
}

/** What the client has already is not sent again: 304 for the version that the headers name. */
function leaveOutKnown({ request: { http }, response, services }: FwContext): void {
  if (http.method !== 'GET' && http.method !== 'HEAD') return
  if (
    response.status !== 200 ||
    (http.header('if-none-match') === undefined && http.header('if-modified-since') === undefined)
  )
    return
  const { headers } = response
  const lastModified = headers.get('last-modified')
  const verdict = judge(http, {
    etag: headers.get('etag'),
    lastModified: lastModified === undefined ? undefined : parseHttpDate(lastModified),
  })
  if (verdict !== 304) return
  if (services.compression !== undefined && isCompressible(response))
    addVary(headers, 'Accept-Encoding')
  response.status = 304
  releaseBody(response.body)
  response.body = undefined
  for (const name of ['content-type', 'content-length', 'content-disposition']) headers.delete(name)
}
