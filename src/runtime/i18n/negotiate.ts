/** Negotiates the locale of a request from its header `Accept-Language`. */
import { match } from '@formatjs/intl-localematcher'
import { canonicalLocale } from './locale.ts'

const longest = 1024
const mostRanges = 32
const mostAnswers = 256

// Results by header. Browsers send few different headers, and a lookup takes 20 µs.
const known = new WeakMap<readonly string[], Map<string, string>>()

const range = /^([A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.\d{0,3})?))?$/

/** The locales of the header, preferred first. `*` is the default locale; malformed ranges are skipped. */
function wanted(header: string): string[] {
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
 * Returns the element of `available` that fits best, by RFC 4647 lookup with q-values: `ja-JP` finds `ja`. Returns
 * `defaultLocale` if none fits. Reads the first 32 ranges, and ignores a header over 1024 characters. Never throws.
 * Pass the same array each time, because results are cached per array.
 */
export function negotiateLocale(
  acceptLanguage: string | undefined,
  available: readonly string[],
  defaultLocale: string,
): string {
  if (acceptLanguage === undefined || acceptLanguage.length > longest) return defaultLocale
  const answers = answersFor(available)
  const question = `${defaultLocale}\n${acceptLanguage}`
  let answer = answers.get(question)
  if (answer === undefined) {
    answer = lookup(acceptLanguage, available, defaultLocale)
    if (answers.size >= mostAnswers) answers.clear()
    answers.set(question, answer)
  }
  return answer
}

function answersFor(available: readonly string[]): Map<string, string> {
  const answers = known.get(available) ?? new Map<string, string>()
  known.set(available, answers)
  return answers
}

function lookup(header: string, available: readonly string[], defaultLocale: string): string {
  const spellings = new Map(available.map((locale) => [canonicalLocale(locale) ?? locale, locale]))
  const names = [...spellings.keys()]
  for (const locale of wanted(header)) {
    if (locale === '*') return defaultLocale
    const found = match([locale], names, '', { algorithm: 'lookup' })
    if (found !== '') return spellings.get(found) ?? defaultLocale
  }
  return defaultLocale
}
