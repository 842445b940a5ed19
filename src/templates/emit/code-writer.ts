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
}

export class CodeWriter {
  readonly #source: TemplateSource
  readonly #segments: Segment[] = []
  #code = ''
  #line = 1

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
    if (end <= start) return
    this.#segments.push({ generated: this.#code.length, source: start, length: end - start })
    this.write(this.#source.text.slice(start, end))
  }

  /**
   * Copies the template's text from offset `start` to `end`, with spaces instead of line breaks. Used for code that
   * moves to another line.
   */
  copyInOneLine(start: number, end: number): void {
    this.#segments.push({ generated: this.#code.length, source: start, length: end - start })
    this.write(this.#source.text.slice(start, end).replace(/[\r\n]/g, ' '))
  }

  /** Writes generated code; an error in it is reported at offset `source` of the template. */
  writeFor(source: number, code: string): void {
    this.#segments.push({ generated: this.#code.length, source, length: 1 })
    this.write(code)
  }

  /** Returns the module, with `head` inserted at the start of its first line. */
  finish(head: string): { readonly code: string; readonly segments: readonly Segment[] } {
    const segments = this.#segments.map((one) => ({
      ...one,
      generated: one.generated + head.length,
    }))
    return { code: head + this.#code, segments }
  }
}

/**
 * Converts an offset in the module to an offset in the template. `exact` is false for code that is generated, not
 * copied.
 */
export function templateOffset(
  segments: readonly Segment[],
  generated: number,
): { readonly offset: number; readonly exact: boolean } {
  let before: Segment | undefined
  for (const segment of segments) {
    if (segment.generated > generated) break
    if (generated < segment.generated + segment.length) {
      return { offset: segment.source + generated - segment.generated, exact: true }
    }
    before = segment
  }
  if (before === undefined) return { offset: 0, exact: false }
  const exact = generated === before.generated + before.length
  return { offset: before.source + (exact || before.length > 1 ? before.length : 0), exact }
}

export class OutputSum {
  readonly #out: CodeWriter
  #open = false
  /** The static text that is not yet written. Adjacent texts become one string literal. */
  #text = ''

  constructor(out: CodeWriter) {
    this.#out = out
  }

  text(text: string): void {
    this.#text += text
  }

  /** Writes the operator `+` or `+=` before an expression. The caller writes the expression. */
  plus(): void {
    this.#flush()
    this.#operator()
  }

  end(): void {
    this.#flush()
    if (this.#open) this.#out.write(';')
    this.#open = false
  }

  #operator(): void {
    this.#out.write(this.#open ? ' + ' : ' __out += ')
    this.#open = true
  }

  #flush(): void {
    if (this.#text === '') return
    this.#operator()
    this.#out.write(stringLiteral(this.#text))
    this.#text = ''
  }
}

function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\u2028\u2029]/g, (char) =>
    char === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
