/** The place in HTML that a template has reached: what a browser would make of the next character. */
import type { AttributeKind } from './attribute-kinds.ts'

export type HtmlState =
  | 'text'
  | 'tag-open'
  | 'end-tag-open'
  | 'tag-name'
  | 'in-tag'
  | 'attribute-name'
  | 'after-name'
  | 'before-value'
  | 'value'
  | 'markup'
  | 'doctype'
  | 'bogus'
  | 'comment'
  | 'raw'
  /** After branches of which some wrote an attribute: only a blank or the end of the tag may follow. */
  | 'joint'

export type ScriptState =
  | 'code'
  | 'slash'
  | 'double'
  | 'single'
  | 'template'
  | 'regexp'
  | 'regexp-class'
  | 'line'
  | 'block'
  | 'unknown'

export type StyleState = 'code' | 'double' | 'single' | 'comment' | 'url' | 'unknown'

/** Plain data: branches copy it and compare it member by member. */
export interface HtmlContext {
  state: HtmlState
  /** The unfinished tag or attribute name, or the last characters that could begin an end tag or end a comment. */
  buffer: string
  /** The element whose tag or raw text this is. */
  element: string
  closing: boolean
  attribute: string
  kind: AttributeKind
  /** What delimits the value; ` ` for an unquoted one, `+` for one that gets its quotes from the compiler. */
  quote: '' | '"' | "'" | ' ' | '+'
  /** What the raw text or the value consists of. */
  language: '' | 'script' | 'json' | 'style'
  /** Where a URL is: at its start, in what may be its scheme, after its one `/`, before its query, within it; `any` after branches. */
  url: 'start' | 'scheme' | 'root' | 'path' | 'query' | 'any' | 'descriptor'
  /** The characters that may be its scheme; `?` when they depend on values. */
  scheme: string
  script: ScriptState
  /** What a `/` would be: the start of a regular expression, a division, or unknown. */
  slash: 'regexp' | 'divide' | 'ambiguous'
  /** The open brackets of the script, innermost last; `c` is the parenthesis of an `if`, `while`, `for` or `with`. */
  nesting: string
  word: string
  lastWord: string
  escaped: boolean
  /** Why the state of a script or style is unknown: an expression after it is refused with these words. */
  doubt: string
  style: StyleState
  /** True within `url(` before its quotes. */
  inUrl: boolean
  inImport: boolean
  /** True right after `<textarea>` or `<pre>`, where a browser drops one line break. */
  fresh: boolean
  hasSource: boolean
  scriptType: string
  /** True for a `meta` element whose `content` a browser acts on. */
  refreshes: boolean
  /** True for a `meta` element with an expression in its `content`. */
  dynamicContent: boolean
  /** True when a `srcdoc` value holds markup. */
  markup: boolean
}

export function htmlStart(): HtmlContext {
  return {
    state: 'text',
    buffer: '',
    element: '',
    closing: false,
    attribute: '',
    kind: 'plain',
    quote: '',
    language: '',
    url: 'start',
    scheme: '',
    script: 'code',
    slash: 'regexp',
    nesting: '',
    word: '',
    lastWord: '',
    escaped: false,
    doubt: '',
    style: 'code',
    inUrl: false,
    inImport: false,
    fresh: false,
    hasSource: false,
    scriptType: '',
    refreshes: false,
    dynamicContent: false,
    markup: false,
  }
}

/** Forgets all but the state, so that two ways to the same place compare equal. */
export function reset(
  context: HtmlContext,
  state: HtmlState,
  keep: Partial<HtmlContext> = {},
): void {
  Object.assign(context, htmlStart(), { state }, keep)
}

/** Told where the compiler must add to the text, the nonce of a script or a quote around a value, and where a tag begins. */
export type Insert = (at: number, what: 'nonce' | 'quote' | 'tag') => void

/** The mistake of an expression, or of text, in a place that cannot be made safe; `at` counts from the text's start. */
export class ContextError extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** For messages: `in HTML text`, `in the value of 'href'`. */
export function describe(context: HtmlContext): string {
  const { state, attribute, element, language } = context
  if (state === 'text') return 'in HTML text'
  if (state === 'value' || state === 'before-value')
    return `in the value of the attribute '${attribute}'`
  if (state === 'comment' || state === 'bogus' || state === 'markup') return 'in a comment'
  if (state === 'doctype') return 'in the doctype'
  if (state === 'raw')
    return language === '' ? `in <${element}>` : `in the ${language} of <${element}>`
  if (state === 'attribute-name') return `in the attribute name '${context.buffer}'`
  return 'inside a tag'
}
