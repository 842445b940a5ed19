/** The routes that answer one method. */
import { RequestPath } from '../http.ts'
import type { Candidate } from './candidate.ts'
import type { Match } from './match.ts'
import { normalPrefix } from './prefix.ts'
import { byPrecedence } from './precedence.ts'
import type { TableEntry } from './table-entry.ts'
import { Tree } from './tree.ts'

const longestFixed = 255

export class MethodTable<T> {
  readonly #tree = new Tree<T>()
  /** What wins on each path that a route spells out: found once, here. */
  readonly #fixed = new Map<string, Match<T>>()
  /** 1 at the length of each such path: most other paths need not be looked up. */
  readonly #fixedLengths = new Uint8Array(longestFixed + 1)

  constructor(entries: readonly TableEntry<T>[]) {
    const fixed = new Set<string>()
    let rank = 0
    for (const entry of entries.toSorted(byPrecedence)) {
      const prefix = normalPrefix(entry.prefix)
      for (const candidate of candidatesOf(entry, rank, prefix)) {
        this.#tree.insert(candidate, prefix)
        const text = fixedText(candidate)
        if (text !== undefined) fixed.add(prefix + text)
        rank = candidate.last + 1
      }
    }
    for (const key of fixed) {
      if (key.length > longestFixed) continue
      this.#fixed.set(key, this.#tree.match(new RequestPath(key, key))!)
      this.#fixedLengths[key.length] = 1
    }
  }

  lookup(path: RequestPath): Match<T> | undefined {
    const { key } = path
    const fixed = this.#fixedLengths[key.length] === 1 ? this.#fixed.get(key) : undefined
    return fixed ?? this.#tree.match(path)
  }
}

function candidatesOf<T>(
  entry: TableEntry<T>,
  rank: number,
  prefix: string,
): readonly Candidate<T>[] {
  const offset = prefix.length
  const { matcher } = entry
  if (matcher === undefined || matcher instanceof RegExp) {
    return [{ entry, variant: undefined, rank, last: rank, offset }]
  }
  const last = rank + matcher.variants.length - 1
  return matcher.variants.map((variant, i) => ({ entry, variant, rank: rank + i, last, offset }))
}

function fixedText({ variant }: Candidate<unknown>): string | undefined {
  const [only, more] = variant?.elements ?? []
  return only?.kind === 'text' && !only.optional && more === undefined ? only.text : undefined
}
