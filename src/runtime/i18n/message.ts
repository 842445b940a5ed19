/** One message in one locale: plain text, or an ICU pattern that is compiled on first use. */
import { IntlMessageFormat } from 'intl-messageformat'
import { messageFormatters, toMoment, type Moment } from './message-formatters.ts'
import type { MessageDate } from './message-date.ts'

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** The kind of value that a placeholder formats. */
export type ArgumentKind = 'text' | 'number' | 'date'

/** The values of the placeholders by name. Positional arguments have the names `0`, `1` and so on. */
type Values = Readonly<Record<string, unknown>>

/** One text of a message file. */
export class Message {
  readonly text: string
  readonly #locale: string
  /** The formatted text if the message has no placeholders; otherwise `undefined`. */
  readonly #plain: string | undefined
  /** The compiled pattern; `undefined` before the first use, an error if the text is not an ICU message. */
  #pattern: Pattern | Error | undefined

  constructor(text: string, locale: string) {
    this.text = text
    this.#locale = locale
    this.#plain = text.includes('{') ? undefined : text.replaceAll("''", "'")
  }

  /** The kinds of the placeholders by name; `undefined` when the text is not an ICU message. */
  get arguments(): ReadonlyMap<string, ArgumentKind> | undefined {
    if (this.#plain !== undefined) return new Map()
    const pattern = this.#compiled()
    return pattern instanceof Error ? undefined : pattern.arguments
  }

  /** Whether the text has more than plain placeholders: a number, a date or a plural depends on the visitor's region. */
  get isRegional(): boolean {
    if (this.#plain !== undefined) return false
    const pattern = this.#compiled()
    return !(pattern instanceof Error) && !pattern.isPlain
  }

  /** Returns the reason why the text is not an ICU message; `undefined` when it is one. */
  fault(): string | undefined {
    const pattern = this.#plain === undefined ? this.#compiled() : undefined
    return pattern instanceof Error ? pattern.message : undefined
  }

  /**
   * Formats the message with positional arguments, or with one object of named arguments. Prints a placeholder without
   * a value as written. Returns the text as written if the pattern or a value is invalid in ICU. Instants are shown in `timeZone`.
   */
  format(values: readonly unknown[], timeZone = 'UTC'): string {
    if (this.#plain !== undefined) return this.#plain
    const pattern = this.#compiled()
    if (pattern instanceof Error) return this.text
    try {
      return pattern.format(valuesOf(values), timeZone)
    } catch {
      return this.text
    }
  }

  #compiled(): Pattern | Error {
    try {
      return (this.#pattern ??= new Pattern(this.text, this.#locale))
    } catch (error) {
      return (this.#pattern = error as Error)
    }
  }
}

function valuesOf(values: readonly unknown[]): Values {
  const [first] = values
  if (values.length === 1 && isPlainObject(first)) return first
  const named: Record<string, unknown> = {}
  for (let at = 0; at < values.length; at++) named[at] = values[at]
  return named
}

function isPlainObject(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// The numeric types of literals and plain placeholders in the syntax tree of `intl-messageformat`.
const literal = 0
const placeholder = 1
/** The kinds of placeholders by numeric type: 2 number, 3 date, 4 time, 5 select, 6 plural. */
const kinds = [undefined, 'text', 'number', 'date', 'date', 'text', 'number'] as const

function contentOf(element: Element): string {
  return (element as { value: string }).value
}

/** Returns the placeholders in order. One that is used both as text and as a number or date has the latter kind. */
function argumentsOf(
  elements: readonly Element[],
  found = new Map<string, ArgumentKind>(),
): ReadonlyMap<string, ArgumentKind> {
  for (const element of elements) {
    const kind = kinds.at(element.type)
    const name = contentOf(element)
    if (kind !== undefined && (kind !== 'text' || !found.has(name))) found.set(name, kind)
    if ('options' in element) {
      for (const { value } of Object.values(element.options)) argumentsOf(value, found)
    }
  }
  return found
}

/** A compiled pattern. Most patterns have only plain placeholders, and are formatted without ICU. */
class Pattern {
  readonly arguments: ReadonlyMap<string, ArgumentKind>
  readonly #format: IntlMessageFormat
  readonly #elements: readonly Element[]
  /** True if no placeholder formats its value. */
  readonly isPlain: boolean

  /** @throws when the text is not an ICU message */
  constructor(text: string, locale: string) {
    this.#format = new IntlMessageFormat(text, locale, undefined, {
      ignoreTag: true,
      formatters: messageFormatters,
    })
    this.#elements = this.#format.getAst()
    this.arguments = argumentsOf(this.#elements)
    this.isPlain = this.#elements.every(({ type }) => type === literal || type === placeholder)
  }

  /** Formats the pattern. @throws when ICU rejects a value */
  format(given: Values, timeZone: string): string {
    if (this.isPlain) return this.#join(given)
    const values: Record<string, string | number | Moment> = Object.create(null)
    for (const [name, kind] of this.arguments) values[name] = fill(given, name, kind, timeZone)
    const result: unknown = this.#format.format(values)
    return Array.isArray(result) ? result.join('') : String(result)
  }

  #join(given: Values): string {
    let text = ''
    for (const element of this.#elements) {
      const content = contentOf(element)
      text += element.type === literal ? content : fill(given, content, 'text', '')
    }
    return text
  }
}

/** Converts the value of a placeholder to its kind. A placeholder without a value is printed as written. */
function fill(
  given: Values,
  name: string,
  kind: ArgumentKind,
  timeZone: string,
): string | number | Moment {
  if (!Object.hasOwn(given, name)) return `{${name}}`
  const value = given[name]
  if (kind === 'text') return printed(value)
  if (kind === 'date') return toMoment(value as MessageDate, timeZone)
  return typeof value === 'bigint' ? (value as never) : Number(value)
}

function printed(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return value instanceof Date ? value.toISOString() : String(value)
}
