/** One message in one locale: a plain text, or an ICU pattern that is compiled when first used. */
import { IntlMessageFormat } from 'intl-messageformat'
import { messageDate } from './message-date.ts'

type Element = ReturnType<IntlMessageFormat['getAst']>[number]

/** What a placeholder takes. */
export type ArgumentKind = 'text' | 'number' | 'date'

// The numbers that the pattern's syntax tree gives to its elements.
const kinds = new Map<number, ArgumentKind>([
  [1, 'text'],
  [2, 'number'],
  [3, 'date'],
  [4, 'date'],
  [5, 'text'],
  [6, 'number'],
])

/** The placeholders of a pattern, in order of appearance; one used in two ways takes the narrower kind. */
function argumentsOf(elements: readonly Element[], found = new Map<string, ArgumentKind>()) {
  for (const element of elements) {
    const kind = kinds.get(element.type)
    if (kind !== undefined) {
      const name = (element as { value: string }).value
      if (kind !== 'text' || !found.has(name)) found.set(name, kind)
    }
    if ('options' in element) {
      for (const { value } of Object.values(element.options)) argumentsOf(value, found)
    }
  }
  return found
}

/** A text of a message file. */
export class Message {
  readonly text: string
  readonly #locale: string
  #format: IntlMessageFormat | undefined
  #arguments: ReadonlyMap<string, ArgumentKind> | undefined

  constructor(text: string, locale: string) {
    this.text = text
    this.#locale = locale
  }

  /** The placeholders by name; positions are the names `0`, `1`, …. @throws when the pattern is not ICU */
  get arguments(): ReadonlyMap<string, ArgumentKind> {
    if (this.#arguments === undefined) {
      if (this.text.includes('{')) {
        const format = new IntlMessageFormat(this.text, this.#locale, undefined, {
          ignoreTag: true,
        })
        this.#arguments = argumentsOf(format.getAst())
        this.#format = format
      } else this.#arguments = new Map()
    }
    return this.#arguments
  }

  /**
   * The message with its placeholders filled, from positions or from one object of names. A placeholder without a
   * value stays as it is written; a pattern or value that ICU refuses gives the text as it is written.
   */
  format(values: readonly unknown[]): string {
    if (!this.text.includes('{')) return this.text.replaceAll("''", "'")
    try {
      const filled = this.#fill(namedValues(values))
      const result: unknown = this.#format!.format(filled)
      return Array.isArray(result) ? result.join('') : String(result)
    } catch {
      return this.text
    }
  }

  #fill(given: Readonly<Record<string, unknown>>): Record<string, string | number | Date> {
    const filled: Record<string, string | number | Date> = Object.create(null)
    for (const [name, kind] of this.arguments) {
      filled[name] = Object.hasOwn(given, name) ? argument(given[name], kind) : `{${name}}`
    }
    return filled
  }
}

function namedValues(values: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [first] = values
  return values.length === 1 && isPlainObject(first) ? first : { ...values }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function argument(value: unknown, kind: ArgumentKind): string | number | Date {
  if (kind === 'number') return typeof value === 'bigint' ? (value as never) : Number(value)
  if (kind === 'date') return messageDate(value)
  if (value === undefined || value === null) return ''
  return value instanceof Date ? value.toISOString() : String(value)
}
