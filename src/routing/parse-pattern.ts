/** Reads the text of a pattern into its parts. */
import { FwError } from '../base.ts'

/** Literal text; an optional one is a single character. */
export interface TextElement {
  readonly kind: 'text'
  readonly text: string
  readonly optional: boolean
}

/** `:name`: one character or more of one segment, as many as can be. */
export interface NameElement {
  readonly kind: 'name'
  readonly name: string
  readonly optional: boolean
}

/** `*`: any characters, slashes too, as few as can be. */
export interface SplatElement {
  readonly kind: 'splat'
  readonly optional: boolean
}

/** `(…)?`: parts that take part together, whenever they can. */
export interface GroupPart {
  readonly kind: 'group'
  readonly parts: readonly Part[]
}

export type Element = TextElement | NameElement | SplatElement
export type Part = Element | GroupPart

const name = /:([A-Za-z0-9_]+)/y
const reserved: ReadonlySet<string> = new Set(['splat', 'captures'])
const impossible = /[\u0000-\u001f\u007f-\u009f\\]/

/**
 * The parts of a pattern, literal text in runs as long as can be.
 *
 * @throws FwError `routing.pattern-invalid`
 */
export function parsePattern(text: string): readonly Part[] {
  if (text === '')
    throw invalid(
      text,
      'is empty; write "/" for the root, or leave the pattern out to match every path',
    )
  if (!/^[/*(]/.test(text))
    throw invalid(text, `can match no path: begin it with "/", as in "/${text}"`)
  if (impossible.test(text) || !text.isWellFormed()) {
    throw invalid(text, 'holds a backslash or a control character, which no path can hold')
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
    const close = char === '(' ? closing(this.#text, this.#at) : undefined
    if (close !== undefined) return this.#group(close)
    if (char === '?')
      throw invalid(
        this.#text,
        `has a "?" at ${this.#at + 1} with nothing before it to make optional`,
      )
    const label = char === ':' ? this.#name() : undefined
    if (label === undefined) this.#at += char.length
    const optional = this.#text[this.#at] === '?'
    if (optional) this.#at += 1
    if (label !== undefined) return { kind: 'name', name: label, optional }
    if (char === '*') return { kind: 'splat', optional }
    return { kind: 'text', text: char, optional }
  }

  #name(): string | undefined {
    name.lastIndex = this.#at
    const found = name.exec(this.#text)?.[1]
    if (found === undefined) return undefined
    const label = asKey(found)
    if (reserved.has(label)) {
      throw invalid(
        this.#text,
        `names a parameter "${label}", which is kept for what "*" and groups give: rename it`,
      )
    }
    this.#at = name.lastIndex
    return label
  }

  #group(close: number): Part {
    this.#at += 1
    const parts = this.parts(close)
    if (parts.length === 0) throw invalid(this.#text, 'has an empty group "()?"')
    this.#at = close + 2
    return { kind: 'group', parts }
  }
}

/**
 * The same text as the engine keeps it for property names: compared with a literal, it is equal at
 * a glance.
 */
function asKey(text: string): string {
  return Object.keys({ [text]: true })[0]!
}

/**
 * Where the parenthesis opened at `open` closes, if a `?` follows; without it parentheses are
 * literal.
 */
function closing(text: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text[at + 1] === '?' ? at : undefined
  }
  return undefined
}

/** Adds a part, joining literal text to the run before it. */
export function append<P extends Part>(parts: P[], part: P): void {
  const last = parts.at(-1)
  if (last?.kind === 'text' && !last.optional && part.kind === 'text' && !part.optional) {
    parts[parts.length - 1] = { ...last, text: last.text + part.text }
  } else {
    parts.push(part)
  }
}

export function invalid(pattern: string, what: string): FwError {
  return new FwError('routing.pattern-invalid', `The route pattern "${pattern}" ${what}.`)
}
