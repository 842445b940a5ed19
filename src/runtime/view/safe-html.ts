/** HTML that is printed without escaping, and `unescape`, the only way to create it. */

/** Trusted HTML. Templates print it unescaped in HTML text, and escape its quotes in attributes. */
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
 * Declares that `html` needs no escaping. An application creates trusted markup only by this function, so a review can
 * search for its name.
 *
 * @spec View helper › csrfMetaTags
 */
export function unescape(html: string | SafeHtml): SafeHtml {
  return html instanceof SafeHtml ? html : new SafeHtml(html)
}
