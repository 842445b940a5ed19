/** PostgreSQL's array literal `{a,"b c",NULL}` to an array and back; nested arrays included. */

/** A missing element is `null`: an array has no other way to say so. */
export function parseArray(text: string, decode: (element: string) => unknown): unknown[] {
  const start = text.indexOf('{') // a literal with own bounds begins '[2:3]='
  return new ArrayReader(text, start + 1, decode).array()
}

class ArrayReader {
  readonly #text: string
  readonly #decode: (element: string) => unknown
  #at: number

  constructor(text: string, at: number, decode: (element: string) => unknown) {
    this.#text = text
    this.#at = at
    this.#decode = decode
  }

  array(): unknown[] {
    const elements: unknown[] = []
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]
      if (char === '}') {
        this.#at++
        return elements
      }
      if (char === ',') this.#at++
      else elements.push(this.#element(char))
    }
    return elements
  }

  #element(char: string | undefined): unknown {
    if (char === '{') {
      this.#at++
      return this.array()
    }
    if (char === '"') return this.#decode(this.#quoted())
    const bare = this.#bare()
    return bare === 'NULL' ? null : this.#decode(bare)
  }

  #bare(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !',}'.includes(this.#text[this.#at]!)) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #quoted(): string {
    let value = ''
    for (this.#at++; this.#text[this.#at] !== '"' && this.#at < this.#text.length; this.#at++) {
      if (this.#text[this.#at] === '\\') this.#at++
      value += this.#text[this.#at]
    }
    this.#at++
    return value
  }
}

/** `encode` gives an element's text, or null for NULL. */
export function formatArray(
  elements: readonly unknown[],
  encode: (element: unknown) => string | null,
): string {
  const parts = elements.map((element) => {
    if (Array.isArray(element)) return formatArray(element, encode)
    const text = encode(element)
    return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`
  })
  return `{${parts.join(',')}}`
}
