/** A JavaScript value to the text, or the bytes, that a statement's parameter carries. */
import { FwError, type Temporal } from '../base.ts'
import { formatArray } from './array-text.ts'

export type Encoded = string | Uint8Array | null

/**
 * `null` and `undefined` are NULL, an array is a PostgreSQL array, any other plain object is JSON
 * (an array meant as JSON is given as text, by JSON.stringify). Microseconds are kept, nanoseconds cut.
 */
export function encode(value: unknown): Encoded {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'undefined':
      return null
    case 'object':
      return value === null ? null : encodeObject(value)
    default:
      throw new FwError(
        'db.parameter-invalid',
        `A ${typeof value} cannot be the parameter of a statement.`,
      )
  }
}

function encodeObject(value: object): Encoded {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (Array.isArray(value)) return formatArray(value, encodeElement)
  if (value instanceof Date) return encodeDate(value)
  return encodeTemporal(value) ?? encodeJson(value)
}

function encodeElement(value: unknown): string | null {
  const encoded = encode(value)
  return encoded instanceof Uint8Array ? bytesText(encoded) : encoded
}

/** The hex form of bytes, for an engine or a place that takes text alone. */
export function bytesText(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

function encodeDate(date: Date): string {
  if (Number.isNaN(date.getTime()))
    throw new FwError('db.parameter-invalid', 'An invalid Date cannot be stored.')
  return sqlYear(date.toISOString())
}

const micro = { smallestUnit: 'microsecond' } as const
const isoOnly = { calendarName: 'never' } as const

function encodeTemporal(value: object): string | undefined {
  switch ((value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag]) {
    case 'Temporal.PlainDate':
      return sqlYear((value as Temporal.PlainDate).toString(isoOnly))
    case 'Temporal.PlainTime':
      return (value as Temporal.PlainTime).toString(micro)
    case 'Temporal.PlainDateTime':
      return sqlYear((value as Temporal.PlainDateTime).toString({ ...micro, ...isoOnly }))
    case 'Temporal.Instant':
      return sqlYear((value as Temporal.Instant).toString(micro))
    case 'Temporal.ZonedDateTime':
      return sqlYear((value as Temporal.ZonedDateTime).toInstant().toString(micro))
    case 'Temporal.Duration':
      return String(value)
    default:
      return undefined
  }
}

/** ISO 8601 writes years outside 0001–9999 with a sign and six digits; PostgreSQL wants digits, and BC at the end. */
function sqlYear(iso: string): string {
  const sign = iso[0]
  if (sign !== '+' && sign !== '-' && !iso.startsWith('0000')) return iso
  const digits = iso.startsWith('0000') ? 4 : 7
  const year = Number(iso.slice(0, digits))
  const rest = iso.slice(digits)
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`
}

function encodeJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new FwError(
      'db.parameter-invalid',
      'This object has no JSON form, so it cannot be stored.',
      { cause },
    )
  }
}
