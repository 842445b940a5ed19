/** A piece of TypeScript in a template, as far as the compiler looks into it. */

/** A bracket that stays open, or closes what another tag opened. */
export interface Bracket {
  readonly char: string
  readonly pos: number
  /** What stands before an opening one: `if` for `if (…) {`, `=>`, `forEach` for `.forEach(`, `` for nothing. */
  readonly head: string
}

/** A scanned piece of code. */
export interface Code {
  readonly start: number
  /** Where the code ends, without its terminator. */
  readonly end: number
  /** Where it ends without a trailing line comment. */
  readonly codeEnd: number
  /** The position after the terminator. */
  readonly next: number
  readonly open: readonly Bracket[]
  readonly close: readonly Bracket[]
  /** Where the code after the last of `close` begins. */
  readonly rest: number
  /** Identifiers that are not members; keywords among them. */
  readonly names: ReadonlySet<string>
  /** The commas outside all brackets. */
  readonly commas: readonly number[]
  /** The last bracket opened outside all others, closed again within the code. */
  readonly lastGroup: { readonly open: number; readonly close: number } | undefined
}
