/** Chooses the locale that a browser asked for among those there are. */
import { match } from '@formatjs/intl-localematcher'
import { canonicalLocale } from './locale.ts'

const longest = 1024
const mostRanges = 32
const mostAnswers = 256

// Browsers send few different headers, and one costs 20 µs to look up.
const known = new WeakMap<readonly string[], Map<string, string>>()

const range = /^([A-Za-z]{1,8}(?:-[A-Za-z\d]{1,8})*|\*)(?:[ \t]*;[ \t]*[qQ]=([01](?:\.\d{0,3})?))?$/

/** The wanted locales, most wanted first. `*` stands for the default; what is not well-formed is left out. */
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
 * One of `available`, in its spelling there, by the lookup of RFC 4647 with q-values: `ja-JP` finds `ja`; or
 * `defaultLocale` when none fits. Looks at the first 32 ranges; a header over 1024 characters asks for nothing.
 * Never throws. Give the same array each time: answers are kept for it.
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
