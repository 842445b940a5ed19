/** The text that lists an application's routes. */
import { textOf } from './route.ts'
import type { TableEntry } from './table-entry.ts'

type Listed = Pick<TableEntry<unknown>, 'method' | 'matcher' | 'hasCondition'>

/**
 * One line for each route, `METHOD<TAB>pattern`, each ended by a newline: without mount paths and
 * repetitions, sorted by pattern, then by method. A condition shows as `[Boolean Guard]`, a regular
 * expression by its source.
 */
export function listRoutes(entries: readonly Listed[]): string {
  const rows = entries.map((entry) => [matchersOf(entry), entry.method] as const)
  const lines = rows.sort(byText).map(([matchers, method]) => `${method}\t${matchers}\n`)
  return [...new Set(lines)].join('')
}

function matchersOf({ matcher, hasCondition }: Listed): string {
  const text = textOf(matcher)
  if (!hasCondition) return text
  return text === '' ? '[Boolean Guard]' : `${text} [Boolean Guard]`
}

function byText(one: readonly [string, string], other: readonly [string, string]): number {
  if (one[0] !== other[0]) return one[0] < other[0] ? -1 : 1
  return one[1] < other[1] ? -1 : 1
}
