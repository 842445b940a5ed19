/** MultiParams: every text of each key. */
import type { ParamType } from './param-type.ts'
import { type ParamSource, textsOf } from './source.ts'

const none: readonly string[] = Object.freeze([])

/** An immutable view of all values of each key. @spec Parameter access › multiParams */
export class MultiParams {
  readonly source: ParamSource

  constructor(source: ParamSource) {
    this.source = source
  }

  /**
   * What each `*`, or each group of a regular expression, matched: `''` for a group that took no part; empty when the
   * route has none.
   */
  get(key: 'splat' | 'captures'): readonly string[]
  /** Every text of `key`, else of `key[]`; `undefined` when there is none. */
  get(key: string): readonly string[] | undefined
  get(key: string): readonly string[] | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined && (key === 'splat' || key === 'captures') ? none : texts
  }

  /** Every text of `key` that converts, the others dropped; `undefined` when the key is absent. */
  getAs<T>(key: string, type: ParamType<T>): readonly T[] | undefined {
    const texts = textsOf(this.source, key)
    if (texts === undefined) return undefined
    const values: T[] = []
    for (const text of texts) {
      const value = type.parse(text)
      if (value !== undefined) values.push(value)
    }
    return values
  }

  /** Whether `key` or `key[]` was sent. */
  has(key: string): boolean {
    return textsOf(this.source, key) !== undefined
  }

  /** The keys as they were sent, `k[]` with its brackets. */
  keys(): Iterable<string> {
    return this.source.keys()
  }

  /** Every text of each key. */
  toMap(): Map<string, readonly string[]> {
    const map = new Map<string, readonly string[]>()
    for (const key of this.source.keys()) map.set(key, this.source.get(key) ?? none)
    return map
  }
}
