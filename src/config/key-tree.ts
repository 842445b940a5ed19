/** What a nested key file holds: sections, lists and texts, each knowing where it was written. */

/** A place in a file; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A single value. `text` is what was written; `undefined` stands for an empty value, which counts as absent. */
export interface Leaf {
  readonly kind: 'leaf'
  readonly text: string | undefined
  /** The text as YAML understands it: `8080` is a number, `"8080"` a string. */
  readonly value: string | number | boolean | undefined
  readonly origin: Origin
}

/** A list of entries. */
export interface List {
  readonly kind: 'list'
  readonly items: readonly Entry[]
  readonly origin: Origin
}

/** Entries by name; a name never holds a dot. */
export interface Section {
  readonly kind: 'section'
  readonly entries: ReadonlyMap<string, Entry>
  readonly origin: Origin
}

/** Anything that can stand under a key. */
export type Entry = Leaf | List | Section

/** A section without entries, said to stand in `file`. */
export function emptySection(file: string): Section {
  return { kind: 'section', entries: new Map(), origin: { file, line: 1, column: 1 } }
}

/** True when the entry holds something: an empty value counts as absent. */
export function isPresent(entry: Entry | undefined): entry is Entry {
  return entry !== undefined && !(entry.kind === 'leaf' && entry.text === undefined)
}

/** The entry under a dotted key; absent and empty entries are `undefined`. */
export function findEntry(section: Section, key: string): Entry | undefined {
  let entry: Entry | undefined = section
  for (const name of key.split('.')) {
    if (entry?.kind !== 'section') return undefined
    entry = entry.entries.get(name)
  }
  return isPresent(entry) ? entry : undefined
}

/** Both sections in one; where both say something, `upper` wins, and sections inside are laid over each other alike. */
export function overlay(lower: Section, upper: Section): Section {
  const entries = new Map(lower.entries)
  for (const [name, entry] of upper.entries) {
    const below = entries.get(name)
    const both = below?.kind === 'section' && entry.kind === 'section'
    entries.set(name, both ? overlay(below, entry) : entry)
  }
  return { kind: 'section', entries, origin: upper.origin }
}

/** Every leaf that holds something under its dotted key; items of a list count from 0. */
export function* leavesOf(entry: Entry, key = ''): Generator<readonly [string, Leaf]> {
  if (entry.kind === 'leaf') {
    if (entry.text !== undefined) yield [key, entry]
    return
  }
  const members = entry.kind === 'list' ? entry.items.entries() : entry.entries
  for (const [name, member] of members) {
    yield* leavesOf(member, key === '' ? String(name) : `${key}.${name}`)
  }
}

/** The entry as plain values; maps have no prototype. */
export function plainValue(entry: Entry): unknown {
  if (entry.kind === 'leaf') return entry.value
  if (entry.kind === 'list') return entry.items.map(plainValue)
  const values: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entry.entries) values[name] = plainValue(member)
  return values
}
