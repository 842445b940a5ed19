/** Parses the text of a route pattern, and expands its optional groups. */
import { FwError } from '../base.ts'

/** Literal text of a pattern. Optional text is a single character. */
export interface TextElement {
  readonly kind: 'text'
  readonly text: string
  readonly optional: boolean
}

/** A `:name` of a pattern. It matches one or more characters of one segment, as many as possible. */
export interface NameElement {
  readonly kind: 'name'
  readonly name: string
  readonly optional: boolean
}

/** A `*` of a pattern. It matches any characters including slashes, as few as possible. */
export interface SplatElement {
  readonly kind: 'splat'
  readonly optional: boolean
}

/** A group `(…)?` of a pattern, whose parts match together or not at all. */
export interface GroupPart {
  readonly kind: 'group'
  readonly parts: readonly Part[]
}

export type Element = TextElement | NameElement | SplatElement
export type Part = Element | GroupPart

const nameSyntax = /:([A-Za-z0-9_]+)/y
const reserved: ReadonlySet<string> = new Set(['splat', 'captures'])
const invalidInPath = /[\u0000-\u001f\u007f-\u009f\\]/
const maxGroups = 6

/**
 * Parses a pattern into its parts, and joins adjacent literal characters.
 * @throws FwError `routing.pattern-invalid`
 */
export function parsePattern(text: string): readonly Part[] {
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
  return new PatternReader(text).parts(text.length)
}

class PatternReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parts(end: number): readonly Part[] {
    const parts: Part[] = []
    while (this.#at < end) append(parts, this.#part())
    return parts
  }

  #part(): Part {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!)
    const close = char === '(' ? findGroupEnd(this.#text, this.#at) : undefined
    if (close !== undefined) return this.#group(close)
    if (char === '?')
      throw invalidPattern(
        this.#text,
        `has a "?" at ${this.#at + 1} with nothing before it to make optional`,
      )
    const name = char === ':' ? this.#name() : undefined
    if (name === undefined) this.#at += char.length
    const optional = this.#text[this.#at] === '?'
    if (optional) this.#at += 1
    if (name !== undefined) return { kind: 'name', name, optional }
    if (char === '*') return { kind: 'splat', optional }
    return { kind: 'text', text: char, optional }
  }

  #name(): string | undefined {
    nameSyntax.lastIndex = this.#at
    const match = nameSyntax.exec(this.#text)?.[1]
    if (match === undefined) return undefined
    const name = internalize(match)
    if (reserved.has(name)) {
      throw invalidPattern(
        this.#text,
        `names a parameter "${name}", which is reserved for the values of "*" and groups: rename it`,
      )
    }
    this.#at = nameSyntax.lastIndex
    return name
  }

  #group(close: number): Part {
    this.#at += 1
    const parts = this.parts(close)
    if (parts.length === 0) throw invalidPattern(this.#text, 'has an empty group "()?"')
    this.#at = close + 2
    return { kind: 'group', parts }
  }
}

/**
 * Converts the text to a property name, so that V8 internalizes it. Comparing it with a literal is then a pointer
 * comparison.
 */
function internalize(text: string): string {
  return Object.keys({ [text]: true })[0]!
}

/**
 * Returns the end of the group that opens at `open`. Returns undefined if no `?` follows the group, because its
 * parentheses are then literal text.
 */
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
export function expandGroups(
  pattern: string,
  parts: readonly Part[],
): readonly (readonly Element[])[] {
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

export function invalidPattern(pattern: string, what: string): FwError {
  return new FwError('routing.pattern-invalid', `The route pattern "${pattern}" ${what}.`)
}
