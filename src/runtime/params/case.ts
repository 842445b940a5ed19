/** Converts names between camel case and snake case. */

import { cached } from './cached.ts'

/** Converts `isATMWorking` to `is_atm_working`. Consecutive capitals are one word, and underscores stay. */
export const toSnakeCase = cached((name) =>
  name
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase(),
)

/** Converts `_first_name` and `FirstName` to `firstName`. */
export function toCamelCase(name: string): string {
  const upper = toUpperCamelCase(name)
  return upper.charAt(0).toLowerCase() + upper.slice(1)
}

/** Converts `first_name` to `FirstName`. */
export function toUpperCamelCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

const innerUnderscore = /(?<=[A-Za-z\d])_([A-Za-z\d])/g

/**
 * Returns the key in the other case: `countryId` for `country_id`, and the reverse. Returns `undefined` for a key that
 * is the same in both cases.
 */
export const toOtherCase = cached((key): string | undefined => {
  if (/[A-Z]/.test(key)) return toSnakeCase(key)
  if (!key.includes('_')) return undefined
  const other = key.replace(innerUnderscore, (_found, letter: string) => letter.toUpperCase())
  return other === key ? undefined : other
})
