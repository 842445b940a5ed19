/** Matches elements against a text in time linear in the text, whatever they are. */
import type { Element, TextElement } from './parse-pattern.ts'

const slash = 47
const kept = 1 << 16

/** Whether the elements match `text` from `from` to its end. */
export function accepts(elements: readonly Element[], text: string, from: number): boolean {
  return new Scan(elements, text, from).matches
}

/**
 * Where each name and each `*` of a match begins and ends, two numbers for each of them in order;
 * an optional one that takes no part begins at -1. `undefined` when the elements do not match.
 */
export function spans(
  elements: readonly Element[],
  text: string,
  from: number,
): number[] | undefined {
  const scan = new Scan(elements, text, from)
  return scan.matches ? scan.spans() : undefined
}

/**
 * A table with a row for each element and a column for each place in the text: a mark says that the
 * text from there on can be matched by the elements from this one on. Filled from the last row up,
 * each place looked at once.
 */
class Scan {
  static #scratch = new Uint8Array(kept)
  readonly #elements: readonly Element[]
  readonly #text: string
  readonly #from: number
  readonly #width: number
  readonly #marks: Uint8Array

  constructor(elements: readonly Element[], text: string, from: number) {
    this.#elements = elements
    this.#text = text
    this.#from = from
    this.#width = text.length - from + 1
    const size = (elements.length + 1) * this.#width
    this.#marks = size > kept ? new Uint8Array(size) : Scan.#scratch
    this.#markEnd()
    for (let row = elements.length - 1; row >= 0; row--) this.#mark(row)
  }

  get matches(): boolean {
    return this.#marks[0] === 1
  }

  spans(): number[] {
    const found: number[] = []
    let at = 0
    for (let row = 0; row < this.#elements.length; row++) {
      const element = this.#elements[row]!
      const next = (row + 1) * this.#width
      if (element.kind === 'text') {
        if (this.#follows(element.text, at, next) === 1) at += element.text.length
        continue
      }
      const end = element.kind === 'splat' ? this.#shortest(at, next) : this.#longest(at, next)
      found.push(end < 0 ? -1 : this.#from + at, this.#from + end)
      if (end >= 0) at = end
    }
    return found
  }

  #markEnd(): void {
    const last = this.#elements.length * this.#width
    this.#marks.fill(0, last, last + this.#width)
    this.#marks[last + this.#width - 1] = 1
  }

  #mark(row: number): void {
    const { kind, optional } = this.#elements[row]!
    const marks = this.#marks
    const own = row * this.#width
    const next = own + this.#width
    let reach = 0
    for (let at = this.#width - 1; at >= 0; at--) {
      if (kind === 'splat') reach |= marks[next + at]!
      else if (kind === 'name') reach = this.#inSegment(at) ? reach | marks[next + at + 1]! : 0
      else reach = this.#follows((this.#elements[row] as TextElement).text, at, next)
      marks[own + at] = optional ? reach | marks[next + at]! : reach
    }
  }

  #inSegment(at: number): boolean {
    return at < this.#width - 1 && this.#text.charCodeAt(this.#from + at) !== slash
  }

  #follows(literal: string, at: number, next: number): number {
    const end = at + literal.length
    return end < this.#width && this.#text.startsWith(literal, this.#from + at)
      ? this.#marks[next + end]!
      : 0
  }

  #shortest(at: number, next: number): number {
    let end = at
    while (this.#marks[next + end] !== 1) end += 1
    return end
  }

  #longest(at: number, next: number): number {
    const segment = this.#text.indexOf('/', this.#from + at)
    let end = segment < 0 ? this.#width - 1 : segment - this.#from
    while (end > at && this.#marks[next + end] !== 1) end -= 1
    return end > at ? end : -1
  }
}
