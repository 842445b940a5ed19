/** What a template consists of, in order; positions are offsets in its source. */
import type { Code } from './code.ts'

interface Span {
  readonly pos: number
  readonly end: number
}

/** `text` is what is printed; it is as long as its source but for the backslash of a literal, which stands before `pos`. */
export interface TextNode extends Span {
  readonly kind: 'text'
  text: string
  textPos: number
}

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

export interface DirectiveNode extends Span {
  readonly kind: 'directive'
  readonly name: DirectiveName
  /** What stands in the parentheses. */
  readonly code: Code | undefined
}

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

export interface ImportNode extends Span {
  readonly kind: 'import'
  readonly text: string
  readonly textPos: number
}

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

export type TemplateNode =
  | TextNode
  | OutputNode
  | CodeNode
  | DirectiveNode
  | ValueNode
  | ImportNode
  | IncludeNode
  | CommentNode
