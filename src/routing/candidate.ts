/** One way in which a path can match an entry of the table. */
import type { Variant } from './pattern.ts'
import type { TableEntry } from './table-entry.ts'

/**
 * An entry of a pattern with optional groups has several, tried one after another. `rank` says
 * which of all candidates comes first; `last` is the rank of the entry's last one, so that an entry
 * matches once only.
 */
export interface Candidate<T> {
  readonly entry: TableEntry<T>
  /** Absent for a regular expression and for an entry that matches every path. */
  readonly variant: Variant | undefined
  readonly rank: number
  readonly last: number
  /** The length of the prefix under which the entry is mounted. */
  readonly offset: number
}

/** Where candidates are looked for. */
export interface Candidates<T> {
  /** The first by rank that matches the path and comes after a rank. */
  find(key: string, after: number): Candidate<T> | undefined
}

/** The path that an entry sees: what follows its prefix, `/` when nothing does. */
export function subjectOf(candidate: Candidate<unknown>, key: string): string {
  if (candidate.offset === 0) return key
  return key.length === candidate.offset ? '/' : key.slice(candidate.offset)
}
