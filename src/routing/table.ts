/** One table for the whole application: from method and path to the routes that answer. */
import type { RequestPath } from '../http.ts'
import type { Match } from './match.ts'
import { MethodTable } from './method-table.ts'
import type { TableEntry } from './table-entry.ts'

const usualOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']

/**
 * An immutable table; to add or remove a route, make a new one from its `entries` and use that
 * instead. A lookup costs the same however many routes and controllers there are, except for
 * regular expressions: those that come before the winner are tried one by one.
 */
export class RoutingTable<T> {
  readonly entries: readonly TableEntry<T>[]
  readonly #methods = new Map<string, MethodTable<T>>()

  /** @throws FwError `routing.pattern-invalid` for a prefix that does not begin with `/`. */
  constructor(entries: readonly TableEntry<T>[]) {
    this.entries = entries
    for (const [method, own] of Map.groupBy(entries, (entry) => entry.method)) {
      this.#methods.set(method, new MethodTable(own))
    }
    this.#serveHead()
  }

  /**
   * The first route for a path, by mount order, then by how specific it is; `next` of the match
   * leads on to the others. Conditions are the caller's to ask. GET routes answer HEAD too.
   *
   * @param method in capitals
   * @spec Endpoints, filters › Route declaration
   */
  lookup(method: string, path: RequestPath): Match<T> | undefined {
    return this.#methods.get(method)?.lookup(path)
  }

  /**
   * The methods that some route of any controller answers on a path, in the usual order, for
   * `Allow`; with `OPTIONS` unless there are none. A route that `holds` refuses, as its condition
   * would, does not count.
   */
  allowed(path: RequestPath, holds: (match: Match<T>) => boolean = () => true): readonly string[] {
    const methods = new Set<string>()
    for (const [method, table] of this.#methods) {
      let match = table.lookup(path)
      while (match !== undefined && !holds(match)) match = match.next()
      if (match !== undefined) methods.add(method)
    }
    if (methods.size > 0) methods.add('OPTIONS')
    return [...methods].sort(byUsualOrder)
  }

  #serveHead(): void {
    const get = this.#methods.get('GET')
    if (get === undefined) return
    const both = this.entries.filter(({ method }) => method === 'GET' || method === 'HEAD')
    this.#methods.set('HEAD', this.#methods.has('HEAD') ? new MethodTable(both) : get)
  }
}

function byUsualOrder(one: string, other: string): number {
  return place(one) - place(other) || (one < other ? -1 : 1)
}

function place(method: string): number {
  const at = usualOrder.indexOf(method)
  return at < 0 ? usualOrder.length : at
}
