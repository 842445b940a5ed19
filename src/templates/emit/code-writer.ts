/**
 * Writes a generated module whose line numbers equal those of its template, and records which parts are copied from the
 * template.
 */
import type { TemplateSource } from '../read.ts'

/**
 * A part of the module that is copied from the template: `length` characters, at offset `generated` of the module and
 * offset `source` of the template.
 */
export interface Segment {
  readonly generated: number
  readonly source: number
  readonly length: number
  /** False for generated code that is only assigned to a position of the template; `length` is then 1. */
  readonly copied: boolean
}

export interface GeneratedModule {
  readonly code: string
  readonly segments: readonly Segment[]
}

export class CodeWriter {
  readonly #source: TemplateSource
  readonly #segments: Segment[] = []
  #code = ''
  #line = 1
  /** The printed text that is not yet written. Adjacent texts become one string literal. */
  #text = ''
  /** True in a statement `__out += …`. */
  #prints = false

  constructor(source: TemplateSource) {
    this.#source = source
  }

  write(code: string): void {
    this.#code += code
    for (let at = code.indexOf('\n'); at !== -1; at = code.indexOf('\n', at + 1)) this.#line++
  }

  /** Writes line breaks until the module has reached the template line that contains `offset`. */
  toLineOf(offset: number): void {
    const { line } = this.#source.position(offset)
    if (this.#line < line) this.write('\n'.repeat(line - this.#line))
  }

  /** Copies the template's text from offset `start` to `end`, and records the segment. */
  copy(start: number, end: number): void {
    if (end > start) this.#writeSegment(start, this.#source.text.slice(start, end))
  }

  /**
   * Copies the template's text from offset `start` to `end`, with spaces instead of line breaks. Used for code that
   * moves to another line.
   */
  copyInOneLine(start: number, end: number): void {
    this.#writeSegment(start, this.#source.text.slice(start, end).replace(/[\r\n]/g, ' '))
  }

  /** Writes generated code; an error in it is reported at offset `source` of the template. */
  writeFor(source: number, code: string): void {
    this.#writeSegment(source, code, false)
  }

  #writeSegment(source: number, code: string, copied = true): void {
    const length = copied ? code.length : 1
    this.#segments.push({ generated: this.#code.length, source, length, copied })
    this.write(code)
  }

  /** Writes code that prints static text. */
  print(text: string): void {
    this.#text += text
  }

  /** Begins code that prints an expression: writes `+` or `+=`. The caller writes the expression. */
  beginPrint(): void {
    this.#flushText()
    this.#writeOperator()
  }

  /** Ends the statement that prints. Code that does not print may follow. */
  endPrint(): void {
    this.#flushText()
    if (this.#prints) this.write(';')
    this.#prints = false
  }

  #writeOperator(): void {
    this.write(this.#prints ? ' + ' : ' __out += ')
    this.#prints = true
  }

  #flushText(): void {
    if (this.#text === '') return
    this.#writeOperator()
    this.write(stringLiteral(this.#text))
    this.#text = ''
  }

  /** Returns the module, with `head` inserted at the start of its first line. */
  finish(head: string): GeneratedModule {
    const segments = this.#segments.map((one) => ({
      ...one,
      generated: one.generated + head.length,
    }))
    return { code: head + this.#code, segments }
  }
}

const stringLiteral = (text: string): string =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
