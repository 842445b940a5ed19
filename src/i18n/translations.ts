/** What a reader of one locale sees: the first text for a key along the fallback chain. */
import type { Leaf } from '../config.ts'
import { Message } from './message.ts'

/** The texts of one message file. */
export interface Bundle {
  /** The language they are written in. */
  readonly locale: string
  readonly messages: ReadonlyMap<string, Leaf>
}

/** Messages by key, compiled once. */
export class Translations {
  readonly locale: string
  readonly #bundles: readonly Bundle[]
  readonly #messages = new Map<string, Message>()

  constructor(locale: string, bundles: readonly Bundle[]) {
    this.locale = locale
    this.#bundles = bundles
  }

  find(key: string): Message | undefined {
    const known = this.#messages.get(key)
    if (known !== undefined) return known
    for (const { locale, messages } of this.#bundles) {
      const text = messages.get(key)?.text
      if (text === undefined) continue
      const message = new Message(text, this.#languageOf(locale))
      this.#messages.set(key, message)
      return message
    }
    return undefined
  }

  /** Numbers and plurals follow the text's language, in the reader's region where it is the same language. */
  #languageOf(textLocale: string): string {
    const [language] = textLocale.split('-')
    return this.locale.split('-')[0] === language ? this.locale : textLocale
  }

  keys(): string[] {
    return [...new Set(this.#bundles.flatMap(({ messages }) => [...messages.keys()]))].sort()
  }
}
