/** Spares clients what they have already: every page gets the tag of its content. */
import { registrationsOf, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { bodyTag } from '../http.ts'

function tagBody(ctx: FwContext): void {
  const { request, response } = ctx
  const { headers, body } = response
  if (request.http.method !== 'GET' && request.http.method !== 'HEAD') return
  if (response.status !== 200 || headers.has('etag')) return
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return
  // A nonce is good for one response: a stored page must not come back under a policy that names another.
  if (ctx.usedCspNonce !== undefined || ctx.knownSession?.used === true) return
  if (/no-store/i.test(headers.get('cache-control') ?? '')) return
  headers.append('ETag', bodyTag(body))
  if (!headers.has('cache-control')) headers.append('Cache-Control', 'private, no-cache')
}

/**
 * Successful GETs whose whole body is known get an `ETag`, and a client that has this very content gets 304. Left out
 * are pages with a nonce and answers that used the session: nobody may keep those.
 */
export const ConditionalGet = <B extends ControllerClass>(Base: B): B & Ctor => {
  abstract class ConditionalGet extends Base {
    static {
      // After every filter, and after the session has said that nobody may keep the answer.
      registrationsOf(this).add('save', (_controller, ctx: FwContext) => tagBody(ctx))
    }
  }
  return ConditionalGet
}
