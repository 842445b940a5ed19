/** `PrefixTable`: finds values by the mount paths that contain a path. */
import type { RequestPath } from '../http.ts'

/** An immutable map from a decoded path prefix without trailing slash (`''` for the root) to a value. */
export class PrefixTable<T> {
  readonly #values: ReadonlyMap<string, T>
  readonly #longest: number

  constructor(values: Iterable<readonly [prefix: string, value: T]>) {
    this.#values = new Map(values)
    this.#longest = Math.max(0, ...[...this.#values.keys()].map(({ length }) => length))
  }

  /** Returns the first result of `select` that is not undefined; the value of the longest prefix comes first. */
  find<R>({ key }: RequestPath, select: (value: T) => R | undefined): R | undefined {
    let end = key.length
    while (end >= 0) {
      // Only prefixes that a value can have are looked up, so that a path with many slashes costs no more than others.
      const value = end <= this.#longest ? this.#values.get(key.slice(0, end)) : undefined
      const found = value === undefined ? undefined : select(value)
      if (found !== undefined) return found
      end = end === 0 ? -1 : Math.max(0, key.lastIndexOf('/', Math.min(end - 1, this.#longest)))
    }
    return undefined
  }
}
