/** Reads the messages of an application in one locale. */
import { type BigDecimal, formatForForm } from '../params.ts'
import type { MessageCatalog, Translations } from './catalog.ts'
import { localeDirection } from './locale.ts'
import { formatDate, formatFileSize, formatNumber, type DateFormatOptions } from './formatters.ts'
import type { MessageArguments, MessageDate, MessageKey, MessageText } from './message-keys.ts'

/** The messages in one locale. Creating an instance for each request is cheap. @spec View helper › i18n */
export class I18n {
  readonly #translations: Translations
  readonly #onMissing: MessageCatalog['onMissing']

  constructor(catalog: MessageCatalog, locale?: string) {
    this.#translations = catalog.translations(locale)
    this.#onMissing = catalog.onMissing
  }

  /** The locale of the texts, for `<html lang>`. It is the default locale if the requested locale has no messages. */
  get locale(): string {
    return this.#translations.locale
  }

  /** The direction in which the locale is written, for `<html dir>`. */
  get direction(): 'ltr' | 'rtl' {
    return localeDirection(this.locale)
  }

  /**
   * Returns the message of a key; `undefined` when no file contains the key, or `[key]` in development. `args` are the
   * values of `{0}`, `{1}`, …, or one object with the values of named placeholders. If the generated `.fw/messages.ts`
   * exists, the compiler accepts only known keys.
   */
  get<K extends MessageKey>(key: K, ...args: MessageArguments<K>): MessageText {
    const text = this.#translations.find(key)?.format(args) ?? this.#onMissing?.(key)
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- it is one where an application's keys are known
    return text as MessageText
  }

  /** Returns the message of a key that is computed at run time; the key itself when no file contains it. */
  getOrKey(key: string, ...args: readonly unknown[]): string {
    return this.message(key, ...args) ?? key
  }

  /** Returns the message of a key that is computed at run time; `undefined` when no file contains it. */
  message(key: string, ...args: readonly unknown[]): string | undefined {
    return this.#translations.find(key)?.format(args)
  }

  /** Formats a number for the locale. A `BigDecimal` keeps its decimals: `'1234.50'` becomes `1,234.50` in English. */
  formatNumber(value: number | bigint | BigDecimal): string {
    return formatNumber(this.locale, value)
  }

  /** Formats a number of bytes for the locale, such as `1.5 MB`; a megabyte is 1024 kilobytes. */
  formatFileSize(bytes: number): string {
    return formatFileSize(this.locale, bytes)
  }

  /**
   * Formats the text of a number, such as `1234.50`, for an input, as `formatNumber` prints it. Leaves out groups if a reader could
   * take them for decimals, and returns other texts unchanged.
   */
  formatForForm(text: string): string {
    return formatForForm(text, this.locale, (number) => this.formatNumber(number as BigDecimal))
  }

  /**
   * Formats a date or time for the locale. The default styles are `medium` for dates and `short` for times. `timeZone`
   * applies to instants; the default is the zone of the process. This method is much faster than `toLocaleString`.
   */
  formatDate(value: MessageDate, options: DateFormatOptions = {}): string {
    return formatDate(this.locale, value, options)
  }
}
