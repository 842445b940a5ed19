/** The messages of an application in one locale. */
import type { MessageCatalog } from './catalog.ts'
import type { MessageArguments, MessageKey, MessageText } from './message-keys.ts'
import type { Translations } from './message.ts'

/**
 * Messages in one locale. Cheap enough to create for each request.
 *
 * @spec View helper › i18n
 */
export class I18n {
  readonly #translations: Translations
  readonly #onMissing: MessageCatalog['onMissing']

  constructor(catalog: MessageCatalog, locale?: string) {
    this.#translations = catalog.translations(locale)
    this.#onMissing = catalog.onMissing
  }

  /** The locale of the texts, for `<html lang>`: the default locale if the requested one has no messages. */
  get locale(): string {
    return this.#translations.locale
  }

  /**
   * The message of a key. `args` are `{0}`, `{1}`, …, or one object with the named placeholders. `undefined` when no
   * file has the key; in development the text is then `[key]`. If the generated `.fw/messages.ts` exists, the compiler
   * accepts only known keys.
   */
  get<K extends MessageKey>(key: K, ...args: MessageArguments<K>): MessageText {
    const text = this.#translations.find(key)?.format(args) ?? this.#onMissing?.(key)
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- it is one where an application's keys are known
    return text as MessageText
  }

  /** As {@link I18n.get}, for a key that is computed at run time. Returns the key itself when no file has it. */
  getOrKey(key: string, ...args: readonly unknown[]): string {
    return this.message(key, ...args) ?? key
  }

  /** As {@link I18n.get}, for a key that is computed at run time. `undefined` when no file has it. */
  message(key: string, ...args: readonly unknown[]): string | undefined {
    return this.#translations.find(key)?.format(args)
  }
}
