/** Reads the messages of an application in one locale. */
import type { BigDecimal } from '../params.ts'
import type { MessageCatalog } from './catalog.ts'
import { formatDate, type DateFormatOptions } from './date-format.ts'
import type { MessageArguments, MessageDate, MessageKey, MessageText } from './message-keys.ts'
import type { Translations } from './message.ts'

const formats = new Map<string, Intl.NumberFormat>()

/** Creating a format takes longer than using it. */
function numberFormat(locale: string, decimals: number): Intl.NumberFormat {
  const key = `${locale} ${decimals}`
  const known = formats.get(key)
  if (known !== undefined) return known
  // 20 is the largest number of decimals that every supported engine formats.
  const minimumFractionDigits = Math.min(decimals, 20)
  const format = new Intl.NumberFormat(locale, { minimumFractionDigits, maximumFractionDigits: 20 })
  if (formats.size < 100) formats.set(key, format)
  return format
}

/**
 * The messages in one locale. Creating an instance for each request is cheap.
 * @spec View helper › i18n
 */
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

  /** A number as the locale writes it. A decimal text keeps its digits: `'1234.50'` is `1,234.50`. */
  number(value: number | bigint | BigDecimal): string {
    const decimals = typeof value === 'string' ? (/\.(\d+)$/.exec(value)?.[1]?.length ?? 0) : 0
    return numberFormat(this.locale, decimals).format(value as number)
  }

  /** Returns the message of a key that is computed at run time; the key itself when no file contains it. */
  getOrKey(key: string, ...args: readonly unknown[]): string {
    return this.message(key, ...args) ?? key
  }

  /** Returns the message of a key that is computed at run time; `undefined` when no file contains it. */
  message(key: string, ...args: readonly unknown[]): string | undefined {
    return this.#translations.find(key)?.format(args)
  }

  /**
   * A date or time in the locale. Styles that are not given are `medium` for dates and `short` for times. `timeZone`
   * applies to instants; default is the zone of the process. Much faster than `toLocaleString`.
   */
  formatDate(value: MessageDate, options: DateFormatOptions = {}): string {
    return formatDate(this.locale, value, options)
  }
}
