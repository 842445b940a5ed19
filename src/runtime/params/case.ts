/** Converts names between camel case and snake case. */

/** The maximum number of names in each cache. It is limited because clients can choose the names of parameters. */
const maxKnown = 2000

/** Returns `convert` with a cache. The names are mostly fields of models, and a lookup costs a tenth of a conversion. */
function cached<Result>(convert: (name: string) => Result): (name: string) => Result {
  const results = new Map<string, Result>()
  return (name) => {
    const known = results.get(name)
    if (known !== undefined || results.has(name)) return known as Result
    const result = convert(name)
    if (results.size < maxKnown) results.set(name, result)
    return result
  }
}

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
