/** Canonical locale names: `ja_JP` and `ja-jp` both become `ja-JP`. */

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
