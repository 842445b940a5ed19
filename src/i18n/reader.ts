/** The messages as one reader sees them. */
import type { MessageCatalog } from './catalog.ts'
import type { MessageArguments, MessageKey, MessageText } from './message-keys.ts'
import type { Translations } from './translations.ts'

/**
 * Messages in one locale; cheap to make for each request.
 *
 * @spec View helper › i18n
 */
export class I18n {
  readonly #translations: Translations

  constructor(catalog: MessageCatalog, locale?: string) {
    this.#translations = catalog.translations(locale)
  }

  /** The locale of the texts, for `<html lang>`: the default one when there are none in the wanted locale. */
  get locale(): string {
    return this.#translations.locale
  }

  /**
   * The message of a key with `{0}`, `{1}`, … from `args`, or named placeholders from one object.
   * `undefined` when no file has the key; where the application's keys are known to the compiler, only they are taken.
   */
  get<K extends MessageKey>(key: K, ...args: MessageArguments<K>): MessageText {
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- it is one where an application's keys are known
    return this.message(key, ...args) as MessageText
  }

  /** As {@link I18n.get}, for a key that is made up at run time; the key itself when no file has it. */
  getOrKey(key: string, ...args: readonly unknown[]): string {
    return this.message(key, ...args) ?? key
  }

  /** As {@link I18n.get}, for a key that is made up at run time; `undefined` when no file has it. */
  message(key: string, ...args: readonly unknown[]): string | undefined {
    return this.#translations.find(key)?.format(args)
  }
}
