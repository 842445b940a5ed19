/** What a text says that is no number and no date. */

const trueWords = new Set(['on', 'true', 'ok', '1', 'checked', 'yes', 'enable', 'enabled'])
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const isTrueWord = (text: string): boolean => trueWords.has(text.toLowerCase())

// PostgreSQL refuses a NUL in a text, and UTF-8 has no half characters, which JSON can spell: neither must get that far.
export const parseString = (text: string): string | undefined =>
  text.includes('\0') || !text.isWellFormed() ? undefined : text

/** In lower case, as PostgreSQL gives it: texts of one id are equal. */
export const parseUuid = (text: string): string | undefined =>
  uuid.test(text) ? text.toLowerCase() : undefined
