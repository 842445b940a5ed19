/** Limits how often a client may ask: 429 and `Retry-After` past it. */
import type { FwContext } from '../action.ts'
import { HttpError } from '../base.ts'

/** Counts; any limiter of the package `rate-limiter-flexible` is one, whatever its store. */
export interface RateLimiter {
  /** Counts one request of `key`; past the limit it rejects with the milliseconds until the next is allowed. */
  consume(key: string): Promise<unknown>
}

/** What a limit may be told. */
export interface RateLimitOptions {
  /** Whose requests count together; the client's address unless given. */
  readonly key?: (ctx: FwContext) => string
}

/**
 * The address, for IPv6 its first half: a client has the other half to itself and could take a new one for each request.
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

/** What a limiter rejects with past its limit is no error; an error means that its store failed. */
function refusalOf({ response }: FwContext, rejection: unknown): HttpError {
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
 * A filter: `this.before({ only: ['login'] }, rateLimit(new RateLimiterMemory({ points: 10, duration: 60 })))`. A limiter
 * whose store fails refuses with 503, unless it was given an insurance.
 */
export function rateLimit(
  limiter: RateLimiter,
  { key = ({ request }) => clientKey(request.remoteAddress) }: RateLimitOptions = {},
): (controller: unknown, ctx: FwContext) => Promise<void> {
  return async (_controller, ctx) => {
    try {
      await limiter.consume(key(ctx))
    } catch (rejection) {
      throw refusalOf(ctx, rejection)
    }
  }
}
