/** Reads the messages of an application in one locale. */
import { type BigDecimal, formatForForm } from '../params.ts'
import type { MessageCatalog, Translations } from './catalog.ts'
import { currentMessages } from './current-messages.ts'
import { localeDirection } from './locale.ts'
import { timeZoneName } from './time-zone.ts'
import { formatDate, formatFileSize, formatNumber, type DateFormatOptions } from './formatters.ts'
import type { MessageDate } from './message-date.ts'
import type {
  MessageArguments,
  MessageKey,
  MessageText,
  KeyWithoutArguments,
} from './message-keys.ts'

/** How numbers and dates are shown to a visitor. They are read only if a page prints one, because the response then varies by them. */
export interface FormatPreferences {
  /** Returns the locale of numbers and dates beside texts in `locale`. */
  formatLocaleFor(locale: string): string
  readonly timeZone: string
}

/** The messages in one locale. Creating an instance for each request is cheap. @spec View helper › i18n */
export class I18n {
  readonly #catalog: MessageCatalog
  readonly #translations: Translations
  readonly #preferences: FormatPreferences | undefined
  #formatLocale: string | undefined

  /**
   * Returns the messages of the running application in a language, for jobs, scripts and other code without a visitor. Without
   * messages in the language, they are those of the default language.
   * @throws FwError `i18n.no-application`
   */
  static for(locale: string): I18n {
    return new I18n(currentMessages(), locale)
  }

  constructor(catalog: MessageCatalog, locale?: string, preferences?: FormatPreferences) {
    this.#catalog = catalog
    this.#translations = catalog.translations(locale)
    this.#preferences = preferences
  }

  /** The locale of the texts, for `<html lang>`. It is the default locale if the requested locale has no messages. */
  get locale(): string {
    return this.#translations.locale
  }

  /** The locale of numbers and dates: the language of the texts with the visitor's region, such as `es-MX`. */
  get formatLocale(): string {
    return (this.#formatLocale ??= this.#preferences?.formatLocaleFor(this.locale) ?? this.locale)
  }

  /** The time zone in which instants are shown and forms are read, such as `Europe/Berlin`. */
  get timeZone(): string {
    return this.#preferences?.timeZone ?? this.#catalog.timeZone
  }

  /** The calendar of dates, such as `gregory`; `undefined` for that of the visitor's locale. */
  get calendar(): string | undefined {
    return this.#catalog.calendar
  }

  /** The name of the time zone in the language of the texts, for labels: `Central European Time`. */
  get timeZoneName(): string {
    return timeZoneName(this.locale, this.timeZone)
  }

  /** The direction in which the locale is written, for `<html dir>`. */
  get direction(): 'ltr' | 'rtl' {
    return localeDirection(this.locale)
  }

  /**
   * Returns the message of a key without placeholders; `undefined` when no file contains the key, or `[key]` in development.
   * If the generated `.fw/messages.ts` exists, the compiler accepts only known keys.
   */
  // The compiler checks this overload in constant time, and the generic one in time linear in the number of keys.
  get(key: KeyWithoutArguments): MessageText
  /**
   * Returns the message of a key with placeholders. `args` are the values of `{0}`, `{1}`, …, or one object with the values of
   * named placeholders.
   */
  get<K extends MessageKey>(key: K, ...args: MessageArguments<K>): MessageText
  get(key: string, ...args: readonly unknown[]): MessageText {
    const text = this.#format(key, args) ?? this.#catalog.onMissing?.(key)
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- it is one where an application's keys are known
    return text as MessageText
  }

  /** Returns the message of a key that is computed at run time; the key itself when no file contains it. */
  getOrKey(key: string, ...args: readonly unknown[]): string {
    return this.#format(key, args) ?? key
  }

  /** Returns the message of a key that is computed at run time; `undefined` when no file contains it. */
  message(key: string, ...args: readonly unknown[]): string | undefined {
    return this.#format(key, args)
  }

  /** Formats a number for the locale. A `BigDecimal` keeps its decimals: `'1234.50'` becomes `1,234.50` in English. */
  formatNumber(value: number | bigint | BigDecimal): string {
    return formatNumber(this.formatLocale, value)
  }

  /** Formats a number of bytes for the locale, such as `1.5 MB`; a megabyte is 1024 kilobytes. */
  formatFileSize(bytes: number): string {
    return formatFileSize(this.formatLocale, bytes)
  }

  /**
   * Formats the text of a number, such as `1234.50`, for an input, as `formatNumber` prints it. Leaves out groups if a reader could
   * take them for decimals, and returns other texts unchanged.
   */
  formatForForm(text: string): string {
    return formatForForm(text, this.formatLocale, (number) =>
      this.formatNumber(number as BigDecimal),
    )
  }

  /**
   * Formats a date or time for the locale. The default styles are `medium` for dates and `short` for times. Instants are shown in
   * the zone of the page, or in `timeZone`. The default `calendar` is that of the configuration. This method is much faster
   * than `toLocaleString`.
   */
  formatDate(value: MessageDate, options: DateFormatOptions = {}): string {
    return formatDate(this.formatLocale, value, options, this)
  }

  #format(key: string, args: readonly unknown[]): string | undefined {
    const message = this.#translations.find(key)
    if (message?.isRegional !== true) return message?.format(args)
    return this.#translations.in(this.formatLocale).find(key)?.format(args, this.timeZone)
  }
}
