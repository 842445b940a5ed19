/** Limits the requests of a client: 429 and `Retry-After` past the limit. */
import type { FilterOptions, FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** A counter of requests, such as any limiter of the package `rate-limiter-flexible`. */
export interface RateLimiter {
  /** Counts one request of `key`. Past the limit it rejects with the milliseconds until the next one is allowed. */
  consume(key: string): Promise<unknown>
}

/** Options of `rateLimit`; without `only` and `except` it applies to every route. */
export interface RateLimitOptions extends FilterOptions {
  readonly limiter: RateLimiter
  /** Requests with the same key count together; default: the client's address. */
  readonly key?: (ctx: FwContext) => string
}

/** The address, for IPv6 its first half: a client can choose the other half anew for each request. */
export function clientKey(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  const filled = [...groups, ...Array<string>(Math.max(0, missing)).fill('0')]
  return filled
    .concat(tail?.split(':') ?? [])
    .slice(0, 4)
    .join(':')
}

/** Past its limit a limiter rejects with a plain object; an `Error` means that its store failed. */
function toRefusal({ response }: FwContext, rejection: unknown): HttpError {
  if (rejection instanceof Error) {
    return new HttpError(503, 'feature.limiter-unavailable', 'Requests cannot be counted.', {
      cause: rejection,
    })
  }
  const { msBeforeNext = 1000 } = (rejection ?? {}) as { readonly msBeforeNext?: number }
  response.headers.set('Retry-After', Math.max(1, Math.ceil(msBeforeNext / 1000)))
  return new HttpError(429, 'feature.rate-limited', 'Too many requests: try again later.')
}

/**
 * `mix(FwController, rateLimit({ limiter: new RateLimiterMemory({ points: 10, duration: 60 }), only: ['login'] }))`.
 * When the limiter's store fails the response is 503, unless the limiter has an insurance limiter.
 */
export function rateLimit({
  limiter,
  key = ({ request }) => clientKey(request.remoteAddress),
  ...routes
}: RateLimitOptions): FilterTrait {
  return filterTrait('rateLimit', (own) =>
    own.add(
      'before',
      async function countRequest(_controller, ctx) {
        try {
          await limiter.consume(key(ctx))
        } catch (rejection) {
          throw toRefusal(ctx, rejection)
        }
      },
      routes,
    ),
  )
}
