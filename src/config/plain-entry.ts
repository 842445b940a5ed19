/** Builds the tree of a nested key file from plain values. */
import type { Entry, Origin, Section } from './key-tree.ts'
import { overlay } from './key-tree.ts'

const origin: Origin = { file: 'code', line: 1, column: 1 }

function sectionOf(entries: ReadonlyMap<string, Entry>): Section {
  return { kind: 'section', entries, origin }
}

function entryOf(value: unknown): Entry {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(entryOf), origin }
  if (typeof value === 'object' && value !== null) return plainEntry(value)
  if (value === undefined || value === null) {
    return { kind: 'leaf', text: undefined, value: undefined, origin }
  }
  const scalar = typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
  return { kind: 'leaf', text: String(value), value: scalar, origin }
}

/** The section of an object's members; keys with dots nest. */
export function plainEntry(values: object): Section {
  let section = sectionOf(new Map())
  for (const [key, value] of Object.entries(values)) {
    const names = key.split('.').reverse()
    const nested = names.reduce<Entry>(
      (inner, name) => sectionOf(new Map([[name, inner]])),
      entryOf(value),
    )
    if (nested.kind === 'section') section = overlay(section, nested)
  }
  return section
}
