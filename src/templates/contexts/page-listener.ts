/** The interface through which a page reports contexts and errors. */

/** An error in static text; `offset` is a position in the text of the way. */
export class PageError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Receives the findings of the parser. All ways through a template report to the same listener. */
export interface PageListener {
  /**
   * Reports an escaper of the marker. Role `only`: no other escaper is needed. An attribute value gets an `outer`
   * escaper, and an `inner` one when the value is complete (`` if none is needed). `before` is printed before the
   * expression's value.
   */
  escape(marker: number, role: 'only' | 'outer' | 'inner', escaper: string, before?: string): void
  /** Requests that the compiler writes a nonce, or the quote after a value, at `offset` of the way. */
  insert(offset: number, what: 'nonce' | 'quote'): void
  /** Reports an element whose content is text in HTML, but markup inside SVG and MathML. */
  rawText(): void
}

/** A coarse description of a position in HTML. All branches of a block must end in the same one. */
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
