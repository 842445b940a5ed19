/** The elements of a pattern, and their match with a text in time linear in its length. */

/** An element of a pattern. */
export type Element =
  /** Literal text. Optional text is a single character. */
  | { readonly kind: 'text'; readonly text: string; readonly optional: boolean }
  /** A `:name`. It matches one or more characters of one segment, as many as possible. */
  | { readonly kind: 'name'; readonly name: string; readonly optional: boolean }
  /** A `*`. It matches any characters including slashes, as few as possible. */
  | { readonly kind: 'splat'; readonly optional: boolean }

const slash = 47
const scratchSize = 1 << 16

/** Returns the position of the next slash, or the end of the text. A loop is faster than `indexOf` for short segments. */
export function findSegmentEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && text.charCodeAt(end) !== slash) end += 1
  return end
}

/** Returns true if the elements match the whole `text` after position `from`. */
export function matchesElements(elements: readonly Element[], text: string, from: number): boolean {
  return new Scan(elements, text, from).matches
}

/**
 * Returns the start and end of each name and each `*` in the text, in order. The start of an optional name that did not
 * match is -1. Returns undefined if the elements do not match.
 */
export function captureSpans(
  elements: readonly Element[],
  text: string,
  from: number,
): number[] | undefined {
  const scan = new Scan(elements, text, from)
  return scan.matches ? scan.spans() : undefined
}

/**
 * Matches with dynamic programming over a table with a row for each element and a column for each position. A cell is 1
 * if the elements from its row on match the text from its column on. The rows are filled from last to first.
 */
class Scan {
  static #scratch = new Uint8Array(scratchSize)
  readonly #elements: readonly Element[]
  readonly #text: string
  readonly #from: number
  readonly #width: number
  readonly #cells: Uint8Array

  constructor(elements: readonly Element[], text: string, from: number) {
    this.#elements = elements
    this.#text = text
    this.#from = from
    this.#width = text.length - from + 1
    const size = (elements.length + 1) * this.#width
    this.#cells = size > scratchSize ? new Uint8Array(size) : Scan.#scratch
    this.#fillEnd()
    for (let row = elements.length - 1; row >= 0; row--) this.#fill(row)
  }

  get matches(): boolean {
    return this.#cells[0] === 1
  }

  spans(): number[] {
    const spans: number[] = []
    let at = 0
    for (let row = 0; row < this.#elements.length; row++) {
      const element = this.#elements[row]!
      const next = (row + 1) * this.#width
      if (element.kind === 'text') {
        if (this.#textMatches(element.text, at, next) === 1) at += element.text.length
        continue
      }
      const end =
        element.kind === 'splat' ? this.#shortestEnd(at, next) : this.#longestEnd(at, next)
      spans.push(end < 0 ? -1 : this.#from + at, this.#from + end)
      if (end >= 0) at = end
    }
    return spans
  }

  #fillEnd(): void {
    const last = this.#elements.length * this.#width
    this.#cells.fill(0, last, last + this.#width)
    this.#cells[last + this.#width - 1] = 1
  }

  #fill(row: number): void {
    const element = this.#elements[row]!
    const { kind, optional } = element
    const text = element.kind === 'text' ? element.text : ''
    const cells = this.#cells
    const current = row * this.#width
    const next = current + this.#width
    let matches = 0
    for (let at = this.#width - 1; at >= 0; at--) {
      if (kind === 'splat') matches |= cells[next + at]!
      else if (kind === 'name') matches = this.#inSegment(at) ? matches | cells[next + at + 1]! : 0
      else matches = this.#textMatches(text, at, next)
      cells[current + at] = optional ? matches | cells[next + at]! : matches
    }
  }

  #inSegment(at: number): boolean {
    return at < this.#width - 1 && this.#text.charCodeAt(this.#from + at) !== slash
  }

  #textMatches(literal: string, at: number, next: number): number {
    const end = at + literal.length
    return end < this.#width && this.#text.startsWith(literal, this.#from + at)
      ? this.#cells[next + end]!
      : 0
  }

  #shortestEnd(at: number, next: number): number {
    let end = at
    while (this.#cells[next + end] !== 1) end += 1
    return end
  }

  #longestEnd(at: number, next: number): number {
    const segment = this.#text.indexOf('/', this.#from + at)
    let end = segment < 0 ? this.#width - 1 : segment - this.#from
    while (end > at && this.#cells[next + end] !== 1) end -= 1
    return end > at ? end : -1
  }
}
