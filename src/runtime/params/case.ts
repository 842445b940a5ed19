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
