/** Converts names between camel case and snake case. */

/** `isATMWorking` to `is_atm_working`: a run of capitals is one word; underscores stay. */
export function toSnakeCase(name: string): string {
  return name
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
}

/** `_first_name` and `FirstName` to `firstName`. */
export function toCamelCase(name: string): string {
  const upper = toUpperCamelCase(name)
  return upper.charAt(0).toLowerCase() + upper.slice(1)
}

/** `first_name` to `FirstName`. */
export function toUpperCamelCase(name: string): string {
  return name
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

const innerUnderscore = /(?<=[A-Za-z\d])_([A-Za-z\d])/g

/** The other spelling of a parameter: `countryId` for `country_id` and the reverse; `undefined` if there is none. */
export function toOtherCase(key: string): string | undefined {
  if (/[A-Z]/.test(key)) return toSnakeCase(key)
  if (!key.includes('_')) return undefined
  const other = key.replace(innerUnderscore, (_found, letter: string) => letter.toUpperCase())
  return other === key ? undefined : other
}
