/** What the table is made from: one route of one mounted controller. */
import type { Pattern } from './pattern.ts'

/** One line of a table; `target` is what a match gives back. */
export interface TableEntry<T> {
  /** In capitals. */
  readonly method: string
  /**
   * Absent: every path matches. A regular expression must have neither `g` nor `y`; a `Route`'s has
   * not.
   */
  readonly matcher: Pattern | RegExp | undefined
  /**
   * Decoded text before all its paths: the context path and the mount path; '' or absent at the
   * root.
   */
  readonly prefix?: string | undefined
  /** Which controller in the order of mounting: the first one whose route matches answers. */
  readonly order: number
  /** Which route in the order of declaration: of equally specific ones the last wins. */
  readonly declared: number
  /**
   * Whether the target is there only if a condition holds: it comes before the same pattern
   * without.
   */
  readonly hasCondition: boolean
  readonly target: T
}
