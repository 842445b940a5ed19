/** `ParamSource`: all texts of each key of a request. Combines several sources, and offers them as `MultiParams`. */
import { toOtherCase } from './case.ts'
import type { ParamType } from './param-type.ts'

/** Every text that a client sent under a key, in order; `undefined` for an absent key. A `Map<string, string[]>` is a source. */
export interface ParamSource {
  get(key: string): readonly string[] | undefined
  keys(): Iterable<string>
  /**
   * The JSON value of `key` with its type, `null` included; without a key, the object that contains all members.
   * `undefined` for a key that is absent, or that is a text of the path, the query or a form.
   */
  json?(key?: string): unknown
  /** Throws if the request has a body that neither a feature nor the action has read. */
  rejectUnread?(): void
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

  json(key?: string): unknown {
    if (key !== undefined) return this.#own.has(key) ? undefined : this.#base.json?.(key)
    const members = this.#base.json?.()
    if (!isMembers(members)) return undefined
    return Object.fromEntries(Object.entries(members).filter(([name]) => !this.#own.has(name)))
  }

  rejectUnread(): void {
    this.#base.rejectUnread?.()
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

const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The keys that begin with a prefix, without it. */
export class NestedSource implements ParamSource {
  readonly #base: ParamSource
  readonly #name: string

  constructor(base: ParamSource, name: string) {
    this.#base = base
    const isSent = (key: string) => {
      if (base.json?.(key) !== undefined) return true
      for (const known of base.keys()) if (known.startsWith(`${key}.`)) return true
      return false
    }
    const other = toOtherCase(name)
    this.#name = other === undefined || isSent(name) || !isSent(other) ? name : other
  }

  get(key: string): readonly string[] | undefined {
    return this.#base.get(`${this.#name}.${key}`)
  }

  *keys(): Iterable<string> {
    const prefix = `${this.#name}.`
    for (const key of this.#base.keys()) if (key.startsWith(prefix)) yield key.slice(prefix.length)
  }

  json(key?: string): unknown {
    return this.#base.json?.(key === undefined ? this.#name : `${this.#name}.${key}`)
  }

  rejectUnread(): void {
    this.#base.rejectUnread?.()
  }

  /** Whether a member was sent; a JSON object without members counts. */
  get isSent(): boolean {
    for (const _key of this.keys()) return true
    return isMembers(this.json())
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

  json(key?: string): unknown {
    if (key === undefined) return this.#form?.json?.()
    const isText = this.#path.get(key) !== undefined || this.#query.get(key) !== undefined
    return isText ? undefined : this.#form?.json?.(key)
  }

  rejectUnread(): void {
    this.#form?.rejectUnread?.()
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

/**
 * The texts of `key`, otherwise of `key[]`, otherwise of the key in snake case for camel case and the reverse. A key with
 * an empty list is absent.
 */
export function textsOf(source: ParamSource, key: string): readonly string[] | undefined {
  let texts = source.get(key) ?? source.get(key + '[]')
  if (texts === undefined) {
    const other = toOtherCase(key)
    if (other !== undefined) texts = source.get(other) ?? source.get(other + '[]')
  }
  return texts === undefined || texts.length === 0 ? undefined : texts
}

/** The JSON value of `key`, otherwise of the key in the other case; `undefined` if it is absent or was sent as text. */
export function jsonOf(source: ParamSource, key: string): unknown {
  const value = source.json?.(key)
  if (value !== undefined || source.json === undefined || source.get(key) !== undefined)
    return value
  const other = toOtherCase(key)
  return other === undefined ? undefined : source.json(other)
}

/** Whether `key` was sent, also as an empty list or an object. */
export const isSent = (source: ParamSource, key: string): boolean =>
  textsOf(source, key) !== undefined || jsonOf(source, key) !== undefined

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
    return isSent(this.source, key)
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
