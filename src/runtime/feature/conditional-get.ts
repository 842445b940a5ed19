/** `ConditionalGet` adds an ETag that is computed from the body. */
import { bodyEntityTag } from '../http.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/**
 * Adds an `ETag` to the response of each successful GET whose whole body is known, and responds 304 to a client that already
 * has this content. Pages with a nonce and responses that used the session get no `ETag`, because caches must not store them.
 */
export const ConditionalGet: FilterTrait = filterTrait('ConditionalGet', (own) => {
  // This step runs after all filters, when it is known whether the response used the session.
  own.add('save', function tagBody(_controller, ctx) {
    const { request, response } = ctx
    const { headers, body } = response
    if (request.http.method !== 'GET' && request.http.method !== 'HEAD') return
    if (response.status !== 200 || headers.has('etag')) return
    if (typeof body !== 'string' && !(body instanceof Uint8Array)) return
    // A nonce is valid for only one response, so the browser would block the scripts of a cached page.
    if (ctx.usedCspNonce !== undefined || ctx.loadedSession?.used === true) return
    if (/no-store/i.test(headers.get('cache-control') ?? '')) return
    headers.append('ETag', bodyEntityTag(body))
    if (!headers.has('cache-control')) headers.append('Cache-Control', 'private, no-cache')
  })
})
