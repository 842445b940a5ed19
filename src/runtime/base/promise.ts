/** Work that returns a value or a promise: synchronous code paths await only promises. */

/** A value, or a promise for it. */
export type MaybePromise<T> = T | Promise<T>

/** True for an object with a method `then`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<T>).then === 'function'
  )
}

/**
 * Runs `work` and returns its result. Calls `onEnd` when `work` has returned or thrown, or when its promise has settled. Calls
 * `then` only once, because each `then` of a lazy query runs the query.
 */
export function runWithEnd<T>(work: () => T, onEnd: (error?: unknown) => void): T {
  let result: T
  try {
    result = work()
  } catch (error) {
    onEnd(error)
    throw error
  }
  if (!isPromise(result)) {
    onEnd()
    return result
  }
  return result.then(
    (value) => {
      onEnd()
      return value
    },
    (error: unknown) => {
      onEnd(error)
      throw error
    },
  ) as T
}
