/** Formats values as TypeScript code. */

const maxDepth = 32
const plainName = /^[A-Za-z_$][\w$]*$/

/**
 * Formats a value as a TypeScript expression. Returns `undefined` for functions, instances of other classes and deeply nested
 * objects, which have no literal.
 */
export function literal(value: unknown): string | undefined {
  try {
    return format(value, 0)
  } catch {
    return undefined
  }
}

/** Formats the name of a member in an object literal. `__proto__` is computed, because otherwise it would set the prototype. */
export function memberName(name: string): string {
  if (name === '__proto__') return "['__proto__']"
  return plainName.test(name) ? name : quoted(name)
}

/** Formats a text as a string literal in single quotes. */
export function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}

function format(value: unknown, depth: number): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || value === undefined || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || depth > maxDepth) throw new TypeError('no literal')
  const list = (items: Iterable<unknown>): string =>
    `[${Array.from(items, (item) => format(item, depth + 1)).join(', ')}]`
  if (Array.isArray(value)) return list(value)
  if (value instanceof Date) return `new Date(${quoted(value.toISOString())})`
  if (value instanceof Uint8Array) return `Uint8Array.from(${list(value)})`
  if (value instanceof Map) return `new Map(${list(value)})`
  if (value instanceof Set) return `new Set(${list(value)})`
  const tag = (value as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag]
  if (tag !== undefined && /^Temporal\.\w+$/.test(tag))
    return `${tag}.from(${quoted(String(value))})`
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('no literal')
  const members = Object.entries(value).map(
    ([name, member]) => `${memberName(name)}: ${format(member, depth + 1)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
