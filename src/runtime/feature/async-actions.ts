/** `AsyncActions`: helpers for actions that wait for several promises at once. */
import type { ControllerClass, Ctor, FwRequest } from '../action.ts'
import { HttpError, toMilliseconds, type Duration } from '../base.ts'

/** The types of the values of promises, in the same order. */
export type Settled<F extends readonly unknown[]> = { -readonly [K in keyof F]: Awaited<F[K]> }

/** The longest timer of Node in milliseconds; Node runs a longer timer immediately. */
const maxTimerDelay = 2 ** 31 - 1

function timeoutError(millis: number): HttpError {
  return new HttpError(
    504,
    'action.futures-late',
    `awaitFutures timed out after ${millis} milliseconds: raise its limit, or find out what its futures wait for.`,
  )
}

/**
 * Waits for all `futures` and returns their values in the same order. `limit` is the maximum time: milliseconds, or a text such
 * as `5s`. The first rejection rejects at once; later results and rejections are ignored. The futures are not cancelled; pass
 * `ctx.signal` to them to cancel them.
 * @throws HttpError 504 `action.futures-late`, which is handled like any other fault
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
    // `Promise.all` handles the rejection of every future, so a later rejection is not an unhandled one.
    return await Promise.race([Promise.all(futures), timeout])
  } finally {
    clearTimeout(timer)
  }
}

export interface HasAsyncActions {
  /** Calls `work` asynchronously with the request, and returns a promise of its result. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T>
  /** Waits for all `futures` for at most `limit`; see the function `awaitFutures`. @spec Async helpers */
  awaitFutures<const F extends readonly unknown[]>(
    limit: Duration,
    ...futures: F
  ): Promise<Settled<F>>
}

/** The trait with helpers for actions that wait for several promises. @spec Async helpers */
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
