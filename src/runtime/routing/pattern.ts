/** A compiled route pattern: its parts, the variants of its optional groups, and its specificity. */
import { FwError } from '../base.ts'
import { matchesElements, type Element } from './scan.ts'

/** An element, or a group `(…)?` whose parts match together or not at all. */
export type Part = Element | { readonly kind: 'group'; readonly parts: readonly Part[] }

/** The name of `*` in the names of a variant. `:name` cannot produce this name. */
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

/** Matches a `:name` or one character, and a `?` after it. */
const token = /(?::([A-Za-z0-9_]+)|([^]))\??/uy
const invalidInPath = /[\u0000-\u001f\u007f-\u009f\\]/
const maxGroups = 6

/** Parses a pattern, and joins adjacent literal characters. @throws FwError `routing.pattern-invalid` */
function parsePattern(text: string): readonly Part[] {
  if (text === '')
    throw invalidPattern(
      text,
      'is empty; write "/" for the root, or leave the pattern out to match every path',
    )
  if (!/^[/*(]/.test(text))
    throw invalidPattern(text, `can match no path: begin it with "/", as in "/${text}"`)
  if (invalidInPath.test(text) || !text.isWellFormed()) {
    throw invalidPattern(text, 'contains a backslash or a control character, which no path has')
  }
  return readParts(text, 0, text.length)
}

/** Reads the parts of the pattern between two positions. */
function readParts(pattern: string, from: number, to: number): readonly Part[] {
  const parts: Part[] = []
  for (let at = from; at < to;) {
    const close = pattern[at] === '(' ? findGroupEnd(pattern, at) : undefined
    if (close === undefined) {
      token.lastIndex = at
      const [text, name, char] = token.exec(pattern)!
      if (char === '?') {
        const problem = `has a "?" at ${at + 1} with nothing before it to make optional`
        throw invalidPattern(pattern, problem)
      }
      const optional = text.endsWith('?')
      if (name !== undefined) parts.push({ kind: 'name', name: checkName(pattern, name), optional })
      else if (char === '*') parts.push({ kind: 'splat', optional })
      else append(parts, { kind: 'text', text: char!, optional })
      at += text.length
    } else {
      const inner = readParts(pattern, at + 1, close)
      if (inner.length === 0) throw invalidPattern(pattern, 'has an empty group "()?"')
      parts.push({ kind: 'group', parts: inner })
      at = close + 2
    }
  }
  return parts
}

/** The parameters with the values of `*` and of groups, which have no name in the pattern. */
export const unnamedParameters = ['splat', 'captures'] as const

/** The name of a parameter that has no name in the pattern. */
export type UnnamedParameter = (typeof unnamedParameters)[number]

function checkName(pattern: string, name: string): string {
  if (!unnamedParameters.some((reserved) => reserved === name)) return internalize(name)
  throw invalidPattern(
    pattern,
    `names a parameter "${name}", which is reserved for the values of "*" and groups: rename it`,
  )
}

/** Converts the text to a property name, which V8 internalizes: it then compares pointers. */
function internalize(text: string): string {
  return Object.keys({ [text]: true })[0]!
}

/** Returns the end of the group that opens at `open`; undefined without a `?` after it, which makes it literal text. */
function findGroupEnd(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text[at + 1] === '?' ? at : undefined
  }
  return undefined
}

/** Appends a part. Literal text is joined with literal text before it. */
function append<P extends Part>(parts: P[], part: P): void {
  const last = parts.at(-1)
  if (last?.kind === 'text' && !last.optional && part.kind === 'text' && !part.optional) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text }
  } else {
    parts.push(part)
  }
}

/**
 * Returns every sequence of elements that a pattern can match, in the order of matching. The variant with a group
 * precedes the one without it, and a variant with the optional slash at the end precedes the one without. Omits empty
 * sequences.
 * @throws FwError `routing.pattern-invalid` for more than six groups
 */
function expandGroups(pattern: string, parts: readonly Part[]): readonly (readonly Element[])[] {
  if (countGroups(parts) > maxGroups) {
    throw invalidPattern(
      pattern,
      `has more than ${maxGroups} optional groups: declare several routes instead`,
    )
  }
  return alternatives(parts)
    .flatMap(expandLastSlash)
    .map(joinTexts)
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
  const following = alternatives(rest)
  if (first.kind !== 'group') return following.map((elements) => [first, ...elements])
  return [...alternatives([...first.parts, ...rest]), ...following]
}

function expandLastSlash(elements: readonly Element[]): readonly (readonly Element[])[] {
  const last = elements.at(-1)
  if (last?.kind !== 'text' || last.text !== '/' || !last.optional) return [elements]
  const before = elements.slice(0, -1)
  return [[...before, { ...last, optional: false }], before]
}

function joinTexts(elements: readonly Element[]): readonly Element[] {
  const joined: Element[] = []
  for (const element of elements) append(joined, element)
  return joined
}

function invalidPattern(pattern: string, what: string): FwError {
  return new FwError('routing.pattern-invalid', `The route pattern "${pattern}" ${what}.`)
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
function computeSpecificity(pattern: readonly Part[]): string {
  let key = ''
  let inSegment = false
  let afterSplat = false
  const endSegment = (): void => {
    if (inSegment) key += afterSplat ? rank.segmentEndAfterSplat : rank.segmentEnd
    inSegment = false
  }
  const write = (parts: readonly Part[], inGroup: boolean): void => {
    for (const part of parts) {
      if (part.kind === 'group') write(part.parts, true)
      else if (part.kind === 'text') writeText(part.text, inGroup || part.optional)
      else if (part.kind === 'name') key += inGroup || part.optional ? rank.optional : rank.name
      else {
        key += inGroup ? rank.optional : rank.splat
        afterSplat = true
      }
    }
  }
  const writeText = (text: string, optional: boolean): void => {
    for (const char of text) {
      if (char === '/') endSegment()
      if (char === '/') inSegment = true
      if (optional) key += rank.optional
      else if (char !== '/') key += rank.text
    }
  }
  write(pattern, false)
  endSegment()
  return key + (afterSplat ? rank.endAfterSplat : rank.end)
}
