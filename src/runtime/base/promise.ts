/** `isPromise`: distinguishes promises from values, so that synchronous code paths await only promises. */

/** True for an object with a method `then`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<T>).then === 'function'
  )
}
