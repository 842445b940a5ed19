/** Converts names between camel case and snake case. */

/** Names that were converted, such as the fields of models: a lookup costs a tenth of a conversion. */
const snakeCased = new Map<string, string>()
/** Keys of data may come from clients. */
const maxSnakeCased = 2000

/** `isATMWorking` to `is_atm_working`: a run of capitals is one word; underscores stay. */
export function toSnakeCase(name: string): string {
  const known = snakeCased.get(name)
  if (known !== undefined) return known
  const snake = name
    .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
    .replace(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
  if (snakeCased.size < maxSnakeCased) snakeCased.set(name, snake)
  return snake
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
