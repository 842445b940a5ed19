/** How specific a pattern is, as a text that sorts: the most specific first. */
import type { Part } from './parse-pattern.ts'

// Compared place by place: literal text, `:name`, the end of a segment, the end of the pattern,
// what is optional, `*`.
// After a `*` the ends come last, because it would have taken whatever else could follow.
const token = {
  text: 'a',
  name: 'b',
  segmentEnd: 'c',
  end: 'd',
  optional: 'e',
  splat: 'f',
  laterSegmentEnd: 'g',
  laterEnd: 'h',
}

/** A sort key: equal keys are equally specific. @spec Endpoints, filters › Route declaration */
export function specificityOf(parts: readonly Part[]): string {
  const writer = new KeyWriter()
  writer.write(parts, false)
  return writer.finish()
}

class KeyWriter {
  #key = ''
  #inSegment = false
  #afterSplat = false

  write(parts: readonly Part[], optional: boolean): void {
    for (const part of parts) {
      if (part.kind === 'group') this.write(part.parts, true)
      else if (part.kind === 'text') this.#text(part.text, optional || part.optional)
      else if (part.kind === 'name')
        this.#key += optional || part.optional ? token.optional : token.name
      else this.#splat(optional)
    }
  }

  finish(): string {
    this.#endSegment()
    return this.#key + (this.#afterSplat ? token.laterEnd : token.end)
  }

  #text(text: string, optional: boolean): void {
    for (const char of text) {
      if (char === '/') this.#endSegment()
      if (char === '/') this.#inSegment = true
      if (optional) this.#key += token.optional
      else if (char !== '/') this.#key += token.text
    }
  }

  #splat(optional: boolean): void {
    this.#key += optional ? token.optional : token.splat
    this.#afterSplat = true
  }

  #endSegment(): void {
    if (this.#inSegment) this.#key += this.#afterSplat ? token.laterSegmentEnd : token.segmentEnd
    this.#inSegment = false
  }
}
