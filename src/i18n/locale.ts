/** Names of locales: `ja`, `ja_JP` and `ja-jp` are brought to one spelling. */

const longest = 35

/** The locale as BCP 47 writes it (`ja-JP`), extensions dropped; `undefined` when the text names none. */
export function canonicalLocale(text: string): string | undefined {
  if (text.length > longest) return undefined
  try {
    return new Intl.Locale(text.replaceAll('_', '-')).baseName
  } catch {
    return undefined
  }
}

/** The locale and those it falls back to: `zh-Hant-TW`, `zh-Hant`, `zh`. */
export function localeChain(locale: string): string[] {
  const parts = locale.split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}
