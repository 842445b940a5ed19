/** `ParamSource`: all texts of each key of a request. Combines several sources, and makes them readable as `MultiParams`. */
import { toOtherCase } from './case.ts'
import { convertAll, isListType, type ParamType } from './param-type.ts'
import { addTimeZone } from './parse-date.ts'
import { clearTexts, type NumberKind, readWritten } from './written-number.ts'

/**
 * A source of parameters: all texts that a client sent for each key, in order, or `undefined` for a missing key. A
 * `Map<string, string[]>` is a source.
 */
export interface ParamSource {
  get(key: string): readonly string[] | undefined
  keys(): Iterable<string>
  /**
   * Returns the typed JSON value of `key`, which may be `null`. Without a key, returns the object that contains all
   * members. Returns `undefined` for a missing key, and for a key from the path, the query or a form, whose values are
   * texts.
   */
  json?(key?: string): unknown
  /**
   * Returns the language in which a person wrote the texts of `key`; `undefined` for the texts of programs, of the path and of the
   * application. The language determines how numbers are read.
   */
  localeOf?(key: string): string | undefined
  /**
   * Returns the time zone in which a person wrote the texts of `key`; `undefined` for the texts of programs, of the path and of the
   * application, which are in UTC.
   */
  zoneOf?(key: string): string | undefined
  /**
   * Whether a body of JSON or XML contains the values, so that a list has items. The text of a form may contain the lines of a
   * list.
   */
  readonly hasItems?: boolean | undefined
  /** Throws if neither a feature nor the action has read the body of the request. */
  rejectUnread?(): void
}

/**
 * The texts of a key, its JSON value if the texts contain JSON, and whether a person wrote them: they were joined from several
 * inputs.
 */
export type OverlayEntry = readonly [
  key: string,
  texts: readonly string[],
  json?: unknown,
  isWritten?: boolean,
]

/** A source that replaces keys of another source. An empty list hides a key. */
export class OverlaySource implements ParamSource {
  readonly #own: ReadonlyMap<string, OverlayEntry>
  readonly #base: ParamSource

  private constructor(own: ReadonlyMap<string, OverlayEntry>, base: ParamSource) {
    this.#own = own
    this.#base = base
  }

  get(key: string): readonly string[] | undefined {
    return this.#own.get(key)?.[1] ?? this.#base.get(key)
  }

  *keys(): Iterable<string> {
    for (const key of this.#base.keys()) if (!this.#own.has(key)) yield key
    for (const [key, texts] of this.#own.values()) if (texts.length > 0) yield key
  }

  json(key?: string): unknown {
    if (key !== undefined) {
      const own = this.#own.get(key)
      return own === undefined ? this.#base.json?.(key) : own[2]
    }
    const members = this.#base.json?.()
    if (!isMembers(members)) return undefined
    return Object.fromEntries(Object.entries(members).filter(([name]) => !this.#own.has(name)))
  }

  localeOf(key: string): string | undefined {
    return this.#own.has(key) ? undefined : this.#base.localeOf?.(key)
  }

  zoneOf(key: string): string | undefined {
    const own = this.#own.get(key)
    return own === undefined || own[3] === true ? this.#base.zoneOf?.(key) : undefined
  }

  get hasItems(): boolean | undefined {
    return this.#base.hasItems
  }

  rejectUnread(): void {
    this.#base.rejectUnread?.()
  }

  /** Adds `entries` to an existing overlay, so that overlays never nest. */
  static over(source: ParamSource, entries: Iterable<OverlayEntry>): OverlaySource {
    const isOverlay = source instanceof OverlaySource
    const own = new Map(isOverlay ? source.#own : [])
    for (const entry of entries) own.set(entry[0], entry)
    return new OverlaySource(own, isOverlay ? source.#base : source)
  }
}

const isMembers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A source of the keys below a prefix, without that prefix: `name` for `user.name`. */
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

  localeOf(key: string): string | undefined {
    return this.#base.localeOf?.(`${this.#name}.${key}`)
  }

  zoneOf(key: string): string | undefined {
    return this.#base.zoneOf?.(`${this.#name}.${key}`)
  }

  get hasItems(): boolean | undefined {
    return this.#base.hasItems
  }

  rejectUnread(): void {
    this.#base.rejectUnread?.()
  }

  /** Returns true if at least one member was sent, or a JSON object without members. */
  get isSent(): boolean {
    for (const _key of this.keys()) return true
    return isMembers(this.json())
  }
}

/** The page on which a person writes parameters. */
interface Page {
  /** The language of the page; `undefined` if a program sends the request. */
  readonly pageLocale: string | undefined
  /** The time zone of the page; `undefined` if a program sends the request. */
  readonly pageTimeZone?: string | undefined
}

class RequestSource implements ParamSource {
  readonly #path: ParamSource
  readonly #query: ParamSource
  readonly #form: ParamSource | undefined
  readonly #page: Page | undefined

  constructor(path: ParamSource, query: ParamSource, form?: ParamSource, page?: Page) {
    this.#path = path
    this.#query = query
    this.#form = form
    this.#page = page
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

  localeOf(key: string): string | undefined {
    return this.#isWritten(key) ? this.#page?.pageLocale : undefined
  }

  zoneOf(key: string): string | undefined {
    return this.#isWritten(key) ? this.#page?.pageTimeZone : undefined
  }

  #isWritten(key: string): boolean {
    return this.#path.get(key) === undefined && this.json(key) === undefined
  }

  get hasItems(): boolean | undefined {
    return this.#form?.hasItems
  }

  rejectUnread(): void {
    this.#form?.rejectUnread?.()
  }
}

/**
 * Combines the parameters of a request. A path parameter replaces all other values of its key; query values precede
 * form values. Numbers are read in the language of `page`.
 * @spec Parameter access › params searches both query and path parameters
 */
export const combineSources = (
  path: ParamSource,
  query: ParamSource,
  form?: ParamSource,
  page?: Page,
): ParamSource => new RequestSource(path, query, form, page)

/**
 * Returns the texts of `key`, otherwise of `key[]`, otherwise of the key in the other case (snake case or camel case).
 * A key with an empty list counts as missing.
 */
export function textsOf(source: ParamSource, key: string): readonly string[] | undefined {
  let texts = source.get(key) ?? source.get(key + '[]')
  if (texts === undefined) {
    const other = toOtherCase(key)
    if (other !== undefined) texts = source.get(other) ?? source.get(other + '[]')
  }
  return texts === undefined || texts.length === 0 ? undefined : texts
}

/**
 * Returns the JSON value of `key`, otherwise of the key in the other case; `undefined` if it is missing or was sent as
 * text.
 */
export function jsonOf(source: ParamSource, key: string): unknown {
  const value = source.json?.(key)
  if (value !== undefined || source.json === undefined || source.get(key) !== undefined)
    return value
  const other = toOtherCase(key)
  return other === undefined ? undefined : source.json(other)
}

/** Returns the name of the key whose texts `textsOf` returns. */
function sentName(source: ParamSource, key: string): string {
  const other = toOtherCase(key)
  const names = other === undefined ? [key, `${key}[]`] : [key, `${key}[]`, other, `${other}[]`]
  return names.find((name) => source.get(name) !== undefined) ?? key
}

/** Returns the language in which a person wrote the texts that `textsOf` returns. */
const localeOf = (source: ParamSource, key: string): string | undefined =>
  source.localeOf?.(sentName(source, key))

/** Returns whether the values of a type, or of its items, are instants. */
export const isInstantType = (type: ParamType<unknown>): boolean =>
  (isListType(type) ? (type.element ?? type) : type).definition?.isInstant === true

/** Returns the text of an instant as types parse it: a text without a time zone gets that in which a person wrote it. */
export function readInstantText(source: ParamSource, key: string, text: string): string {
  const zone = source.zoneOf?.(sentName(source, key))
  return zone === undefined || zone === 'UTC' ? text : addTimeZone(text, zone)
}

/** Returns the kind of a type whose texts are numbers; `undefined` for other types. */
export const numberKind = (type: ParamType<unknown>): NumberKind | undefined =>
  (isListType(type) ? (type.element ?? type) : type).definition?.number

/** A text that no number type parses, in place of a text that can be read in two ways. */
const unclear = '?'

/** Returns the text of a number of `key` as types parse it. A text that can be read in two ways becomes one that no type parses. */
export function readNumberText(
  source: ParamSource,
  key: string,
  text: string,
  kind: NumberKind,
): string {
  if (source.localeOf === undefined || isDigits(text)) return text
  const locale = localeOf(source, key)
  return locale === undefined ? text : (readWritten(text, locale, kind) ?? unclear)
}

const isDigits = (text: string): boolean => /^\d+$/.test(text)

/** Returns the texts of `key` as `type` parses them: numbers of a person without the marks of the language, instants with a zone. */
export function textsFor(
  source: ParamSource,
  key: string,
  type: ParamType<unknown>,
): readonly string[] | undefined {
  const texts = textsOf(source, key)
  if (texts === undefined) return texts
  if (isInstantType(type)) return texts.map((text) => readInstantText(source, key, text))
  if (source.localeOf === undefined) return texts
  const kind = numberKind(type)
  if (kind === undefined || texts.every(isDigits)) return texts
  return texts.map((text) => readNumberText(source, key, text, kind))
}

/**
 * Returns how a person should write the number of `key`, as a list in the language of the page: `1234 or 1,234`. Returns
 * `undefined` if the text is clear or is not a number in any language.
 */
export function numberExamples(
  source: ParamSource,
  key: string,
  kind: NumberKind,
): string | undefined {
  const locale = localeOf(source, key)
  if (locale === undefined) return undefined
  const examples = (textsOf(source, key) ?? []).flatMap((text) => clearTexts(text, locale, kind))
  if (examples.length === 0) return undefined
  return new Intl.ListFormat(locale, { type: 'disjunction' }).format(examples.slice(0, 2))
}

/** Returns true if the client sent `key`, even as an empty list or an object. */
export const isSent = (source: ParamSource, key: string): boolean =>
  textsOf(source, key) !== undefined || jsonOf(source, key) !== undefined

const noTexts: readonly string[] = Object.freeze([])

/** An immutable view of all texts of each key. @spec Parameter access › multiParams */
export class MultiParams {
  readonly source: ParamSource

  constructor(source: ParamSource) {
    this.source = source
  }

  /**
   * Returns the texts that each `*` of the route, or each group of its regular expression, matched. The text of a group
   * without a match is `''`.
   */
  get(key: 'splat' | 'captures'): readonly string[]
  /** Returns all texts of `key`, otherwise of `key[]`; `undefined` for a missing key. */
  get(key: string): readonly string[] | undefined
  get(key: string): readonly string[] | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined && (key === 'splat' || key === 'captures') ? noTexts : texts
  }

  /** Returns those texts of `key` that convert to `type`; `undefined` for a missing key. */
  getAs<T>(key: string, type: ParamType<T>): readonly T[] | undefined {
    const texts = textsFor(this.source, key, type)
    return texts && convertAll(texts, type)
  }

  /** Returns true if the client sent `key` or `key[]`. */
  has(key: string): boolean {
    return isSent(this.source, key)
  }

  /** Returns the keys as sent; `k[]` keeps its brackets. */
  keys(): Iterable<string> {
    return this.source.keys()
  }

  toMap(): Map<string, readonly string[]> {
    const map = new Map<string, readonly string[]>()
    for (const key of this.source.keys()) map.set(key, this.source.get(key) ?? noTexts)
    return map
  }
}
