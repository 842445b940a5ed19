/** Converts offsets in a text to positions of the Language Server Protocol, and back. */
import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver'

/** The unit of `character` in a position: bytes of UTF-8, or code units of UTF-16. */
export type Encoding = 'utf-8' | 'utf-16'

/** A change of a document as an editor sends it; without `range` it replaces the whole text. */
type DocumentChange = TextDocumentContentChangeEvent

const lineBreak = /\r\n?|\n/g
const ascii = /^[\0-\x7f]*$/

/** A text with the offsets of its lines. */
export class TextLines {
  readonly text: string
  readonly encoding: Encoding
  #lineStarts: readonly number[] | undefined

  /** @param lineStarts the offsets of the lines, if they are known */
  constructor(text: string, encoding: Encoding, lineStarts?: readonly number[]) {
    this.text = text
    this.encoding = encoding
    this.#lineStarts = lineStarts
  }

  /** The offsets of the lines, which most templates of an application never need. */
  get #starts(): readonly number[] {
    this.#lineStarts ??= [
      0,
      ...Array.from(this.text.matchAll(lineBreak), (one) => one.index + one[0].length),
    ]
    return this.#lineStarts
  }

  /** Returns the offset at which a line starts, and that of its end without the line break. */
  line(line: number): { readonly start: number; readonly end: number } {
    const start = this.#starts[line] ?? this.text.length
    let end = this.#starts[line + 1] ?? this.text.length
    while (end > start && /[\r\n]/.test(this.text[end - 1]!)) end--
    return { start, end }
  }

  /** Returns the line that contains an offset; the first line is 0. */
  lineOf(offset: number): number {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  position(offset: number): Position {
    const line = this.lineOf(offset)
    const start = this.#starts[line]!
    const character =
      this.encoding === 'utf-16'
        ? offset - start
        : Buffer.byteLength(this.text.slice(start, offset))
    return { line, character }
  }

  range(start: number, end: number): Range {
    return { start: this.position(start), end: this.position(end) }
  }

  /** Returns the offset of a position; the nearest one for a position outside the text. */
  offset({ line, character }: Position): number {
    if (!(line >= 0)) return 0
    if (line >= this.#starts.length) return this.text.length
    const { start, end } = this.line(line)
    if (!(character > 0)) return start
    const text = this.text.slice(start, end)
    if (this.encoding === 'utf-16' || ascii.test(text))
      return start + Math.min(character, text.length)
    return start + unitsOfBytes(text, character)
  }

  /** Returns the text after an editor's change. */
  change(change: DocumentChange): TextLines {
    if (!('range' in change)) return new TextLines(change.text, this.encoding)
    const { range, text } = change
    const from = this.offset(range.start)
    const to = Math.max(from, this.offset(range.end))
    const changed = this.text.slice(0, from) + text + this.text.slice(to)
    return new TextLines(changed, this.encoding, this.#startsAfter(from, to, text.length, changed))
  }

  /** Returns the offsets of the lines after a change from `from` to `to`, and reads only the new text for them. */
  #startsAfter(from: number, to: number, length: number, changed: string): readonly number[] {
    const starts = this.#starts
    const end = from + length
    const shift = end - to
    // Whether a line starts at an offset depends on the characters before and after it.
    const kept = starts.slice(0, this.lineOf(from))
    const moved = starts.slice(this.lineOf(to) + 1).map((start) => start + shift)
    const first = starts[kept.length]!
    if (first < from) kept.push(first)
    for (let at = from; at <= end; at++) if (isLineStart(changed, at)) kept.push(at)
    return [...kept, ...moved]
  }
}

function isLineStart(text: string, at: number): boolean {
  const before = text[at - 1]
  return at === 0 || before === '\n' || (before === '\r' && text[at] !== '\n')
}

/** Returns the number of UTF-16 code units that begin with these bytes of UTF-8. */
function unitsOfBytes(text: string, bytes: number): number {
  let units = 0
  let rest = bytes
  for (const char of text) {
    rest -= Buffer.byteLength(char)
    if (rest < 0) break
    units += char.length
  }
  return units
}
