/** Lays entries down under dotted keys: `a.b: 1` is `a: { b: 1 }`. */
import type { Entry, Origin } from './key-tree.ts'

const deepest = 32

/** A key and value as they stand in the file. */
export interface Line {
  readonly key: string
  readonly entry: Entry
  readonly place: Origin
}

/** Adds a line to the entries of a section; gives what is wrong with it, if anything. */
export function nestLine(entries: Map<string, Entry>, line: Line): string | undefined {
  const names = line.key.split('.')
  if (names.includes('')) return `the key \`${line.key}\` has an empty part`
  if (names.length > deepest) return 'nested too deeply'
  const nested = names
    .slice(1)
    .reduceRight<Entry>((inner, name) => sectionOf(name, inner, line.place), line.entry)
  const clash = add(entries, names[0]!, nested)
  return clash && `the key \`${line.key}\` was given on line ${clash.origin.line} already`
}

function sectionOf(name: string, entry: Entry, origin: Origin): Entry {
  return { kind: 'section', entries: new Map([[name, entry]]), origin }
}

/** Sections of one name become one; gives the entry that stands in the way, if anything does. */
function add(entries: Map<string, Entry>, name: string, entry: Entry): Entry | undefined {
  const there = entries.get(name)
  if (there === undefined) {
    entries.set(name, entry)
    return undefined
  }
  if (there.kind !== 'section' || entry.kind !== 'section') return there
  const both = new Map(there.entries)
  entries.set(name, { ...there, entries: both })
  for (const [inner, member] of entry.entries) {
    const clash = add(both, inner, member)
    if (clash !== undefined) return clash
  }
  return undefined
}
