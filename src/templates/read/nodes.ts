/** Declares the nodes of a template. Their positions are offsets in its source. */

interface Span {
  readonly pos: number
  readonly end: number
}

/**
 * Static text. `text` is what the template prints: an unchanged part of the source, from position `textPos` on. `pos`
 * includes a backslash that is not printed.
 */
export interface TextNode extends Span {
  readonly kind: 'text'
  text: string
  textPos: number
}

/** An expression: `${…}`, `<%= … %>`, or `<%== … %>`, which prints without escaping (`raw`). */
export interface OutputNode extends Span {
  readonly kind: 'output'
  readonly code: Code
  readonly raw: boolean
}

/** Statements: `<% … %>`. */
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

/** A directive such as `#if (…)` or `#end`. */
export interface DirectiveNode extends Span {
  readonly kind: 'directive'
  readonly name: DirectiveName
  /** The code in the directive's parentheses. */
  readonly code: Code | undefined
}

/** The declaration of a value: `<%@val name: Type = fallback %>`. */
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

/** The import of a name: `<%@import type { Name } from 'module' %>`. */
export interface ImportNode extends Span {
  readonly kind: 'import'
  readonly text: string
  readonly textPos: number
}

/** The include of a partial: `<%@include 'path' { values } %>`. */
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

/** A node that prints. */
export type PrintingNode = TextNode | OutputNode | IncludeNode

/** A node of a template; the nodes in order make up the whole template. */
export type TemplateNode =
  | PrintingNode
  | CodeNode
  | DirectiveNode
  | ValueNode
  | ImportNode
  | CommentNode

/** A bracket in the code of one tag whose counterpart is in another tag. */
export interface Bracket {
  readonly char: string
  readonly pos: number
  /** The token before an opening bracket: `if` for `if (…) {`, `=>`, `forEach` for `.forEach(`, or `''`. */
  readonly head: string
}

/** The TypeScript code in one tag, expression or directive, as `scanCode` returns it. */
export interface Code {
  readonly start: number
  /** The end of the code: the position of its terminator. */
  readonly end: number
  /** The end of the code without a line comment at its end. */
  readonly codeEnd: number
  /** The position after the terminator, which is `%>`, `}` or `)`. */
  readonly next: number
  readonly open: readonly Bracket[]
  readonly close: readonly Bracket[]
  /** The position after the last bracket in `close`; the start of the code if `close` is empty. */
  readonly rest: number
  /** All identifiers and keywords in the code, except the names of members. */
  readonly names: ReadonlySet<string>
  /** The positions of the commas outside all brackets. */
  readonly commas: readonly number[]
  /** The positions of the last pair of brackets in the code that is not inside other brackets. */
  readonly lastGroup: { readonly open: number; readonly close: number } | undefined
}
