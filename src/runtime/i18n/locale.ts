/** Canonical names of locales (`ja_JP` and `ja-jp` both become `ja-JP`), and the choice of a request's locale. */
import { match } from '@formatjs/intl-localematcher'

const longest = 35

/** Returns the locale in BCP 47 spelling (`ja-JP`), without extensions; `undefined` if the text is not a locale. */
export function canonicalLocale(text: string): string | undefined {
  if (text.length > longest) return undefined
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).baseName
  } catch {
    return undefined
  }
}

const explicitScript = /^[a-z]+-([A-Z][a-z]{3})(?:-|$)/

/** Returns the script in which a canonical locale is written: `Hant` for `zh-TW`; `undefined` if it is unknown. */
const scriptOf = (locale: string): string | undefined =>
  explicitScript.exec(locale)?.[1] ?? new Intl.Locale(locale).maximize().script

/**
 * Returns the locale followed by its fallbacks in the same script: `pt-PT`, `pt`, but `zh-TW`, `zh-Hant`, because `zh` is
 * written in another script. `locale` is canonical.
 */
export function localeChain(locale: string): string[] {
  const parts = locale.split('-')
  const parents = parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
  const script = scriptOf(locale)
  const own = parents.filter((name) => scriptOf(name) === script)
  const bare = `${parts[0]!}-${script!}`
  return own.includes(parts[0]!) || own.includes(bare) || script === undefined
    ? own
    : [...own, bare]
}

const rightToLeft: ReadonlySet<string | undefined> = new Set(
  'Adlm Arab Aran Hebr Mand Mend Nkoo Rohg Samr Syrc Thaa Yezi'.split(' '),
)

const maxCached = 256
/** The directions of locales: to find a script takes 5 µs, a tenth of a page. */
const directions = new Map<string, 'ltr' | 'rtl'>()

/** Returns the direction of a locale's script, for `<html dir>`. */
export function localeDirection(locale: string): 'ltr' | 'rtl' {
  const known = directions.get(locale)
  if (known !== undefined) return known
  const direction = rightToLeft.has(scriptOf(locale)) ? 'rtl' : 'ltr'
  if (directions.size < maxCached) directions.set(locale, direction)
  return direction
}

const maxLength = 1024
const mostRanges = 16
/** The matcher stores every locale that it compares. Further ones find only a file of their own language. */
const mostCompared = 4096

/** A range of the header: language, script and region; further subtags do not change the choice. */
const range =
  /^(?:([A-Za-z]{2,3}|[A-Za-z]{5,8})(-[A-Za-z]{4})?(-[A-Za-z]{2}|-\d{3})?(?:-[A-Za-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.\d{0,3})?))?$/

interface Preferences {
  /** The locales in descending order of preference; `*` and what follows it are absent. */
  readonly wanted: readonly string[]
  /** The locales with the quality 0. */
  readonly refused: readonly string[]
}

/** Parses the locales of a header. Skips malformed ranges. */
function parseLocales(header: string): Preferences {
  const ranges: { locale: string; quality: number }[] = []
  for (const part of header.split(',', mostRanges)) {
    const found = range.exec(part.trim())
    if (found === null) continue
    const [, language, script = '', region = '', quality = '1'] = found
    const locale = language === undefined ? '*' : canonicalLocale(language + script + region)
    if (locale !== undefined) ranges.push({ locale, quality: Number(quality) })
  }
  ranges.sort((one, other) => other.quality - one.quality)
  const names = (chosen: boolean) =>
    ranges.filter(({ quality }) => quality > 0 === chosen).map(({ locale }) => locale)
  const wanted = names(true)
  const any = wanted.indexOf('*')
  return { wanted: any === -1 ? wanted : wanted.slice(0, any), refused: names(false) }
}

/**
 * Returns the element of `available` that fits best, by the distances of Unicode CLDR: for `ja-JP` it finds `ja`, for `zh-TW`
 * `zh-Hant`, for `no` `nb`. A language that the visitor reads is better than a similar one. Returns `defaultLocale` if none
 * fits, or for `*`. Reads only the first 16 ranges, and ignores a header over 1024 characters. Never throws. Pass the same
 * array each time, because its elements are prepared once.
 */
export function negotiateLocale(
  acceptLanguage: string | undefined,
  available: readonly string[],
  defaultLocale: string,
): string {
  if (acceptLanguage === undefined || acceptLanguage.length > maxLength) return defaultLocale
  if (available.length <= 1 && (available[0] ?? defaultLocale) === defaultLocale)
    return defaultLocale
  let locales = prepared.get(available)
  if (locales === undefined) {
    locales = new AvailableLocales(available)
    prepared.set(available, locales)
  }
  return locales.find(acceptLanguage) ?? defaultLocale
}

/** Returns true if both locales have the same language and script, so that numbers and dates of one suit texts of the other. */
export const sharesLanguage = (one: string, other: string): boolean =>
  one.split('-', 1)[0] === other.split('-', 1)[0] && scriptOf(one) === scriptOf(other)

/** Header and locale → locale with a region. */
const regional = new Map<string, string>()

/**
 * Returns the locale in which numbers and dates of a text in `locale` are formatted: the first locale of the header that has a
 * region, and the language and the script of the text; otherwise `locale`. For `es` and a visitor from Mexico, it is `es-MX`.
 */
export function regionalLocale(acceptLanguage: string | undefined, locale: string): string {
  if (acceptLanguage === undefined || acceptLanguage.length > maxLength) return locale
  const key = `${locale} ${acceptLanguage}`
  const known = regional.get(key)
  if (known !== undefined) return known
  const found = parseLocales(acceptLanguage).wanted.find(
    (wanted) => sharesLanguage(wanted, locale) && new Intl.Locale(wanted).region !== undefined,
  )
  // A region without formats of its own, such as `en-ZZ`, is that of the language, so that clients cannot fill the caches.
  const region =
    found === undefined ? locale : new Intl.NumberFormat(found).resolvedOptions().locale
  if (regional.size >= maxCached) regional.clear()
  regional.set(key, region)
  return region
}

const prepared = new WeakMap<readonly string[], AvailableLocales>()
const compared = new Set<string>()

/** The locales of an application, prepared for comparisons. */
class AvailableLocales {
  /** Canonical name → spelling. */
  readonly #spellings: ReadonlyMap<string, string>
  readonly #names: readonly string[]
  /** Language → canonical names. */
  readonly #byLanguage: ReadonlyMap<string, readonly string[]>
  /** Header → result; undefined if none fits. Browsers send few different headers. */
  readonly #results = new Map<string, string | undefined>()

  constructor(available: readonly string[]) {
    this.#spellings = new Map(available.map((name) => [canonicalLocale(name) ?? name, name]))
    this.#names = [...this.#spellings.keys()]
    this.#byLanguage = Map.groupBy(this.#names, languageOf)
  }

  /** Returns the element that fits the header best; undefined if none fits. */
  find(header: string): string | undefined {
    if (this.#results.has(header)) return this.#results.get(header)
    const preferences = parseLocales(header)
    const found = this.#findReadable(preferences) ?? this.#findSimilar(preferences)
    const result = found === undefined ? undefined : this.#spellings.get(found)
    if (this.#results.size >= maxCached) this.#results.clear()
    this.#results.set(header, result)
    return result
  }

  /** Returns the name that fits the first wanted locale whose language is available. */
  #findReadable({ wanted, refused }: Preferences): string | undefined {
    for (const locale of wanted) {
      const readable = this.#byLanguage.get(languageOf(locale))
      if (readable === undefined) continue
      const names = without(readable, refused)
      const found = mayCompare(locale)
        ? findClosest([locale], names)
        : findSameScript(locale, names)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Returns the name of a language that the readers of a wanted language understand. */
  #findSimilar({ wanted, refused }: Preferences): string | undefined {
    return findClosest(wanted.filter(mayCompare), without(this.#names, refused))
  }
}

const without = (names: readonly string[], refused: readonly string[]): readonly string[] =>
  names.some((name) => refused.includes(name))
    ? names.filter((name) => !refused.includes(name))
    : names

function findClosest(wanted: readonly string[], names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const found = match(wanted, names, '', { algorithm: 'best fit' })
  return found === '' ? undefined : found
}

function findSameScript(locale: string, names: readonly string[]): string | undefined {
  const script = scriptOf(locale)
  return names.find((name) => scriptOf(name) === script)
}

/** Returns true if the locale was compared before, or if its comparison may be stored. */
function mayCompare(locale: string): boolean {
  if (compared.has(locale)) return true
  if (compared.size >= mostCompared) return false
  compared.add(locale)
  return true
}

/** Returns the language of a locale for the choice of texts: readers of one written form of Norwegian read the other. */
function languageOf(locale: string): string {
  const [language = ''] = locale.split('-', 1)
  return language === 'nb' || language === 'nn' ? 'no' : language
}
