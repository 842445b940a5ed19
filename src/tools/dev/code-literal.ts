/** Formats values as TypeScript code. */
import { Temporal } from '../../runtime/base.ts'

const maxDepth = 32
const plainName = /^[A-Za-z_$][\w$]*$/

/**
 * Formats a value as a TypeScript expression. Returns `undefined` for functions, instances of other classes and deeply nested
 * objects, which have no literal.
 */
export function literal(value: unknown, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value === null || value === undefined || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  return typeof value === 'object' ? objectLiteral(value, depth) : undefined
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

function objectLiteral(value: object, depth: number): string | undefined {
  if (Array.isArray(value)) return list(value, depth)
  if (value instanceof Date) return `new Date(${quoted(value.toISOString())})`
  if (value instanceof Uint8Array) return `Uint8Array.from([${value.join(', ')}])`
  if (value instanceof Map) return wrapped('Map', list([...value], depth))
  if (value instanceof Set) return wrapped('Set', list([...value], depth))
  for (const name of temporalNames)
    if (value instanceof Temporal[name]) return `Temporal.${name}.from(${quoted(String(value))})`
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined
  return all(
    Object.entries(value).map(([name, member]) => {
      const code = literal(member, depth + 1)
      return code && `${memberName(name)}: ${code}`
    }),
    (members) => (members.length === 0 ? '{}' : `{ ${members.join(', ')} }`),
  )
}

const temporalNames = [
  'Instant',
  'ZonedDateTime',
  'PlainDate',
  'PlainTime',
  'PlainDateTime',
  'PlainYearMonth',
  'PlainMonthDay',
  'Duration',
] as const

const list = (items: readonly unknown[], depth: number): string | undefined =>
  all(
    items.map((item) => literal(item, depth + 1)),
    (codes) => `[${codes.join(', ')}]`,
  )

const wrapped = (name: string, items: string | undefined): string | undefined =>
  items && `new ${name}(${items})`

function all(
  codes: readonly (string | undefined)[],
  join: (codes: readonly string[]) => string,
): string | undefined {
  const known = codes.filter((code) => code !== undefined)
  return known.length === codes.length ? join(known) : undefined
}
