/** The message files of an application, by locale. */
import { FwError, type Logger } from '../base.ts'
import {
  Configuration,
  iterateLeaves,
  readKeyFiles,
  type ConfigProblem,
  type Leaf,
  type Section,
} from '../config.ts'
import { canonicalLocale, localeChain, sharesLanguage } from './locale.ts'
import { Message } from './message.ts'

const mostCached = 64
const mostRegions = 16

interface CatalogOptions {
  /** The language of `messages.yml`; default `en`. */
  readonly defaultLocale?: string | undefined
  /** The time zone in which pages and forms show instants; default `UTC`. */
  readonly timeZone?: string | undefined
  /** The calendar of dates: a name such as `gregory`, which is the default, or `locale` for that of the visitor's locale. */
  readonly calendar?: string | undefined
  /** Returns the text for a key that no message file contains. In development, `fw run` shows the key in brackets. */
  readonly onMissing?: ((key: string) => string) | undefined
}

/** The messages of one file. */
interface Bundle {
  /** The language of the messages. */
  readonly locale: string
  readonly messages: ReadonlyMap<string, Leaf>
}

/** The messages of a locale by key. Each message is compiled once. */
export class Translations {
  readonly locale: string
  readonly #bundles: readonly Bundle[]
  readonly #messages = new Map<string, Message>()
  /** The locale of numbers and dates in the texts. */
  readonly #formatLocale: string
  readonly #calendar: string | undefined
  /** Locale of numbers and dates → the same texts in this locale. */
  readonly #regional = new Map<string, Translations>()

  constructor(
    locale: string,
    bundles: readonly Bundle[],
    { calendar, formatLocale = locale }: { calendar?: string | undefined; formatLocale?: string },
  ) {
    this.locale = locale
    this.#bundles = bundles
    this.#formatLocale = formatLocale
    this.#calendar = calendar
  }

  /** Returns the same texts, with numbers and dates in another locale of the language. */
  in(formatLocale: string): Translations {
    if (formatLocale === this.#formatLocale) return this
    const known = this.#regional.get(formatLocale)
    if (known !== undefined) return known
    const options = { calendar: this.#calendar, formatLocale }
    const created = new Translations(this.locale, this.#bundles, options)
    if (this.#regional.size >= mostRegions) this.#regional.clear()
    this.#regional.set(formatLocale, created)
    return created
  }

  find(key: string): Message | undefined {
    const known = this.#messages.get(key)
    if (known !== undefined) return known
    for (const { locale, messages } of this.#bundles) {
      const text = messages.get(key)?.text
      if (text === undefined) continue
      const calendar = this.#calendar === undefined ? '' : `-u-ca-${this.#calendar}`
      const message = new Message(text, this.#localeIn(locale) + calendar)
      this.#messages.set(key, message)
      return message
    }
    return undefined
  }

  /**
   * Returns the locale of numbers, dates and plurals in a text. If the requested locale has language and script of the
   * text, its region applies too; otherwise the locale of the text.
   */
  #localeIn(textLocale: string): string {
    return sharesLanguage(this.#formatLocale, textLocale) ? this.#formatLocale : textLocale
  }

  keys(): string[] {
    return [...new Set(this.#bundles.flatMap(({ messages }) => [...messages.keys()]))].sort()
  }
}

/** The content of the message files by locale. The key `''` contains `messages.yml`. */
type MessageSections = ReadonlyMap<string, Section>

/**
 * All messages of an application. A key is looked up in the locale (`messages_ja_JP.yml`), and then in its parent locale
 * (`messages_ja.yml`). The next fallbacks are the default locale, `messages.yml`, and the texts that Fw contains.
 */
export class MessageCatalog {
  readonly defaultLocale: string
  /** The locales with a message file, in BCP 47 spelling (`ja-JP`). The first one is the default locale. */
  readonly locales: readonly string[]
  readonly onMissing: ((key: string) => string) | undefined
  readonly timeZone: string
  /** The calendar of dates; `undefined` for that of the visitor's locale. */
  readonly calendar: string | undefined
  readonly #bundles = new Map<string, Bundle>()
  readonly #translations = new Map<string, Translations>()

  /** Use {@link MessageCatalog.load} or {@link MessageCatalog.from} to create a catalog. */
  constructor(
    sections: MessageSections,
    {
      defaultLocale = 'en',
      timeZone = 'UTC',
      calendar = 'gregory',
      onMissing,
    }: CatalogOptions = {},
  ) {
    this.onMissing = onMissing
    this.timeZone = timeZone
    this.calendar = calendar === 'locale' ? undefined : calendar
    this.defaultLocale = requireLocale(defaultLocale, 'the default locale')
    for (const [suffix, section] of sections) {
      const locale = suffix === '' ? this.defaultLocale : requireLocale(suffix, 'a message file')
      const name = suffix === '' ? '' : locale
      if (this.#bundles.has(name)) {
        throw new FwError('i18n.invalid', `two message files are for ${locale}; keep one`)
      }
      this.#bundles.set(name, { locale, messages: new Map(iterateLeaves(section)) })
    }
    const own = [...this.#bundles.values()].map(({ locale }) => locale)
    this.locales = [...new Set([this.defaultLocale, ...own])]
  }

  /**
   * Reads `messages.yml` and every `messages_<locale>.yml` of a folder.
   * @throws `config.invalid` with the positions of the errors, `i18n.invalid` for a file name without a valid locale,
   * or for two files of one locale
   */
  static load(directory: string, options?: CatalogOptions): MessageCatalog {
    return new MessageCatalog(readKeyFiles(directory, 'messages'), options)
  }

  /**
   * Creates a catalog from plain values by locale instead of files, for tests and single-file applications. The key `''` stands
   * for `messages.yml`: its messages apply where a locale has none.
   */
  static from(
    files: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
    options?: CatalogOptions,
  ): MessageCatalog {
    const sections = Object.entries(files).map(
      ([suffix, values]) => [suffix, Configuration.from(values).root] as const,
    )
    return new MessageCatalog(new Map(sections), options)
  }

  /** Returns the messages for `locale`; those of the default locale if `locale` is invalid or has no messages. */
  translations(locale: string = this.defaultLocale): Translations {
    return (
      this.#translations.get(locale) ?? this.#cached(canonicalLocale(locale) ?? this.defaultLocale)
    )
  }

  /** Caches messages by canonical locale, because a client may send a locale in many spellings. */
  #cached(locale: string): Translations {
    const known = this.#translations.get(locale)
    if (known !== undefined) return known
    const created = this.#createTranslations(locale)
    // Drops the oldest entry of a full cache, because clients can request any number of locales.
    const [oldest] = this.#translations.keys()
    if (this.#translations.size >= mostCached) this.#translations.delete(oldest!)
    this.#translations.set(locale, created)
    return created
  }

  #createTranslations(locale: string): Translations {
    const own = this.#bundlesOf(locale)
    const hasOwn = own.length > 0 || localeChain(locale).includes(this.defaultLocale)
    const last = [this.#bundles.get(''), shipped].filter((bundle) => bundle !== undefined)
    const bundles = new Set([...own, ...this.#bundlesOf(this.defaultLocale), ...last])
    const { calendar } = this
    return new Translations(hasOwn ? locale : this.defaultLocale, [...bundles], { calendar })
  }

  #bundlesOf(locale: string): Bundle[] {
    const bundles = localeChain(locale).map((name) => this.#bundles.get(name))
    return bundles.filter((bundle) => bundle !== undefined)
  }

  /** Returns the keys of the default locale, including those of the texts that Fw contains. */
  keys(): string[] {
    return this.translations().keys()
  }

  /** Returns the application's keys that have no text in `locale`. For these keys, `locale` uses the default locale's text. */
  missingKeys(locale: string): string[] {
    const own = this.#bundlesOf(canonicalLocale(locale) ?? locale)
    const application = [this.#bundles.get(''), ...this.#bundlesOf(this.defaultLocale)]
    const keys = new Set(application.flatMap((bundle) => [...(bundle?.messages.keys() ?? [])]))
    return [...keys].filter((key) => !own.some(({ messages }) => messages.has(key))).sort()
  }

  /** Finds texts that are not ICU messages, and placeholders that are missing in the text of the default locale. */
  problems(): ConfigProblem[] {
    const problems: ConfigProblem[] = []
    for (const { locale, messages } of this.#bundles.values()) {
      for (const [key, leaf] of messages) {
        const text = this.#findFault(key, leaf.text!, locale)
        if (text !== undefined)
          problems.push({ origin: leaf.origin, text: `message ${key}: ${text}` })
      }
    }
    return problems
  }

  #findFault(key: string, text: string, locale: string): string | undefined {
    const message = new Message(text, locale)
    const fault = message.fault()
    if (fault !== undefined)
      return `the text cannot be read as a message: ${patternFaults[fault] ?? `check its { and }, and the words between them (${fault})`}`
    const allowed = this.translations().find(key)?.arguments
    const names = [...(message.arguments?.keys() ?? [])]
    const unknownName = names.find((name) => allowed?.has(name) === false)
    return unknownName && `{${unknownName}} is not in the text of the default locale`
  }
}

/** Explains the most frequent error codes of the parser of ICU messages. */
const patternFaults: Readonly<Record<string, string>> = {
  MISSING_OTHER_CLAUSE:
    'a plural or select needs a branch named other: write it like {count, plural, one {# title} other {# titles}}',
  EXPECT_ARGUMENT_CLOSING_BRACE: 'add the missing }',
  UNCLOSED_QUOTE_IN_ARGUMENT_STYLE: "add the missing '",
  EMPTY_ARGUMENT: 'write a name or a number between { and }',
  MALFORMED_ARGUMENT: 'write only a name, or a name, a comma and a type, between { and }',
  INVALID_ARGUMENT_TYPE:
    'the type of a placeholder is number, date, time, plural, select or selectordinal',
  EXPECT_PLURAL_ARGUMENT_SELECTOR: 'write a branch such as one {…} after the type',
  EXPECT_SELECT_ARGUMENT_OPTIONS: 'write branches such as one {…} other {…} after the type',
  EXPECT_PLURAL_ARGUMENT_SELECTOR_FRAGMENT: 'write {…} after the name of each branch',
  EXPECT_SELECT_ARGUMENT_SELECTOR_FRAGMENT: 'write {…} after the name of each branch',
}

const defaultMessages: Readonly<Record<string, string>> = {
  year: 'Year',
  month: 'Month',
  day: 'Day',
  hour: 'Hour',
  minute: 'Minute',
  second: 'Second',
  top: 'Top',
  backToList: 'Back to list',
  submit: 'Submit',
  cancel: 'Cancel',
  detail: 'Detail',
  new: 'New',
  edit: 'Edit',
  delete: 'Delete',
  empty: 'Empty',
}

const shipped: Bundle = {
  locale: 'en',
  messages: new Map(iterateLeaves(Configuration.from(defaultMessages).root)),
}

function requireLocale(text: string, what: string): string {
  const locale = canonicalLocale(text)
  if (locale !== undefined) return locale
  const shown = JSON.stringify(text.slice(0, 64))
  throw new FwError(
    'i18n.invalid',
    `${what} names ${shown}, which is no locale; write one as ja or pt_BR`,
  )
}

/** The maximum number of missing message keys that are remembered: keys may be computed, so their number must be limited. */
const maxMissingKeys = 1000

/** Returns a function for missing messages: logs each key once, and returns the key in brackets, for the page. */
export function reportMissing(logger: Logger): (key: string) => string {
  const reported = new Set<string>()
  return (key) => {
    if (!reported.has(key) && reported.size < maxMissingKeys) {
      reported.add(key)
      logger.warn({ key }, `messages.yml has no ${key}`)
    }
    return `[${key}]`
  }
}
