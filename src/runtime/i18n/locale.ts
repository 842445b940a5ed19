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

/** Returns the locale followed by its fallbacks: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function localeChain(locale: string): string[] {
  const parts = locale.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}

const maxLength = 1024
const mostRanges = 32
const maxCached = 256

// A cache of results by header. Browsers send few different headers, and a lookup takes 20 µs.
const caches = new WeakMap<readonly string[], Map<string, string>>()

const range = /^([A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.\d{0,3})?))?$/

/** Parses the locales of a header, in descending order of preference. Skips malformed ranges, and returns `*` unchanged. */
function parseLocales(header: string): string[] {
  const ranges: { locale: string; quality: number }[] = []
  for (const part of header.split(',', mostRanges)) {
    const [, tag, quality = '1'] = range.exec(part.trim()) ?? []
    const locale = tag === '*' ? tag : tag && canonicalLocale(tag)
    if (locale !== undefined && Number(quality) > 0)
      ranges.push({ locale, quality: Number(quality) })
  }
  return ranges.sort((one, other) => other.quality - one.quality).map(({ locale }) => locale)
}

/**
 * Returns the element of `available` that fits best, by RFC 4647 lookup with q-values: for `ja-JP` it finds `ja`.
 * Returns `defaultLocale` if none fits, or for `*`. Reads only the first 32 ranges, and ignores a header over 1024
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
  const spellings = new Map(available.map((locale) => [canonicalLocale(locale) ?? locale, locale]))
  const names = [...spellings.keys()]
  for (const locale of parseLocales(header)) {
    if (locale === '*') return defaultLocale
    const found = match([locale], names, '', { algorithm: 'lookup' })
    if (found !== '') return spellings.get(found) ?? defaultLocale
  }
  return defaultLocale
}
