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
 * @throws TypeError for a value that holds itself, or a promise
 */
export function jsonText(value: unknown, { prettify = false, key }: JsonStyle = {}): string {
  try {
    return written(value, prettify, key)
  } catch (error) {
    quieten(value, new Set())
    throw error
  }
}

function written(value: unknown, prettify: boolean, key: JsonStyle['key']): string {
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

const isBeyondJson = (value: object): boolean =>
  value instanceof Map || value instanceof Set || value instanceof Promise

/** Dates and times; what another `toJSON` gives may hold anything, and is known only once it was called. */
const isTextInJson = (value: object): boolean =>
  value instanceof Date || Object.prototype.toString.call(value).startsWith('[object Temporal.')

/** Whether there is a `Map`, a `Set` or a promise, which JSON would write as empty; also true where it is too deep to look. */
function holdsCollection(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > deep || isBeyondJson(value)) return true
  if (Array.isArray(value)) return value.some((entry) => holdsCollection(entry, depth + 1))
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return !isTextInJson(value)
  for (const key in value)
    if (holdsCollection((value as Record<string, unknown>)[key], depth + 1)) return true
  return false
}

function beyondJson(key: string, value: unknown): unknown {
  if (value instanceof Promise)
    throw new TypeError(
      `The promise at '${key}' in a JSON answer was not awaited: await it in the action.`,
    )
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

/** Promises that nobody will await any more must not end the process when they are rejected. */
function quieten(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Promise) return void value.catch(() => {})
  const members = value instanceof Map ? value.values() : Object.values(value)
  for (const member of members) quieten(member, seen)
}

function renaming(rename: (key: string) => string) {
  return (key: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isBeyondJson(value))
      return beyondJson(key, value)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]))
  }
}
