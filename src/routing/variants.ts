/** Unfolds the optional groups of a pattern into plain sequences of elements. */
import { append, invalid, type Element, type Part } from './parse-pattern.ts'

const mostGroups = 6

/**
 * What a pattern can look like, in the order in which to try: each group takes part before it is
 * left out, and an optional slash at the end is there before it is not. Sequences that match the
 * empty text are left out.
 *
 * @throws FwError `routing.pattern-invalid` for more groups than paths could sensibly need.
 */
export function unfold(pattern: string, parts: readonly Part[]): readonly (readonly Element[])[] {
  if (countGroups(parts) > mostGroups) {
    throw invalid(
      pattern,
      `has more than ${mostGroups} optional groups: declare several routes instead`,
    )
  }
  return alternatives(parts)
    .flatMap(withoutLastSlash)
    .map(joined)
    .filter((elements) => elements.length > 0)
}

function countGroups(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'group' ? 1 + countGroups(part.parts) : 0),
    0,
  )
}

function alternatives(parts: readonly Part[]): readonly (readonly Element[])[] {
  const [first, ...rest] = parts
  if (first === undefined) return [[]]
  const left = alternatives(rest)
  if (first.kind !== 'group') return left.map((elements) => [first, ...elements])
  return [...alternatives([...first.parts, ...rest]), ...left]
}

function withoutLastSlash(elements: readonly Element[]): readonly (readonly Element[])[] {
  const last = elements.at(-1)
  if (last?.kind !== 'text' || last.text !== '/' || !last.optional) return [elements]
  const before = elements.slice(0, -1)
  return [[...before, { ...last, optional: false }], before]
}

function joined(elements: readonly Element[]): readonly Element[] {
  const run: Element[] = []
  for (const element of elements) append(run, element)
  return run
}
