/** Values as JSON text for a client. */

/** How `jsonText` writes. */
export interface JsonStyle {
  /** Two blanks for each level. */
  readonly prettify?: boolean
  /** Gives the name under which a key of an object is written; a `Map` keeps its keys. */
  readonly key?: (key: string) => string
}

/**
 * As `JSON.stringify`, and a `bigint` is written as text, a `Map` as an object, a `Set` as a list.
 * @throws TypeError for a value that holds itself
 */
export function jsonText(value: unknown, { prettify = false, key }: JsonStyle = {}): string {
  const indent = prettify ? 2 : undefined
  if (key === undefined && indent === undefined) return plainText(value)
  const named = key === undefined ? beyondJson : renaming(key)
  return JSON.stringify(value, named, indent) ?? 'null'
}

// The replacer costs several times the writing, so it comes in only when there is need.
function plainText(value: unknown): string {
  if (holdsCollection(value, 0)) return JSON.stringify(value, beyondJson)
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(value, beyondJson)
  }
}

const deep = 64

/** Whether there is a `Map` or a `Set`, which JSON would write as empty; also true where it is too deep to look. */
function holdsCollection(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > deep || value instanceof Map || value instanceof Set) return true
  if (Array.isArray(value)) return value.some((entry) => holdsCollection(entry, depth + 1))
  for (const key in value)
    if (holdsCollection((value as Record<string, unknown>)[key], depth + 1)) return true
  return false
}

function beyondJson(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

function renaming(rename: (key: string) => string) {
  return (key: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map)
      return beyondJson(key, value)
    if (value instanceof Set) return [...value]
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]))
  }
}
