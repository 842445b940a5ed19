/** `rateLimit`: limits the number of requests of a client; beyond the limit it responds 429 with `Retry-After`. */
import type { FilterOptions, FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

/** The interface of a limiter, which counts requests. Every limiter of the package `rate-limiter-flexible` implements it. */
export interface RateLimiter {
  /**
   * Counts one request under `key`. Beyond the limit, rejects with an object whose `msBeforeNext` is the time in milliseconds
   * until the next request is allowed.
   */
  consume(key: string): Promise<unknown>
}

/** The options of `rateLimit`. Without `only` and `except`, every route is limited. */
export interface RateLimitOptions extends FilterOptions {
  readonly limiter: RateLimiter
  /** Returns the key under which the request is counted; by default the client's address. */
  readonly key?: (ctx: FwContext) => string
}

/**
 * Returns the key under which `rateLimit` counts a client by default: its address, `request.remoteAddress`. For IPv6 this is the first
 * half (64 bits, such as `2001:db8:0:7`), because a client can change the rest for each request.
 */
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

/** Beyond the limit, a limiter rejects with a plain object; an `Error` means that its store failed. */
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
 * Limits the requests to the chosen routes: `mix(FwController, rateLimit({ limiter: new RateLimiterMemory({ points: 10,
 * duration: 60 }), only: ['login'] }))`. If the limiter's store fails, the response is 503, unless the limiter has an insurance
 * limiter. Prefetches are counted apart, up to the same limit.
 */
export function rateLimit({
  limiter,
  key = keyOfClient,
  ...routes
}: RateLimitOptions): FilterTrait {
  // A prefetch is no visit. Without any count, a script could avoid the limit by the header of a prefetch.
  const keyOf = (ctx: FwContext): string => (ctx.isPrefetch ? `prefetch:${key(ctx)}` : key(ctx))
  return limitRequests((ctx) => limiter.consume(keyOf(ctx)), routes)
}

/** Returns the key of the request's client. */
export const keyOfClient = ({ request }: FwContext): string => clientKey(request.remoteAddress)

/** Limits the requests to the chosen routes by `consume`, which rejects as the method of a limiter does. */
export function limitRequests(
  consume: (ctx: FwContext) => Promise<unknown>,
  routes: FilterOptions,
): FilterTrait {
  async function countRequest(_controller: object, ctx: FwContext): Promise<void> {
    try {
      await consume(ctx)
    } catch (rejection) {
      throw toRefusal(ctx, rejection)
    }
  }
  return filterTrait('rateLimit', (own) => own.add('before', countRequest, routes))
}
