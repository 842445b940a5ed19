/** The tree of a nested key file: sections, lists and values, each with its source location. */
import { ConfigurationError, type Origin } from './configuration-error.ts'

/** A single value, such as a text or a number. */
export interface Leaf {
  readonly kind: 'leaf'
  /** The text of the file without conversion; `undefined` for an empty value, which counts as absent. */
  readonly text: string | undefined
  /** The value with the type that YAML gives it: `8080` is a number, `"8080"` a string. */
  readonly value: string | number | boolean | undefined
  readonly origin: Origin
}

export interface List {
  readonly kind: 'list'
  readonly items: readonly Entry[]
  readonly origin: Origin
}

/** A group of entries by name; a name never contains a dot. */
export interface Section {
  readonly kind: 'section'
  readonly entries: ReadonlyMap<string, Entry>
  readonly origin: Origin
}

/** The value of a key: a single value, a list or a section. */
export type Entry = Leaf | List | Section

/** A key and its value as they are written in the file: dots in the key do not yet form sections. */
export interface KeyedEntry {
  readonly key: string
  readonly entry: Entry
  readonly origin: Origin
}

export const maxDepth = 32

export function emptySection(file: string): Section {
  return { kind: 'section', entries: new Map(), origin: { file, line: 1, column: 1 } }
}

/** True unless the entry is absent or has an empty value. */
export function isPresent(entry: Entry | undefined): entry is Entry {
  return entry !== undefined && !(entry.kind === 'leaf' && entry.text === undefined)
}

/** Returns the entry under a dotted key; `undefined` if it is absent or empty. */
export function findEntry(section: Section, key: string): Entry | undefined {
  let entry: Entry | undefined = section
  for (const name of key.split('.')) {
    if (entry?.kind !== 'section') return undefined
    entry = entry.entries.get(name)
  }
  return isPresent(entry) ? entry : undefined
}

/** Merges two sections and their nested sections; values of `upper` override those of `lower`. */
export function overlay(lower: Section, upper: Section): Section {
  const entries = new Map(lower.entries)
  for (const [name, entry] of upper.entries) {
    const below = entries.get(name)
    const areSections = below?.kind === 'section' && entry.kind === 'section'
    entries.set(name, areSections ? overlay(below, entry) : entry)
  }
  return { kind: 'section', entries, origin: upper.origin }
}

/** Yields every non-empty value with its dotted key; the items of a list are numbered from 0. */
export function* iterateLeaves(entry: Entry, key = ''): Generator<readonly [string, Leaf]> {
  if (entry.kind === 'leaf') {
    if (entry.text !== undefined) yield [key, entry]
    return
  }
  const members = entry.kind === 'list' ? entry.items.entries() : entry.entries
  for (const [name, member] of members) {
    yield* iterateLeaves(member, key === '' ? String(name) : `${key}.${name}`)
  }
}

/** Converts an entry to plain values; objects have no prototype. */
export function plainValue(entry: Entry): unknown {
  if (entry.kind === 'leaf') return entry.value
  if (entry.kind === 'list') return entry.items.map(plainValue)
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entry.entries) values[name] = plainValue(member)
  return values
}

/** Adds an entry under a dotted key: `a.b: 1` becomes `a: { b: 1 }`. Returns the message of the problem, if there is one. */
export function nestEntry(
  entries: Map<string, Entry>,
  { key, entry, origin }: KeyedEntry,
): string | undefined {
  const names = key.split('.')
  if (names.includes('')) return `the key \`${key}\` has an empty part`
  if (names.length > maxDepth) return 'nested too deeply'
  const nested = names
    .slice(1)
    .reduceRight<Entry>(
      (inner, name) => ({ kind: 'section', entries: new Map([[name, inner]]), origin }),
      entry,
    )
  const duplicate = mergeEntry(entries, names[0]!, nested)
  return duplicate && `the key \`${key}\` was already given on line ${duplicate.origin.line}`
}

/** Adds an entry. Two sections of the same name are merged; for any other duplicate name, returns the existing entry. */
function mergeEntry(entries: Map<string, Entry>, name: string, entry: Entry): Entry | undefined {
  const existing = entries.get(name)
  if (existing === undefined) {
    entries.set(name, entry)
    return undefined
  }
  if (existing.kind !== 'section' || entry.kind !== 'section') return existing
  const merged = new Map(existing.entries)
  entries.set(name, { ...existing, entries: merged })
  for (const [inner, member] of entry.entries) {
    const duplicate = mergeEntry(merged, inner, member)
    if (duplicate !== undefined) return duplicate
  }
  return undefined
}

const codeOrigin: Origin = { file: 'code', line: 1, column: 1 }

function toEntry(value: unknown): Entry {
  const origin = codeOrigin
  if (Array.isArray(value)) return { kind: 'list', items: value.map(toEntry), origin }
  if (typeof value === 'object' && value !== null) return sectionFrom(value)
  if (value === undefined || value === null) {
    return { kind: 'leaf', text: undefined, value: undefined, origin }
  }
  const scalar = typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
  return { kind: 'leaf', text: String(value), value: scalar, origin }
}

/** Converts a plain object with dotted keys to a section. @throws `config.invalid` for a key that is given twice */
export function sectionFrom(values: object): Section {
  const entries = new Map<string, Entry>()
  for (const [key, value] of Object.entries(values)) {
    const text = nestEntry(entries, { key, entry: toEntry(value), origin: codeOrigin })
    if (text !== undefined) throw new ConfigurationError([{ origin: codeOrigin, text }])
  }
  return { kind: 'section', entries, origin: codeOrigin }
}
