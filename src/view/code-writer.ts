/** Writes a generated module so that each line stays the template's line, and remembers which parts are the template's own. */
import type { TemplateSource } from './template-source.ts'

/** `length` characters of the module at `generated` are those of the template at `source`. */
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

  /** Breaks lines until this is the template's line at `offset`. */
  toLineOf(offset: number): void {
    const { line } = this.#source.position(offset)
    if (this.#line < line) this.write('\n'.repeat(line - this.#line))
  }

  /** Copies the template from `start` to `end`. */
  copy(start: number, end: number): void {
    if (end <= start) return
    this.#segments.push({ generated: this.#code.length, source: start, length: end - start })
    this.write(this.#source.text.slice(start, end))
  }

  /** Copies without line breaks, for code that stands on another line than in the template. */
  copyInOneLine(start: number, end: number): void {
    this.#segments.push({ generated: this.#code.length, source: start, length: end - start })
    this.write(this.#source.text.slice(start, end).replace(/[\r\n]/g, ' '))
  }

  /** Writes own code whose mistakes belong to the template at `source`. */
  writeFor(source: number, code: string): void {
    this.#segments.push({ generated: this.#code.length, source, length: 1 })
    this.write(code)
  }

  /** The module with `head` put before all, on its first line. */
  finish(head: string): { readonly code: string; readonly segments: readonly Segment[] } {
    const segments = this.#segments.map((one) => ({
      ...one,
      generated: one.generated + head.length,
    }))
    return { code: head + this.#code, segments }
  }
}

/** The template's offset for one of the module; `exact` when it is the template's own code. */
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
