/** `ParamSource`: all texts of each key of a request. Combines several sources, and offers them as `MultiParams`. */
import type { ParamType } from './param-type.ts'

/** Every text that a client sent under a key, in order; `undefined` for an absent key. A `Map<string, string[]>` is a source. */
export interface ParamSource {
  get(key: string): readonly string[] | undefined
  keys(): Iterable<string>
}

/** Replaces keys of another source; an empty list hides a key. */
export class OverlaySource implements ParamSource {
  readonly #own: ReadonlyMap<string, readonly string[]>
  readonly #base: ParamSource

  constructor(own: ReadonlyMap<string, readonly string[]>, base: ParamSource) {
    this.#own = own
    this.#base = base
  }

  get(key: string): readonly string[] | undefined {
    return this.#own.get(key) ?? this.#base.get(key)
  }

  *keys(): Iterable<string> {
    for (const key of this.#base.keys()) if (!this.#own.has(key)) yield key
    for (const [key, texts] of this.#own) if (texts.length > 0) yield key
  }

  /** Merges `entries` into an existing overlay, so that overlays never nest. */
  static over(
    source: ParamSource,
    entries: Iterable<readonly [string, readonly string[]]>,
  ): OverlaySource {
    if (!(source instanceof OverlaySource)) return new OverlaySource(new Map(entries), source)
    return new OverlaySource(new Map([...source.#own, ...entries]), source.#base)
  }
}

class RequestSource implements ParamSource {
  readonly #path: ParamSource
  readonly #query: ParamSource
  readonly #form: ParamSource | undefined

  constructor(path: ParamSource, query: ParamSource, form: ParamSource | undefined) {
    this.#path = path
    this.#query = query
    this.#form = form
  }

  get(key: string): readonly string[] | undefined {
    const path = this.#path.get(key)
    if (path !== undefined) return path
    const query = this.#query.get(key)
    const form = this.#form?.get(key)
    if (query === undefined) return form
    return form === undefined ? query : [...query, ...form]
  }

  keys(): Iterable<string> {
    return new Set([...this.#path.keys(), ...this.#query.keys(), ...(this.#form?.keys() ?? [])])
  }
}

/**
 * The parameters of a request. A path parameter replaces all other values of its key; query values come before form values.
 * @spec Parameter access › params searches both query and path parameters
 */
export function combineSources(
  path: ParamSource,
  query: ParamSource,
  form?: ParamSource,
): ParamSource {
  return new RequestSource(path, query, form)
}

/** The texts of `key`, otherwise of `key[]`; a key with an empty list is absent. */
export function textsOf(source: ParamSource, key: string): readonly string[] | undefined {
  const texts = source.get(key) ?? source.get(key + '[]')
  return texts === undefined || texts.length === 0 ? undefined : texts
}

const noTexts: readonly string[] = Object.freeze([])

/** An immutable view of all values of each key. @spec Parameter access › multiParams */
export class MultiParams {
  readonly source: ParamSource

  constructor(source: ParamSource) {
    this.source = source
  }

  /** The texts that each `*`, or each group of a regular expression, matched: `''` for a group that did not match. */
  get(key: 'splat' | 'captures'): readonly string[]
  /** Every text of `key`, otherwise of `key[]`; `undefined` for an absent key. */
  get(key: string): readonly string[] | undefined
  get(key: string): readonly string[] | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined && (key === 'splat' || key === 'captures') ? noTexts : texts
  }

  /** Every text of `key` that converts; `undefined` for an absent key. */
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

  /** The keys as sent, `k[]` with its brackets. */
  keys(): Iterable<string> {
    return this.source.keys()
  }

  toMap(): Map<string, readonly string[]> {
    const map = new Map<string, readonly string[]>()
    for (const key of this.source.keys()) map.set(key, this.source.get(key) ?? noTexts)
    return map
  }
}
