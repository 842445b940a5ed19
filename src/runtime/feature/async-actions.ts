/** Helpers of actions that wait for several promises at once. */
import type { ControllerClass, Ctor, FwRequest } from '../action.ts'
import { HttpError, toMilliseconds, type Duration } from '../base.ts'

/** The values of promises, in their order. */
export type Settled<F extends readonly unknown[]> = { -readonly [K in keyof F]: Awaited<F[K]> }

/** Node fires a timer with a longer delay at once. */
const maxTimerDelay = 2 ** 31 - 1

function timeoutError(millis: number): HttpError {
  return new HttpError(
    504,
    'action.futures-late',
    `awaitFutures timed out after ${millis} milliseconds: raise its limit, or find out what its futures wait for.`,
  )
}

/**
 * The values of all `futures` in their order, within `limit`: milliseconds, or a text such as `5s`. The first rejection rejects at once; later
 * results and rejections are ignored. The futures are not cancelled: pass `ctx.signal` to them for that.
 * @throws HttpError 504 `action.futures-late`, a fault like any other
 * @spec Async helpers
 */
export async function awaitFutures<const F extends readonly unknown[]>(
  limit: Duration,
  ...futures: F
): Promise<Settled<F>> {
  const millis = toMilliseconds(limit)
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timeoutError(millis)), Math.min(millis, maxTimerDelay))
  })
  try {
    // Promise.all handles the rejection of every future, so that a later one is not an unhandled rejection.
    return await Promise.race([Promise.all(futures), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The members that `AsyncActions` adds. */
export interface HasAsyncActions {
  /** The result of `work`, which gets the request. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T>
  /** See the function `awaitFutures`. @spec Async helpers */
  awaitFutures<const F extends readonly unknown[]>(
    limit: Duration,
    ...futures: F
  ): Promise<Settled<F>>
}

/** @spec Async helpers */
export const AsyncActions = <B extends ControllerClass>(Base: B): B & Ctor<HasAsyncActions> => {
  abstract class AsyncActions extends Base implements HasAsyncActions {
    futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
      return this.ctx.futureWithRequest(work)
    }

    awaitFutures<const F extends readonly unknown[]>(
      limit: Duration,
      ...futures: F
    ): Promise<Settled<F>> {
      return awaitFutures(limit, ...futures)
    }
  }
  return AsyncActions
}
