/** HTML that is printed as it is, and the one door through which text becomes such HTML. */

/** Text that is HTML already. Templates print it unescaped in HTML text, and with its quotes escaped in attributes. */
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
 * Declares that `html` needs no escaping. Every place where an application vouches for markup goes through here,
 * so a review greps for this name.
 *
 * @spec View helper › csrfMetaTags
 */
export function unescape(html: string | SafeHtml): SafeHtml {
  return html instanceof SafeHtml ? html : new SafeHtml(html)
}
