/** The routing table of an application: finds the matching routes of a method and path. */
import { FwError } from '../base.ts'
import { RequestPath } from '../http.ts'
import type { Candidate, Match, TableEntry } from './match.ts'
import type { Pattern } from './pattern.ts'
import { Tree } from './tree.ts'

const usualOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']
const maxFixedLength = 255

/**
 * An immutable table; to change routes, create a new table from its `entries`. The time of a lookup does not depend on
 * the number of patterns. Regular expressions that precede the matching route are tried one by one.
 */
export class RoutingTable<T> {
  readonly entries: readonly TableEntry<T>[]
  readonly #methods = new Map<string, MethodTable<T>>()

  /** @throws FwError `routing.pattern-invalid` for a prefix that does not begin with `/` */
  constructor(entries: readonly TableEntry<T>[]) {
    this.entries = entries
    for (const [method, own] of Map.groupBy(entries, (entry) => entry.method)) {
      this.#methods.set(method, new MethodTable(own))
    }
    this.#serveHead()
  }

  /**
   * Returns the first matching route, by mount order, then by specificity. `Match.next` returns the following routes.
   * GET routes also serve HEAD. The caller evaluates the conditions of routes.
   * @param method in upper case
   * @spec Endpoints, filters › Route declaration
   */
  lookup(method: string, path: RequestPath): Match<T> | undefined {
    return this.#methods.get(method)?.lookup(path)
  }

  /**
   * Returns the methods for the `Allow` header of a path, in the usual order. They are the methods of the matching
   * routes for which `holds` returns true, and OPTIONS. Returns an empty list without such a route.
   */
  allowedMethods(
    path: RequestPath,
    holds: (match: Match<T>) => boolean = () => true,
  ): readonly string[] {
    const methods = new Set<string>()
    for (const [method, table] of this.#methods) {
      let match = table.lookup(path)
      while (match !== undefined && !holds(match)) match = match.next()
      if (match !== undefined) methods.add(method)
    }
    if (methods.size > 0) methods.add('OPTIONS')
    const others = [...methods].filter((method) => !usualOrder.includes(method))
    return [...usualOrder.filter((method) => methods.has(method)), ...others.sort()]
  }

  #serveHead(): void {
    const get = this.#methods.get('GET')
    if (get === undefined) return
    const both = this.entries.filter(({ method }) => method === 'GET' || method === 'HEAD')
    this.#methods.set('HEAD', this.#methods.has('HEAD') ? new MethodTable(both) : get)
  }
}

/** The routes of one method. */
class MethodTable<T> {
  readonly #tree = new Tree<T>()
  /** The match of each path that is the whole literal text of a route, in a map for a fast lookup. */
  readonly #fixed = new Map<string, Match<T>>()
  /** Contains 1 at the length of each key in `#fixed`. A path of another length needs no lookup in that map. */
  readonly #fixedLengths = new Uint8Array(maxFixedLength + 1)

  constructor(entries: readonly TableEntry<T>[]) {
    const fixed = new Set<string>()
    let rank = 0
    for (const entry of entries.toSorted(byPrecedence)) {
      const prefix = normalizePrefix(entry.prefix)
      for (const candidate of createCandidates(entry, rank, prefix)) {
        this.#tree.insert(candidate, prefix)
        const text = fixedText(candidate)
        if (text !== undefined) fixed.add(prefix + text)
        rank = candidate.last + 1
      }
    }
    for (const key of fixed) {
      if (key.length > maxFixedLength) continue
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

function createCandidates<T>(
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

/** Returns the text that the candidate matches if it matches only one text; otherwise undefined. */
function fixedText({ variant }: Candidate<unknown>): string | undefined {
  const [first, second] = variant?.elements ?? []
  return first?.kind === 'text' && !first.optional && second === undefined ? first.text : undefined
}

/**
 * Compares two entries by mount order. Within a controller, HEAD routes precede GET routes, which also serve HEAD. Of
 * other routes, the more specific one is first, then the one with a condition, then the one declared later.
 * @spec Endpoints, filters › Route declaration
 */
export function byPrecedence(one: TableEntry<unknown>, other: TableEntry<unknown>): number {
  return (
    one.order - other.order ||
    Number(other.method === 'HEAD') - Number(one.method === 'HEAD') ||
    compareTexts(specificityKey(one.matcher), specificityKey(other.matcher)) ||
    Number(other.hasCondition) - Number(one.hasCondition) ||
    other.declared - one.declared
  )
}

/** Returns a sort key: patterns (lower-case keys), then regular expressions, then routes that match every path. */
function specificityKey(matcher: Pattern | RegExp | undefined): string {
  if (matcher === undefined) return '~~'
  return matcher instanceof RegExp ? '~' : matcher.specificity
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** Returns a mount path without trailing slashes; '' for the root. @throws FwError `routing.pattern-invalid` */
export function normalizePrefix(prefix = ''): string {
  if (prefix !== '' && !prefix.startsWith('/')) {
    throw new FwError(
      'routing.pattern-invalid',
      `The mount path "${prefix}" must begin with "/", as in "/${prefix}".`,
    )
  }
  let end = prefix.length
  while (prefix[end - 1] === '/') end--
  return prefix.slice(0, end)
}
