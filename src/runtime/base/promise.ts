/** `isPromise`: synchronous code paths await only promises. */

/** Whether `value` has a callable `then`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<T>).then === 'function'
  )
}
