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

/** Returns the script in which a locale is written: `Hant` for `zh-TW`; `undefined` if it is unknown. */
const scriptOf = (locale: string): string | undefined => new Intl.Locale(locale).maximize().script

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

/** Returns the direction of a locale's script, for `<html dir>`. */
export const localeDirection = (locale: string): 'ltr' | 'rtl' =>
  rightToLeft.has(scriptOf(locale)) ? 'rtl' : 'ltr'

const maxLength = 1024
const mostRanges = 32
const maxCached = 256

// A cache of results by header. Browsers send few different headers, and a lookup takes 20 µs.
const caches = new WeakMap<readonly string[], Map<string, string>>()

const range = /^([A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.\d{0,3})?))?$/

interface Preferences {
  /** The locales in descending order of preference; `*` is unchanged. */
  readonly wanted: readonly string[]
  /** The locales with the quality 0. */
  readonly refused: readonly string[]
}

/** Parses the locales of a header. Skips malformed ranges. */
function parseLocales(header: string): Preferences {
  const ranges: { locale: string; quality: number }[] = []
  for (const part of header.split(',', mostRanges)) {
    const [, tag, quality = '1'] = range.exec(part.trim()) ?? []
    const locale = tag === '*' ? tag : tag && canonicalLocale(tag)
    if (locale !== undefined) ranges.push({ locale, quality: Number(quality) })
  }
  ranges.sort((one, other) => other.quality - one.quality)
  const names = (chosen: boolean) =>
    ranges.filter(({ quality }) => quality > 0 === chosen).map(({ locale }) => locale)
  return { wanted: names(true), refused: names(false) }
}

/**
 * Returns the element of `available` that fits best, by the distances of Unicode CLDR: for `ja-JP` it finds `ja`, for `zh-TW`
 * `zh-Hant`, for `no` `nb`. A language that the visitor reads is better than a similar one. Returns `defaultLocale` if none
 * fits, or for `*`. Reads only the first 32 ranges, and ignores a header over 1024
 * characters. Never throws. Pass the same array each time, because results are cached per array.
 */
export function negotiateLocale(
  acceptLanguage: string | undefined,
  available: readonly string[],
  defaultLocale: string,
): string {
  if (acceptLanguage === undefined || acceptLanguage.length > maxLength) return defaultLocale
  const cache = cacheFor(available)
  const key = `${defaultLocale}\n${acceptLanguage}`
  let result = cache.get(key)
  if (result === undefined) {
    result = lookup(acceptLanguage, available, defaultLocale)
    if (cache.size >= maxCached) cache.clear()
    cache.set(key, result)
  }
  return result
}

function cacheFor(available: readonly string[]): Map<string, string> {
  const cache = caches.get(available) ?? new Map<string, string>()
  caches.set(available, cache)
  return cache
}

function lookup(header: string, available: readonly string[], defaultLocale: string): string {
  const { wanted, refused } = parseLocales(header)
  const spellings = new Map(available.map((locale) => [canonicalLocale(locale) ?? locale, locale]))
  const names = [...spellings.keys()].filter((name) => !refused.includes(name))
  const similar: string[] = []
  for (const locale of wanted) {
    if (locale === '*') break
    const found = findSpelling(locale, names)
    if (found === undefined) continue
    if (languageOf(found) === languageOf(locale)) return spellings.get(found)!
    similar.push(found)
  }
  return spellings.get(similar[0] ?? '') ?? defaultLocale
}

function findSpelling(locale: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const found = match([locale], names, '', { algorithm: 'best fit' })
  return found === '' ? undefined : found
}

/** Returns the language of a locale. The two written forms of Norwegian count as one language. */
function languageOf(locale: string): string {
  const [language = ''] = locale.split('-', 1)
  return language === 'nb' || language === 'nn' ? 'no' : language
}
