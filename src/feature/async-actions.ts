/** Gives a controller the helpers of actions that wait for several things at once. */
import {
  awaitFutures,
  type ControllerClass,
  type Ctor,
  type FwContext,
  type FwRequest,
  type Settled,
} from '../action.ts'

/** What `AsyncActions` adds. */
export interface HasAsyncActions {
  /** Runs `work` with the request at hand; its promise is the result. @spec Async helpers */
  futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T>
  /** As `futureWithRequest`, with the whole context. @spec Async helpers */
  futureWithContext<T>(work: (ctx: FwContext) => T | PromiseLike<T>): Promise<T>
  /**
   * The values of all futures in their order, within `millis` milliseconds.
   * @throws HttpError 504 `action.futures-late`
   * @spec Async helpers
   */
  awaitFutures<const F extends readonly unknown[]>(
    millis: number,
    ...futures: F
  ): Promise<Settled<F>>
}

/** @spec Async helpers */
export const AsyncActions = <B extends ControllerClass>(Base: B): B & Ctor<HasAsyncActions> => {
  abstract class AsyncActions extends Base implements HasAsyncActions {
    futureWithRequest<T>(work: (request: FwRequest) => T | PromiseLike<T>): Promise<T> {
      return this.ctx.futureWithRequest(work)
    }

    futureWithContext<T>(work: (ctx: FwContext) => T | PromiseLike<T>): Promise<T> {
      return Promise.resolve(this.ctx).then(work)
    }

    awaitFutures<const F extends readonly unknown[]>(
      millis: number,
      ...futures: F
    ): Promise<Settled<F>> {
      return awaitFutures(millis, ...futures)
    }
  }
  return AsyncActions
}
