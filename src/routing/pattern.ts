/** A compiled route pattern. */
import { invalid, parsePattern, type Element, type Part } from './parse-pattern.ts'
import { accepts } from './scan.ts'
import { specificityOf } from './specificity.ts'
import { unfold } from './variants.ts'

/** What a `*` is called among the names of a match; no `:name` can be called so. */
export const splatName = '*'

/**
 * A sequence of elements that a pattern can stand for. `steps` are literal text and names that end
 * with their segment: a path takes them one by one, without a choice; `rest` is what follows the
 * last of them.
 */
export interface Variant {
  readonly elements: readonly Element[]
  readonly steps: readonly Element[]
  readonly rest: readonly Element[]
  /** What the elements capture, in order. */
  readonly names: readonly string[]
}

/**
 * A pattern of a route, made by `compilePattern`; immutable. `specificity` sorts as text, the most
 * specific first; equal texts are equally specific.
 */
export class Pattern {
  readonly text: string
  readonly parts: readonly Part[]
  readonly variants: readonly Variant[]
  /** Of all parameters, optional ones too; each once. */
  readonly names: readonly string[]
  readonly specificity: string

  constructor(text: string) {
    this.text = text
    this.parts = parsePattern(text)
    this.specificity = specificityOf(this.parts)
    this.variants = unfold(text, this.parts).map(variantOf)
    const names = this.variants.flatMap((variant) => variant.names)
    this.names = [...new Set(names)].filter((name) => name !== splatName)
    if (!this.variants.some(canBegin)) throw invalid(text, 'can match no path: begin it with "/"')
  }

  /** Whether the pattern matches the whole of a path's `key`. */
  test(key: string): boolean {
    return this.variants.some(({ elements }) => accepts(elements, key, 0))
  }
}

/**
 * Compiles the text of a pattern: `:name` is a piece of one segment (as long as can be), `*` any
 * text (as short as can be), `x?` and `:name?` may be missing, `(…)?` takes part whenever it can,
 * everything else is itself, case included. It is matched against the decoded path, in time linear
 * in the path.
 *
 * @throws FwError `routing.pattern-invalid`
 * @spec Endpoints, filters › Route declaration
 */
export function compilePattern(text: string): Pattern {
  return new Pattern(text)
}

function variantOf(elements: readonly Element[]): Variant {
  const names = elements.flatMap((element) => {
    if (element.kind === 'text') return []
    return element.kind === 'name' ? [element.name] : [splatName]
  })
  let count = 0
  while (count < elements.length && isStep(elements, count)) count += 1
  return { elements, steps: elements.slice(0, count), rest: elements.slice(count), names }
}

/** Whether the first slash of a path can be where the elements begin. */
function canBegin({ elements: [first] }: Variant): boolean {
  if (first === undefined) return false
  return (
    first.kind === 'splat' ||
    first.optional ||
    (first.kind === 'text' && first.text.startsWith('/'))
  )
}

function isStep(elements: readonly Element[], at: number): boolean {
  const { kind, optional } = elements[at]!
  if (kind === 'splat' || optional) return false
  const next = elements[at + 1]
  if (kind === 'text' || next === undefined) return true
  return next.kind === 'text' && !next.optional && next.text.startsWith('/')
}
