/** The messages of a locale by key, with the fallbacks of its files. */
import type { Leaf } from '../config.ts'
import { Message } from './message.ts'

/** The messages of one file. */
export interface Bundle {
  /** The language of the messages. */
  readonly locale: string
  readonly messages: ReadonlyMap<string, Leaf>
}

/** The messages of a locale by key. Each message is compiled once. */
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

  /**
   * Returns the locale for formatting numbers and plurals in a text. If the requested locale has the language of the
   * text, its region applies too; otherwise the locale of the text.
   */
  #languageOf(textLocale: string): string {
    const [language] = textLocale.split('-')
    return this.locale.split('-')[0] === language ? this.locale : textLocale
  }

  keys(): string[] {
    return [...new Set(this.#bundles.flatMap(({ messages }) => [...messages.keys()]))].sort()
  }
}
