/** Converts JavaScript values to PostgreSQL's text form and back, equally for both engines and in every time zone. */
import { decodeOrKeep, FwError, OutOfRangeValue, type Temporal } from '../base.ts'
import { type SqlFacet, typeDefinitions } from '../params.ts'

export type Decoder = (text: string) => unknown

const asText: Decoder = (text) => text

/** A value as the database's text, decoded only when read: a list of rows often shows few of its dates. */
export class UnreadValue {
  readonly text: string
  /** The facet of the value's type. */
  readonly sql: SqlFacet<never>

  constructor(text: string, sql: SqlFacet<never>) {
    this.text = text
    this.sql = sql
  }

  /** Returns the decoded value, or an `OutOfRangeValue`. */
  readOrKeep(): unknown {
    return decodeOrKeep(this.text, this.sql.decode!)
  }

  /** Returns the text of the value in JSON. */
  toJSON(): string {
    return this.sql.toJson!(this.text) ?? String(this.readOrKeep())
  }
}

/** The types that the driver decodes: type oid, oid of the array type, facet. Values of other types remain texts. */
const decodedTypes = typeDefinitions.flatMap(({ sql }) =>
  sql?.decode === undefined
    ? []
    : (sql.oids ?? []).map(([oid, arrayOid]) => ({ oid, arrayOid, sql, decode: sql.decode! })),
)

/** The oids of arrays of char, name, text, bpchar, varchar, interval, timetz, numeric, uuid, inet, cidr and macaddr. */
const textArrays = [1002, 1003, 1009, 1014, 1015, 1187, 1270, 1231, 2951, 1041, 651, 1040]

/** Returns the decoders of all types and of their arrays. `wrap` changes the decoder of a type. */
const createDecoders = (wrap: (decode: Decoder) => Decoder): Readonly<Record<number, Decoder>> =>
  Object.fromEntries([
    ...textArrays.map((oid) => [oid, parseTextArray]),
    ...decodedTypes.flatMap(({ oid, arrayOid, decode }) => {
      const wrapped = wrap(decode)
      return [
        [oid, wrapped],
        [arrayOid, (text: string) => parseArray(text, wrapped)],
      ]
    }),
  ])

/** Parses an array of a type that remains text, of an enum or of a domain. */
export const parseTextArray = (text: string): unknown => parseArray(text, asText)

/** Type oid → decoder. It throws `db.value-out-of-range` for a value that JavaScript cannot represent. */
export const decoders: Readonly<Record<number, Decoder>> = createDecoders((decode) => decode)

export const decoderOf = (oid: number): Decoder => decoders[oid] ?? asText

/**
 * Type oid → decoder for statements with `asArrays`: values of lazy types become `UnreadValue`, and values that JavaScript cannot
 * represent `OutOfRangeValue`, so that one such value does not hide all rows.
 */
export const rowDecoders: Readonly<Record<number, Decoder>> = {
  ...createDecoders((decode) => (text) => decodeOrKeep(text, decode)),
  ...Object.fromEntries(
    decodedTypes
      .filter(({ sql }) => sql.toJson !== undefined)
      .map(({ oid, sql }) => [oid, (text: string) => new UnreadValue(text, sql)]),
  ),
}

export const rowDecoderOf = (oid: number): Decoder => rowDecoders[oid] ?? asText

const arrayToken = /[{}]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs

/** Parses PostgreSQL's array literal, such as `{a,"b c",NULL}`; NULL elements become `null`. */
function parseArray(text: string, decode: Decoder): unknown {
  const open: unknown[][] = [[]]
  // Skip explicit bounds, such as `[2:3]=`, before the opening brace.
  for (const [token, quoted] of text.slice(text.indexOf('{')).matchAll(arrayToken)) {
    const array = open.at(-1)!
    if (token === '{') {
      const inner: unknown[] = []
      array.push(inner)
      open.push(inner)
    } else if (token === '}') open.pop()
    else if (quoted !== undefined) array.push(decode(quoted.replace(/\\(.)/gs, '$1')))
    else array.push(token === 'NULL' ? null : decode(token))
  }
  return open[0]![0]
}

export type Encoded = string | Buffer | null

/**
 * Encodes a statement's parameter. `null` and `undefined` become NULL, bytes stay bytes, arrays become PostgreSQL arrays, dates, times and
 * durations their SQL text, and other objects JSON. For a JSON column, pass an array as `JSON.stringify` text. The nanoseconds of dates and
 * times are truncated to microseconds.
 * @throws FwError `db.parameter-invalid`
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
      throw parameterError(`A ${typeof value} cannot be the parameter of a statement.`)
  }
}

/** Encodes the parameters of a statement. @throws FwError `db.parameter-invalid` */
export function encodeAll(parameters: readonly unknown[]): readonly Encoded[] {
  const values: Encoded[] = []
  for (let i = 0; i < parameters.length; i++) values.push(encode(parameters[i]))
  return values
}

const parameterError = (message: string, cause?: unknown): FwError =>
  new FwError('db.parameter-invalid', message, { cause })

function encodeObject(value: object): Encoded {
  // pg sends only buffers as bytes.
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  if (Array.isArray(value)) return encodeArray(value)
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw parameterError('An invalid Date cannot be stored.')
    return sqlYear(value.toISOString())
  }
  if (value instanceof OutOfRangeValue) return value.text
  const temporal = encodeTemporal(value)
  if (temporal !== undefined) return temporal
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw parameterError('This object has no JSON form, so it cannot be stored.', cause)
  }
}

function encodeArray(elements: readonly unknown[]): string {
  const texts = elements.map((element) => {
    if (Array.isArray(element)) return encodeArray(element)
    const text = encodeText(element)
    return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`
  })
  return `{${texts.join(',')}}`
}

/** Like `encode`, but returns bytes as text in PostgreSQL's hex format. */
export function encodeText(value: unknown): string | null {
  const encoded = encode(value)
  if (!(encoded instanceof Uint8Array)) return encoded
  const { buffer, byteOffset, byteLength } = encoded
  return `\\x${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`
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
      return sqlInterval(value as Temporal.Duration)
    default:
      return undefined
  }
}

/** Formats an interval with a sign for each part, because PostgreSQL rejects a sign before the `P`. */
const sqlInterval = (value: Temporal.Duration): string =>
  value.sign < 0 ? String(value.negated()).replace(/\d[\d.]*/g, '-$&') : String(value)

/** Converts years outside 0001–9999, which ISO 8601 writes with a sign and six digits; PostgreSQL expects digits, then BC. */
function sqlYear(iso: string): string {
  const sign = iso[0]
  if (sign !== '+' && sign !== '-' && !iso.startsWith('0000')) return iso
  const digits = iso.startsWith('0000') ? 4 : 7
  const year = Number(iso.slice(0, digits))
  const rest = iso.slice(digits)
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`
}
