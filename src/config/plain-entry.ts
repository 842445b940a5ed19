/** Builds the tree of a nested key file from plain values. */
import type { Entry, Origin, Section } from './key-tree.ts'
import { nestLine } from './nest.ts'
import { ConfigurationError } from './problem.ts'

const origin: Origin = { file: 'code', line: 1, column: 1 }

function entryOf(value: unknown): Entry {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(entryOf), origin }
  if (typeof value === 'object' && value !== null) return plainEntry(value)
  if (value === undefined || value === null) {
    return { kind: 'leaf', text: undefined, value: undefined, origin }
  }
  const scalar = typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
  return { kind: 'leaf', text: String(value), value: scalar, origin }
}

/** The section of an object's members; keys with dots nest. @throws `config.invalid` for a key that is given twice */
export function plainEntry(values: object): Section {
  const entries = new Map<string, Entry>()
  for (const [key, value] of Object.entries(values)) {
    const text = nestLine(entries, { key, entry: entryOf(value), place: origin })
    if (text !== undefined) throw new ConfigurationError([{ origin, text }])
  }
  return { kind: 'section', entries, origin }
}
