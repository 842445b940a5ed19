/** Which of two entries of a table is tried first. */
import type { Pattern } from './pattern.ts'
import type { TableEntry } from './table-entry.ts'

/**
 * Sorts by mount order; inside a controller the most specific first; of equally specific ones the
 * conditioned first, then the one declared last. A HEAD route comes before the GET routes of its
 * controller.
 *
 * @spec Endpoints, filters › Route declaration
 */
export function byPrecedence(one: TableEntry<unknown>, other: TableEntry<unknown>): number {
  return (
    one.order - other.order ||
    Number(other.method === 'HEAD') - Number(one.method === 'HEAD') ||
    compareTexts(keyOf(one.matcher), keyOf(other.matcher)) ||
    Number(other.hasCondition) - Number(one.hasCondition) ||
    other.declared - one.declared
  )
}

/**
 * Patterns, whose keys are lower-case letters, then regular expressions, then routes that match
 * everything.
 */
function keyOf(matcher: Pattern | RegExp | undefined): string {
  if (matcher === undefined) return '~~'
  return matcher instanceof RegExp ? '~' : matcher.specificity
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
