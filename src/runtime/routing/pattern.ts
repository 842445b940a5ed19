/** A compiled route pattern and its specificity. */
import {
  expandGroups,
  invalidPattern,
  parsePattern,
  type Element,
  type Part,
} from './parse-pattern.ts'
import { matchesElements } from './scan.ts'

/** The name that stands for `*` in the names of a variant. `:name` cannot produce this name. */
export const splatName = '*'

/**
 * A pattern with each optional group either included or left out. `steps` are the leading literal texts and
 * whole-segment names, which can match in only one way. `rest` contains the remaining elements.
 */
export interface Variant {
  readonly elements: readonly Element[]
  readonly steps: readonly Element[]
  readonly rest: readonly Element[]
  /** The names of the captured values, in order. */
  readonly names: readonly string[]
}

/**
 * A compiled pattern; immutable. `:name` matches a part of one segment (as long as possible), `*` any text (as short as
 * possible). `x?`, `:name?` and `(…)?` are optional. Other characters match themselves, case-sensitively. The time to
 * match is linear in the length of the path. `specificity` is a sort key that puts more specific patterns first.
 * @spec Endpoints, filters › Route declaration
 */
export class Pattern {
  readonly text: string
  readonly parts: readonly Part[]
  readonly variants: readonly Variant[]
  /** The names of all parameters, each once, including optional parameters. */
  readonly names: readonly string[]
  readonly specificity: string

  /** @throws FwError `routing.pattern-invalid` */
  constructor(text: string) {
    this.text = text
    this.parts = parsePattern(text)
    this.specificity = computeSpecificity(this.parts)
    this.variants = expandGroups(text, this.parts).map(createVariant)
    const names = this.variants.flatMap((variant) => variant.names)
    this.names = [...new Set(names)].filter((name) => name !== splatName)
    if (!this.variants.some(canMatchSlash))
      throw invalidPattern(text, 'can match no path: begin it with "/"')
  }

  /** Returns true if the pattern matches the whole `key` of a path. */
  test(key: string): boolean {
    return this.variants.some(({ elements }) => matchesElements(elements, key, 0))
  }
}

function createVariant(elements: readonly Element[]): Variant {
  const names = elements.flatMap((element) => {
    if (element.kind === 'text') return []
    return element.kind === 'name' ? [element.name] : [splatName]
  })
  let count = 0
  while (count < elements.length && isStep(elements, count)) count += 1
  return { elements, steps: elements.slice(0, count), rest: elements.slice(count), names }
}

function isStep(elements: readonly Element[], at: number): boolean {
  const { kind, optional } = elements[at]!
  if (kind === 'splat' || optional) return false
  const next = elements[at + 1]
  if (kind === 'text' || next === undefined) return true
  return next.kind === 'text' && !next.optional && next.text.startsWith('/')
}

/** Returns true if the elements can match a text that begins with a slash. */
function canMatchSlash({ elements: [first] }: Variant): boolean {
  if (first === undefined) return false
  return (
    first.kind === 'splat' ||
    first.optional ||
    (first.kind === 'text' && first.text.startsWith('/'))
  )
}

// The characters of sort keys, from the most to the least specific. A segment or path that ends after a `*` ranks last,
// because `*` also matches longer texts.
const rank = {
  text: 'a',
  name: 'b',
  segmentEnd: 'c',
  end: 'd',
  optional: 'e',
  splat: 'f',
  segmentEndAfterSplat: 'g',
  endAfterSplat: 'h',
}

/** Returns a sort key with one character per element. Patterns with equal keys are equally specific. */
function computeSpecificity(parts: readonly Part[]): string {
  const writer = new SpecificityWriter()
  writer.write(parts, false)
  return writer.finish()
}

class SpecificityWriter {
  #key = ''
  #inSegment = false
  #afterSplat = false

  write(parts: readonly Part[], optional: boolean): void {
    for (const part of parts) {
      if (part.kind === 'group') this.write(part.parts, true)
      else if (part.kind === 'text') this.#text(part.text, optional || part.optional)
      else if (part.kind === 'name')
        this.#key += optional || part.optional ? rank.optional : rank.name
      else this.#splat(optional)
    }
  }

  finish(): string {
    this.#endSegment()
    return this.#key + (this.#afterSplat ? rank.endAfterSplat : rank.end)
  }

  #text(text: string, optional: boolean): void {
    for (const char of text) {
      if (char === '/') this.#endSegment()
      if (char === '/') this.#inSegment = true
      if (optional) this.#key += rank.optional
      else if (char !== '/') this.#key += rank.text
    }
  }

  #splat(optional: boolean): void {
    this.#key += optional ? rank.optional : rank.splat
    this.#afterSplat = true
  }

  #endSegment(): void {
    if (this.#inSegment) this.#key += this.#afterSplat ? rank.segmentEndAfterSplat : rank.segmentEnd
    this.#inSegment = false
  }
}
