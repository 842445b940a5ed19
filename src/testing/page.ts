/** What a test reads of a response. */
import { type HTMLElement, parse } from 'node-html-parser'

/** An answer, its body already read. */
export class Page {
  readonly status: number
  readonly headers: Headers
  /** The body as text. */
  readonly body: string
  readonly bytes: Uint8Array
  #document: HTMLElement | undefined

  constructor(response: Response, bytes: Uint8Array) {
    this.status = response.status
    this.headers = response.headers
    this.bytes = bytes
    this.body = new TextDecoder().decode(bytes)
  }

  /** Where a redirect leads. */
  get location(): string | undefined {
    return this.headers.get('location') ?? undefined
  }

  /** The body as JSON. */
  // What a test expects there is the test's own knowledge.
  // oxlint-disable-next-line typescript/no-explicit-any
  json(): any {
    return JSON.parse(this.body)
  }

  /** The text of the first element that a CSS selector finds, blanks folded; `undefined` when there is none. */
  html(selector: string): string | undefined {
    return this.all(selector)[0]
  }

  /** The texts of all elements that a CSS selector finds. */
  all(selector: string): string[] {
    return this.#parsed
      .querySelectorAll(selector)
      .map((element) => element.text.replace(/\s+/g, ' ').trim())
  }

  /** An attribute of the first element that a CSS selector finds. */
  attribute(selector: string, name: string): string | undefined {
    return this.#parsed.querySelector(selector)?.getAttribute(name)
  }

  get #parsed(): HTMLElement {
    return (this.#document ??= parse(this.body))
  }
}
