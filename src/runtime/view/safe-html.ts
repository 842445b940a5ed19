/** HTML that is printed without escaping. An application can create it only with `unescape`. */

/** Trusted HTML. Templates print it unescaped in HTML text, and escape its quotation marks in attributes. */
export class SafeHtml {
  readonly #html: string

  constructor(html: string) {
    this.#html = html
  }

  toString(): string {
    return this.#html
  }

  toJSON(): string {
    return this.#html
  }
}

/**
 * Marks `html` as HTML that needs no escaping. An application can create trusted markup only with this function, so
 * that a review can search for its name.
 * @spec View helper › csrfMetaTags
 */
export function unescape(html: string | SafeHtml): SafeHtml {
  return html instanceof SafeHtml ? html : new SafeHtml(html)
}
