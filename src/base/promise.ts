/** Tells a promise from a plain value, so that nothing is awaited without need. */

/** True for anything with a callable `then`. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<T>).then === 'function'
  )
}
