/** Session attributes: checks names, and encodes values as JSON text with tags for types that JSON lacks. */
import { FwError, Temporal } from '../base.ts'

/** The methods of a session that `Flash` and `ForgeryToken` call. */
export interface SessionAttributes {
  get(name: string): unknown
  set(name: string, value: unknown): void
  delete(name: string): void
  keys(): string[]
}

const maxNameLength = 128
const maxDepth = 64
const maxBytes = 64 * 1024

/**
 * Checks a name.
 * @throws FwError `session.name-too-long` above 128 characters; `session.name-invalid` for an empty name, one with NUL, or one
 * that is not well-formed Unicode
 */
export function checkAttributeName(name: string): void {
  if (name.length > maxNameLength) {
    throw new FwError(
      'session.name-too-long',
      `Session attribute ${JSON.stringify(name.slice(0, 32))}… has a name of ${name.length} characters; the most is ${maxNameLength}.`,
    )
  }
  if (name.length === 0 || name.includes('\0') || !name.isWellFormed()) {
    throw new FwError(
      'session.name-invalid',
      `Session attribute ${JSON.stringify(name)}: a name is text, not empty and without NUL.`,
    )
  }
}

/**
 * Encodes a value as JSON text. Supports plain objects, arrays, strings, finite numbers, booleans and null. A bigint,
 * Date, Map, Set, Temporal value or bytes is encoded with a tag, as `{"$": tag, "v": …}`.
 * @throws FwError `session.value-invalid` for functions, symbols, class instances, cycles, NaN;
 * `session.value-too-large` above 64 KiB
 */
export function encodeValue(name: string, value: unknown): string {
  const text = JSON.stringify(packNamed(name, value))
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  throw new FwError(
    'session.value-too-large',
    `Session attribute ${JSON.stringify(name)} takes ${bytes} bytes; the most is ${maxBytes}. Keep large values in the model and their id in the session.`,
  )
}

/** Decodes the text of `encodeValue` into a new value. @throws Error for any other text */
export function decodeValue(text: string): unknown {
  return unpack(JSON.parse(text), 0)
}

interface TaggedType {
  readonly type: abstract new (...args: never[]) => object
  readonly write: (value: never) => unknown
  readonly read: (content: never) => unknown
}

const temporal = (
  type: TaggedType['type'] & { readonly from: (text: string) => unknown },
): TaggedType => ({ type, write: String, read: (text: string) => type.from(text) })

const taggedTypes: Readonly<Record<string, TaggedType>> = {
  date: { type: Date, write: (date: Date) => date.toISOString(), read: parseDate },
  bytes: {
    type: Uint8Array,
    write: (bytes: Uint8Array) => Buffer.from(bytes).toString('base64'),
    read: (text: string) => new Uint8Array(Buffer.from(text, 'base64')),
  },
  map: {
    type: Map,
    write: (map: Map<unknown, unknown>) => [...map],
    read: (entries: [unknown, unknown][]) => new Map(entries),
  },
  set: {
    type: Set,
    write: (set: Set<unknown>) => [...set],
    read: (items: unknown[]) => new Set(items),
  },
  instant: temporal(Temporal.Instant),
  'zoned-date-time': temporal(Temporal.ZonedDateTime),
  'plain-date': temporal(Temporal.PlainDate),
  'plain-time': temporal(Temporal.PlainTime),
  'plain-date-time': temporal(Temporal.PlainDateTime),
  'plain-year-month': temporal(Temporal.PlainYearMonth),
  'plain-month-day': temporal(Temporal.PlainMonthDay),
  duration: temporal(Temporal.Duration),
}
/** The tag around a plain object that has a member `$`, so that `decodeValue` does not read that member as a tag. */
const escapeTag = 'object'

function parseDate(text: string): Date {
  return new Date(Temporal.Instant.from(text).epochMilliseconds)
}

function packNamed(name: string, value: unknown): unknown {
  try {
    return pack(value, 0)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FwError(
      'session.value-invalid',
      `Session attribute ${JSON.stringify(name)}: ${reason}.`,
      { cause },
    )
  }
}

function pack(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new TypeError(`the number ${value} cannot be kept in a session`)
    case 'bigint':
      return { $: 'bigint', v: String(value) }
    case 'object':
      return value === null ? null : packObject(value, depth)
    default:
      throw new TypeError(`a ${typeof value} cannot be kept in a session`)
  }
}

function packObject(value: object, depth: number): unknown {
  if (depth > maxDepth)
    throw new TypeError(`it is nested deeper than ${maxDepth} levels, or refers to itself`)
  if (Array.isArray(value))
    return value.map((item) => (item === undefined ? null : pack(item, depth + 1)))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return packInstance(value, depth)
  const packed: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__' && member !== undefined) packed[key] = pack(member, depth + 1)
  }
  return '$' in packed ? { $: escapeTag, v: packed } : packed
}

function packInstance(value: object, depth: number): unknown {
  for (const [tag, { type, write }] of Object.entries(taggedTypes))
    if (value instanceof type) return { $: tag, v: pack(write(value as never), depth) }
  throw new TypeError(
    `an instance of ${value.constructor?.name} cannot be kept in a session; give a plain object`,
  )
}

function unpack(packed: unknown, depth: number): unknown {
  if (packed === null || typeof packed !== 'object') return packed
  if (depth > maxDepth) throw new TypeError('nested too deep')
  if (Array.isArray(packed)) return packed.map((item) => unpack(item, depth + 1))
  const { $: tag, v: content } = packed as { $?: unknown; v?: unknown }
  if (tag === undefined) return unpackMembers(packed, depth)
  if (tag === escapeTag) return unpackMembers(content as object, depth)
  if (tag === 'bigint') return BigInt(content as string)
  const known = typeof tag === 'string' && Object.hasOwn(taggedTypes, tag) && taggedTypes[tag]
  if (known) return known.read(unpack(content, depth) as never)
  throw new TypeError(`unknown tag ${JSON.stringify(tag)}`)
}

function unpackMembers(packed: object, depth: number): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(packed)) {
    if (key !== '__proto__') value[key] = unpack(member, depth + 1)
  }
  return value
}
