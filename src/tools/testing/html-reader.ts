/** Reads texts and attributes of HTML by CSS selectors. */
import { type HTMLElement, parse } from 'node-html-parser'

/** HTML that is parsed when it is first read. */
export abstract class HtmlReader {
  #document: HTMLElement | undefined

  /** The HTML. */
  protected abstract get source(): string

  /**
   * Returns the text, with collapsed white space, of the first element that matches a CSS selector; `undefined` without a
   * match.
   */
  html(selector: string): string | undefined {
    return this.all(selector)[0]
  }

  /** Returns the texts of all elements that match a CSS selector. */
  all(selector: string): string[] {
    return this.#parsed
      .querySelectorAll(selector)
      .map((element) => element.text.replace(/\s+/g, ' ').trim())
  }

  /** Returns an attribute of the first element that matches a CSS selector; `undefined` without a match. */
  attribute(selector: string, name: string): string | undefined {
    return this.#parsed.querySelector(selector)?.getAttribute(name)
  }

  get #parsed(): HTMLElement {
    return (this.#document ??= parse(this.source))
  }
}
