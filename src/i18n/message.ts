/** One message in one locale: a plain text, or an ICU pattern that is compiled when first used. */
import { Pattern } from './pattern.ts'
import type { ArgumentKind, Values } from './pattern.ts'

/** A text of a message file. */
export class Message {
  readonly text: string
  readonly #locale: string
  /** `null` for a text that is no ICU message. */
  #pattern: Pattern | null | undefined

  constructor(text: string, locale: string) {
    this.text = text
    this.#locale = locale
  }

  /** The placeholders; `undefined` when the text is not an ICU message. */
  get arguments(): ReadonlyMap<string, ArgumentKind> | undefined {
    return this.text.includes('{') ? this.#compiled()?.arguments : new Map()
  }

  /** Why the text is not an ICU message; `undefined` when it is. */
  fault(): string | undefined {
    if (!this.text.includes('{')) return undefined
    try {
      return void new Pattern(this.text, this.#locale)
    } catch (error) {
      return (error as Error).message
    }
  }

  /**
   * The message with its placeholders filled, from positions or from one object of names. A placeholder without a
   * value stays as it is written; a pattern or value that ICU refuses gives the text as it is written.
   */
  format(values: readonly unknown[]): string {
    if (!this.text.includes('{')) return this.text.replaceAll("''", "'")
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
