/** One message in one locale. A message is plain text, or an ICU pattern that is compiled on first use. */
import { Pattern, type ArgumentKind, type Values } from './icu-pattern.ts'

/** One text of a message file. */
export class Message {
  readonly text: string
  readonly #locale: string
  /** The formatted text if the message has no placeholders; otherwise `undefined`. */
  readonly #plain: string | undefined
  /** The compiled pattern; `undefined` before the first use, `null` if the text is not an ICU message. */
  #pattern: Pattern | null | undefined

  constructor(text: string, locale: string) {
    this.text = text
    this.#locale = locale
    this.#plain = text.includes('{') ? undefined : text.replaceAll("''", "'")
  }

  /** The kinds of the placeholders by name; `undefined` when the text is not an ICU message. */
  get arguments(): ReadonlyMap<string, ArgumentKind> | undefined {
    return this.text.includes('{') ? this.#compiled()?.arguments : new Map()
  }

  /** Returns the reason why the text is not an ICU message; `undefined` when it is one. */
  fault(): string | undefined {
    if (this.#plain !== undefined) return undefined
    try {
      return void new Pattern(this.text, this.#locale)
    } catch (error) {
      return (error as Error).message
    }
  }

  /**
   * Formats the message with positional arguments, or with one object of named arguments. Prints a placeholder without
   * a value as written. Returns the text as written if the pattern or a value is invalid in ICU.
   */
  format(values: readonly unknown[]): string {
    if (this.#plain !== undefined) return this.#plain
    try {
      return this.#compiled()?.format(valuesOf(values)) ?? this.text
    } catch {
      return this.text
    }
  }

  #compiled(): Pattern | null {
    if (this.#pattern !== undefined) return this.#pattern
    try {
      this.#pattern = new Pattern(this.text, this.#locale)
    } catch {
      this.#pattern = null
    }
    return this.#pattern
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
