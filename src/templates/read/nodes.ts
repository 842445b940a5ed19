/** The nodes of a template, in order; positions are offsets in its source. */

interface Span {
  readonly pos: number
  readonly end: number
}

/** `text` is the output. It is as long as its source, except for the backslash of a literal, which precedes `pos`. */
export interface TextNode extends Span {
  readonly kind: 'text'
  text: string
  textPos: number
}

/** `${…}`, `<%= … %>` or `<%== … %>` */
export interface OutputNode extends Span {
  readonly kind: 'output'
  readonly code: Code
  readonly raw: boolean
}

export interface CodeNode extends Span {
  readonly kind: 'code'
  readonly code: Code
}

export type DirectiveName =
  | 'if'
  | 'elseif'
  | 'else'
  | 'for'
  | 'match'
  | 'case'
  | 'otherwise'
  | 'set'
  | 'do'
  | 'end'

/** `#if (…)`, `#end` and so on. */
export interface DirectiveNode extends Span {
  readonly kind: 'directive'
  readonly name: DirectiveName
  /** The code in the parentheses. */
  readonly code: Code | undefined
}

/** `<%@val … %>` */
export interface ValueNode extends Span {
  readonly kind: 'value'
  readonly name: string
  readonly namePos: number
  readonly type: string
  readonly typePos: number
  readonly fallback:
    | { readonly text: string; readonly pos: number; readonly names: ReadonlySet<string> }
    | undefined
}

/** `<%@import … %>` */
export interface ImportNode extends Span {
  readonly kind: 'import'
  readonly text: string
  readonly textPos: number
}

/** `<%@include … %>` */
export interface IncludeNode extends Span {
  readonly kind: 'include'
  readonly path: string
  readonly pathPos: number
  readonly values:
    | { readonly start: number; readonly end: number; readonly names: ReadonlySet<string> }
    | undefined
}

export interface CommentNode extends Span {
  readonly kind: 'comment'
}

/** One piece of a template. */
export type TemplateNode =
  | TextNode
  | OutputNode
  | CodeNode
  | DirectiveNode
  | ValueNode
  | ImportNode
  | IncludeNode
  | CommentNode

/** A bracket that the piece leaves open, or that closes one from an earlier tag. */
export interface Bracket {
  readonly char: string
  readonly pos: number
  /** The token before an opening bracket: `if` for `if (…) {`, `=>`, `forEach` for `.forEach(`, or ``. */
  readonly head: string
}

/** A scanned piece of code. */
export interface Code {
  readonly start: number
  /** The end of the code, before its terminator. */
  readonly end: number
  /** The end of the code without a trailing line comment. */
  readonly codeEnd: number
  /** The position after the terminator. */
  readonly next: number
  readonly open: readonly Bracket[]
  readonly close: readonly Bracket[]
  /** The position after the last bracket in `close`. */
  readonly rest: number
  /** All identifiers except member names; includes keywords. */
  readonly names: ReadonlySet<string>
  /** The commas outside all brackets. */
  readonly commas: readonly number[]
  /** The last top-level pair of brackets that is opened and closed in the code. */
  readonly lastGroup: { readonly open: number; readonly close: number } | undefined
}
