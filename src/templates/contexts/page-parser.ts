/**
 * Extends parse5's parser by access to the tokenizer's state, the open elements and the unfinished tag at any point of
 * the text.
 */
import { html, Parser, Token } from 'parse5'
import type { PolicyUse } from './policy-uses.ts'

/** An error in static text. `offset` is a position in the text of the branch path. */
export class PageError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** The private fields of parse5's tokenizer that the compiler reads. */
interface TokenizerFields {
  readonly state: number
  readonly returnState: number
  readonly currentToken: Token.TagToken | null
  readonly currentAttr: Token.Attribute
  readonly preprocessor: {
    readonly html: string
    readonly pos: number
    readonly droppedBufferSize: number
  }
  _flushRun(text: string): void
}

/**
 * Returns parse5's number of the tokenizer state after `text`. Parses an example text, because parse5 does not export
 * the names of its states.
 */
function stateAfter(text: string): number {
  const parser = new Parser()
  parser.tokenizer.write(text, false)
  return parser.tokenizer.state
}

/** The names of the tokenizer's states. Each has examples, separated by `|`: texts after which this is the state. */
const examples = {
  text: '<p>',
  rcdata: '<title>a',
  rawtext: '<style>a',
  script: '<script>a|<script><',
  'hidden script': '<script><!--|<script><!-- |<script><!-- -|<script><!-- <|<script><!-- <script>',
  unfinished: '<title><|<title></|<title></t|<style><|<style></|<style></s|<script></|<script></s',
  'tag name': '<|</|<a',
  tag: '<a |<a b |<a b="c"|<a /',
  'attribute name': '<a b c',
  'before value': '<a b=',
  double: '<a b="',
  single: "<a b='",
  unquoted: '<a b=c',
  reference: '<a b="&',
  comment: '<!|<!--|<!-- |<!-- -|<!-- --|<!-- --!|<!-- <|<!-- <!|<!-- <!-|<!-- <!--|<!---|<? ',
  cdata: '<svg><![CDATA[a|<svg><![CDATA[a]',
}
export type PageState = keyof typeof examples | 'doctype'

const states = new Map(
  Object.entries(examples).flatMap(([name, texts]) =>
    texts.split('|').map((text) => [stateAfter(text), name as PageState] as const),
  ),
)

const { NS } = html

interface OpenElement {
  readonly tagName?: string
  readonly namespaceURI?: string
}

/** Receives the results of parsing. All branch paths of a template report to the same listener. */
export interface PageListener {
  /**
   * Reports an escaper of a marker. Role `only` means that the expression needs no other escaper. An expression in an
   * attribute value gets an `outer` escaper, and an `inner` one when the value is complete (`''` if none is needed).
   * `before` is a text that the template prints before the expression.
   */
  escape(marker: number, role: 'only' | 'outer' | 'inner', escaper: string, before?: string): void
  /** Reports an expression in the value of an attribute that is left out if the whole value is `false`. */
  presence(marker: number, name: string, escaper: string): void
  /** Reports an attribute for which browsers ask the policy. `isDivided` is true if a directive is in its value. */
  policyUse(offset: number, use: PolicyUse, isDivided: boolean): void
  /**
   * Requests that the compiler inserts a nonce, or the closing quote of a value, at `offset` in the text of the branch
   * path.
   */
  insert(offset: number, what: 'nonce' | 'quote'): void
  /** Reports that the template has an element whose content is text in HTML, but markup inside SVG and MathML. */
  rawText(): void
}

/** The functions that the parser calls for each complete tag. */
export interface TagListener {
  onStartTag(token: Token.TagToken): void
  afterStartTag(token: Token.TagToken): void
  onEndTag(token: Token.TagToken): void
}

/**
 * Parses HTML piece by piece. The proof of the escaping does not use this class: it parses whole pages with the public
 * API of parse5.
 */
export class PageParser extends Parser<never> {
  readonly #listener: TagListener

  constructor(scripting: boolean, listener: TagListener) {
    super({ scriptingEnabled: scripting, sourceCodeLocationInfo: true })
    this.#listener = listener
  }

  override onStartTag(token: Token.TagToken): void {
    this.#listener.onStartTag(token)
    super.onStartTag(token)
    this.#listener.afterStartTag(token)
  }

  override onEndTag(token: Token.TagToken): void {
    this.#listener.onEndTag(token)
    super.onEndTag(token)
  }

  get fields(): TokenizerFields {
    return this.tokenizer as unknown as TokenizerFields
  }

  /** The name of the tokenizer's state: the construct that the next character would continue. */
  get state(): PageState {
    return states.get(this.fields.state) ?? 'doctype'
  }

  /** The state. Inside a character reference such as `&amp;`, the state in which the reference began. */
  get valueState(): PageState {
    return this.state === 'reference'
      ? (states.get(this.fields.returnState) ?? 'doctype')
      : this.state
  }

  get isInEndTag(): boolean {
    return this.fields.currentToken?.type === Token.TokenType.END_TAG
  }

  /** The number of characters that the tokenizer has read, without the current one. */
  get offset(): number {
    const { pos, droppedBufferSize } = this.fields.preprocessor
    return droppedBufferSize + pos
  }

  get currentElement(): { readonly name: string; readonly isHtml: boolean } {
    const { tagName = '', namespaceURI } = this.openElements.current as unknown as OpenElement
    return { name: tagName, isHtml: namespaceURI === NS.HTML }
  }

  /** Returns the names of the open elements, outermost first. Elements of SVG and MathML have the prefix `~`. */
  openNames(): string[] {
    const { items, stackTop } = this.openElements as unknown as {
      readonly items: readonly OpenElement[]
      readonly stackTop: number
    }
    return items
      .slice(0, stackTop + 1)
      .map(({ tagName = '', namespaceURI }) => (namespaceURI === NS.HTML ? '' : '~') + tagName)
  }

  /**
   * Returns the innermost open element that is `select` or belongs to SVG or MathML. Browsers parse HTML differently
   * inside these.
   */
  foreignElement(): string | undefined {
    return this.openNames()
      .findLast((name) => name.startsWith('~') || name === 'select')
      ?.replace('~', '')
  }

  /** Returns all fields of the parser that affect the tree that it builds from further text. */
  structure(): unknown {
    const fields = this as unknown as Record<string, unknown>
    return [
      this.openNames(),
      this.#formatting(),
      this.insertionMode,
      this.originalInsertionMode,
      this.tmplInsertionModeStack,
      fields['skipNextNewLine'],
      fields['fosterParentingEnabled'],
      this.headElement !== null,
      this.formElement !== null,
    ]
  }

  #formatting(): string[] {
    interface Entry {
      readonly token?: { readonly tagName: string }
      readonly older: Entry | null
    }
    const names: string[] = []
    const { newest } = this.activeFormattingElements as unknown as {
      readonly newest: Entry | null
    }
    for (let entry = newest; entry !== null; entry = entry.older)
      names.push(entry.token?.tagName ?? '')
    return names
  }
}

/**
 * Returns the offset of the tag, comment or text element, such as a script, that is still open at the end of `text`.
 */
export function unfinishedStart(text: string, scripting: boolean): number {
  const parser = new Parser({ sourceCodeLocationInfo: true, scriptingEnabled: scripting })
  parser.tokenizer.write(text, false)
  const { currentToken } = parser.tokenizer as unknown as TokenizerFields
  if (currentToken?.location) return currentToken.location.startOffset
  const { sourceCodeLocation } = parser.openElements.current as {
    readonly sourceCodeLocation?: { readonly startOffset: number }
  }
  const last = text.lastIndexOf('<')
  return states.get(parser.tokenizer.state) === 'text'
    ? last
    : (sourceCodeLocation?.startOffset ?? last)
}
