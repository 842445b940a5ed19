/** Session values as JSON text, with tags for what JSON has no word for. */
import { FwError, Temporal } from '../base.ts'

const maxDepth = 64
const maxBytes = 64 * 1024

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
interface Kind {
  readonly tag: string
  is(value: object): boolean
  pack(value: never, depth: number): Json
  unpack(packed: Json, depth: number): unknown
}

function kind<T extends object>(
  tag: string,
  type: abstract new (...args: never[]) => T,
  pack: (value: T, depth: number) => Json,
  unpack: (packed: Json, depth: number) => unknown,
): Kind {
  return { tag, is: (value) => value instanceof type, pack, unpack }
}

/** A kind whose text form says everything. */
function texted<T extends object>(
  tag: string,
  type: (abstract new (...args: never[]) => T) & { from(text: string): T },
): Kind {
  return kind(
    tag,
    type,
    (value: T) => String(value),
    (packed) => type.from(asText(packed)),
  )
}

const kinds: readonly Kind[] = [
  kind(
    'date',
    Date,
    (value: Date) => value.toISOString(),
    (packed) => dateOf(asText(packed)),
  ),
  kind('bytes', Uint8Array, base64Of, (packed) => bytesOf(asText(packed))),
  kind(
    'map',
    Map,
    (value: Map<unknown, unknown>, depth) => packList([...value.entries()], depth),
    mapOf,
  ),
  kind(
    'set',
    Set,
    (value: Set<unknown>, depth) => packList([...value], depth),
    (packed, depth) => new Set(listOf(packed, depth)),
  ),
  texted('instant', Temporal.Instant),
  texted('zoned-date-time', Temporal.ZonedDateTime),
  texted('plain-date', Temporal.PlainDate),
  texted('plain-time', Temporal.PlainTime),
  texted('plain-date-time', Temporal.PlainDateTime),
  texted('plain-year-month', Temporal.PlainYearMonth),
  texted('plain-month-day', Temporal.PlainMonthDay),
  texted('duration', Temporal.Duration),
]
const bigintTag = 'bigint'
/** A plain object that has a `$` of its own, so that nobody's data is taken for a tag. */
const objectTag = 'object'

/**
 * The JSON text of a value: plain objects, arrays, strings, finite numbers, booleans, null, and tagged: bigint, Date,
 * bytes, Map, Set and the Temporal types.
 * @throws FwError `session.value-invalid` for functions, symbols, class instances, cycles, NaN; `session.value-too-large`
 *   past 64 KiB.
 */
export function encodeValue(name: string, value: unknown): string {
  const text = JSON.stringify(packNamed(name, value))
  const bytes = text.length > maxBytes / 3 ? Buffer.byteLength(text) : text.length
  if (bytes <= maxBytes) return text
  throw new FwError(
    'session.value-too-large',
    `Session attribute ${JSON.stringify(name)} takes ${bytes} bytes; the most is ${maxBytes}. Keep large values in the model and their id in the session.`,
  )
}

/** The value of a JSON text, made anew at each call. @throws Error when the text is not what `encodeValue` writes. */
export function decodeValue(text: string): unknown {
  return unpack(JSON.parse(text) as Json, 0)
}

function packNamed(name: string, value: unknown): Json {
  try {
    return pack(value, 0)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new FwError(
      'session.value-invalid',
      `Session attribute ${JSON.stringify(name)}: ${why}.`,
      { cause },
    )
  }
}

function pack(value: unknown, depth: number): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return packNumber(value)
  if (typeof value === 'bigint') return { $: bigintTag, v: String(value) }
  if (typeof value !== 'object')
    throw new TypeError(`a ${typeof value} cannot be kept in a session`)
  if (depth > maxDepth)
    throw new TypeError(`it is nested deeper than ${maxDepth} levels, or refers to itself`)
  if (Array.isArray(value)) return packList(value, depth)
  const known = kinds.find((candidate) => candidate.is(value))
  if (known !== undefined) return { $: known.tag, v: known.pack(value as never, depth) }
  return packObject(value, depth)
}

function packNumber(value: number): number {
  if (Number.isFinite(value)) return value
  throw new TypeError(`the number ${value} cannot be kept in a session`)
}

function packList(values: readonly unknown[], depth: number): Json[] {
  return values.map((value) => (value === undefined ? null : pack(value, depth + 1)))
}

function packObject(value: object, depth: number): Json {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(
      `an instance of ${value.constructor?.name} cannot be kept in a session; give a plain object`,
    )
  }
  const packed: { [key: string]: Json } = {}
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__' && member !== undefined) packed[key] = pack(member, depth + 1)
  }
  return '$' in packed ? { $: objectTag, v: packed } : packed
}

function unpack(packed: Json, depth: number): unknown {
  if (packed === null || typeof packed !== 'object') return packed
  if (depth > maxDepth) throw new TypeError('nested too deep')
  if (Array.isArray(packed)) return listOf(packed, depth)
  const tag = packed['$']
  if (tag === undefined) return objectOf(packed, depth)
  const content = packed['v'] ?? null
  if (tag === bigintTag) return BigInt(asText(content))
  if (tag === objectTag) return objectOf(content, depth)
  const known = kinds.find((candidate) => candidate.tag === tag)
  if (known === undefined) throw new TypeError(`unknown tag ${JSON.stringify(tag)}`)
  return known.unpack(content, depth)
}

function objectOf(packed: Json, depth: number): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(packed as object)) {
    if (key !== '__proto__') value[key] = unpack(member as Json, depth + 1)
  }
  return value
}

function listOf(packed: Json, depth: number): unknown[] {
  if (!Array.isArray(packed)) throw new TypeError('not a list')
  return packed.map((value) => unpack(value, depth + 1))
}

function mapOf(packed: Json, depth: number): Map<unknown, unknown> {
  return new Map(listOf(packed, depth) as [unknown, unknown][])
}

function asText(packed: Json): string {
  if (typeof packed === 'string') return packed
  throw new TypeError('not a text')
}

function dateOf(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new TypeError('not a date')
  return date
}

function base64Of(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
}

function bytesOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}
