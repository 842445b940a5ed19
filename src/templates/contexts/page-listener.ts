/** Declares how the parser of a page reports contexts and errors to the compiler. */

/** An error in static text. `offset` is a position in the text of the branch path. */
export class PageError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Receives the results of parsing. All branch paths of a template report to the same listener. */
export interface PageListener {
  /**
   * Reports an escaper of a marker. Role `only` means that the expression needs no other escaper. An expression in an
   * attribute value gets an `outer` escaper, and an `inner` one when the value is complete (`''` if none is needed).
   * `before` is a text that the template prints before the expression.
   */
  escape(marker: number, role: 'only' | 'outer' | 'inner', escaper: string, before?: string): void
  /**
   * Requests that the compiler inserts a nonce, or the closing quote of a value, at `offset` in the text of the branch
   * path.
   */
  insert(offset: number, what: 'nonce' | 'quote'): void
  /** Reports that the template has an element whose content is text in HTML, but markup inside SVG and MathML. */
  rawText(): void
}

/** The kind of a position in HTML, such as `text` or `comment`. All branches of a block must end in the same place. */
export interface PagePlace {
  readonly kind:
    | 'text'
    | 'tag name'
    | 'tag'
    | 'attribute name'
    | 'value'
    | 'opened value'
    | 'comment'
    | 'raw'
    | 'doctype'
  readonly label: string
}
