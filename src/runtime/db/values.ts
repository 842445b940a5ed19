/** Converts JavaScript values to PostgreSQL's text form and back, equally for both engines and in every time zone. */
import { FwError, Temporal } from '../base.ts'

export type Decoder = (text: string) => unknown

const outOfRangeError = (text: string, kind: string): FwError =>
  new FwError(
    'db.value-out-of-range',
    `The database holds '${text.slice(0, 60)}', which no ${kind} can represent; select it as text (cast(… as text)).`,
  )

const asText: Decoder = (text) => text
const asBoolean: Decoder = (text) => text === 't'

function asSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw outOfRangeError(text, 'safe integer')
  return value
}

function asBytes(text: string): Uint8Array {
  if (!text.startsWith('\\x')) throw outOfRangeError(text, 'hex bytea')
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

const datePattern = /^(\d{4,6})-(\d\d)-(\d\d)/
const timePattern = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?/
const zonePattern = /([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

/** Parses year, month and day. `44-03-15 BC` is year -43 in ISO 8601, which has a year zero. */
function parseDate(text: string, kind: string): readonly [number, number, number] {
  const match = datePattern.exec(text)
  if (!match) throw outOfRangeError(text, kind)
  const year = Number(match[1])
  return [text.endsWith(' BC') ? 1 - year : year, Number(match[2]), Number(match[3])]
}

/** Parses a time into hour, minute, second, millisecond and microsecond. */
function parseTime(text: string, kind: string): readonly [number, number, number, number, number] {
  const match = timePattern.exec(text)
  if (!match || match[1] === '24') throw outOfRangeError(text, kind)
  const micros = match[4] === undefined ? 0 : Number(match[4].padEnd(6, '0'))
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return [hour, minute, second, Math.trunc(micros / 1000), micros % 1000]
}

const timePart = (text: string): string => text.slice(text.indexOf(' ') + 1)

// Cache dates: they are immutable, and rows repeat the same few. Creating one takes 2 µs, mostly in the polyfill's WeakMap.
const mostDates = 2000
const dates = new Map<string, Temporal.PlainDate>()

const asPlainDate: Decoder = (text) => {
  const known = dates.get(text)
  if (known !== undefined) return known
  const date = new Temporal.PlainDate(...parseDate(text, 'PlainDate'))
  if (dates.size >= mostDates) dates.clear()
  dates.set(text, date)
  return date
}

const asPlainTime: Decoder = (text) => new Temporal.PlainTime(...parseTime(text, 'PlainTime'))

const asPlainDateTime: Decoder = (text) =>
  new Temporal.PlainDateTime(
    ...parseDate(text, 'PlainDateTime'),
    ...parseTime(timePart(text), 'PlainDateTime'),
  )

function asInstant(text: string): Temporal.Instant {
  const [year, month, day] = parseDate(text, 'Instant')
  const [hour, minute, second, milli, micro] = parseTime(timePart(text), 'Instant')
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, milli)
  const millis = BigInt(date.getTime() - offsetMillis(text))
  return Temporal.Instant.fromEpochNanoseconds(millis * 1_000_000n + BigInt(micro * 1000))
}

function offsetMillis(text: string): number {
  const match = zonePattern.exec(text.endsWith(' BC') ? text.slice(0, -3) : text)
  if (!match) throw outOfRangeError(text, 'Instant')
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0)
  return (match[1] === '-' ? -1000 : 1000) * seconds
}

/** How `UnreadDate` decodes the texts of a date type. */
interface DateType {
  /** The name of the date type's class in `Temporal`. */
  readonly name: 'PlainDate' | 'PlainTime' | 'PlainDateTime' | 'Instant'
  readonly decode: Decoder
  /** Converts a text to ISO 8601; returns `undefined` for unusual texts: years beyond 9999, BC, infinity and hour 24. */
  readonly toIso: (text: string) => string | undefined
}

const isUsualDate = (text: string): boolean => text[4] === '-' && !text.endsWith(' BC')
const isUsualDateTime = (text: string): boolean => text[10] === ' ' && isUsualDate(text)

/** PostgreSQL type oid → date type. */
const dateTypes: Readonly<Record<number, DateType>> = {
  1082: {
    name: 'PlainDate',
    decode: asPlainDate,
    toIso: (text) => (isUsualDate(text) ? text : undefined),
  },
  1083: {
    name: 'PlainTime',
    decode: asPlainTime,
    toIso: (text) => (text.startsWith('24') ? undefined : text),
  },
  1114: {
    name: 'PlainDateTime',
    decode: asPlainDateTime,
    toIso: (text) => (isUsualDateTime(text) ? text.replace(' ', 'T') : undefined),
  },
  1184: {
    name: 'Instant',
    decode: asInstant,
    toIso: (text) =>
      isUsualDateTime(text) && text.endsWith('+00')
        ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z`
        : undefined,
  },
}

/** A date or time as the database's text, decoded only when read: a list of rows often shows few of the dates. */
export class UnreadDate {
  readonly text: string
  readonly type: DateType

  constructor(text: string, type: DateType) {
    this.text = text
    this.type = type
  }

  /** Returns the Temporal value. @throws FwError `db.value-out-of-range` */
  read(): unknown {
    return this.type.decode(this.text)
  }

  /** Returns the ISO 8601 text, like the Temporal value's `toJSON`. @throws FwError `db.value-out-of-range` */
  toJSON(): string {
    return this.type.toIso(this.text) ?? String(this.read())
  }
}

/** The types that are decoded: type oid, oid of the array type, decoder. Values of other types remain texts. */
const decodedTypes: readonly (readonly [oid: number, arrayOid: number, decode: Decoder])[] = [
  [16, 1000, asBoolean],
  [17, 1001, asBytes],
  [20, 1016, asSafeInteger],
  [21, 1005, Number],
  [23, 1007, Number],
  [26, 1028, Number],
  [700, 1021, Number],
  [701, 1022, Number],
  [114, 199, JSON.parse],
  [3802, 3807, JSON.parse],
  [1082, 1182, asPlainDate],
  [1083, 1183, asPlainTime],
  [1114, 1115, asPlainDateTime],
  [1184, 1185, asInstant],
]

/** The oids of arrays of char, name, text, bpchar, varchar, interval, timetz, numeric, uuid, inet, cidr and macaddr. */
const textArrays = [1002, 1003, 1009, 1014, 1015, 1187, 1270, 1231, 2951, 1041, 651, 1040]

/** Type oid → decoder. The arrow functions drop further arguments, which `JSON.parse` would take as a reviver. */
export const decoders: Readonly<Record<number, Decoder>> = Object.fromEntries([
  ...textArrays.map((oid) => [oid, (text: string) => parseArray(text, asText)]),
  ...decodedTypes.flatMap(([oid, arrayOid, decode]) => {
    const decodeOne: Decoder = (text) => decode(text)
    return [
      [oid, decodeOne],
      [arrayOid, (text: string) => parseArray(text, decodeOne)],
    ]
  }),
])

export const decoderOf = (oid: number): Decoder => decoders[oid] ?? asText

/** Type oid → decoder for statements with `asArrays`: like `decoders`, but dates become `UnreadDate`. */
export const rowDecoders: Readonly<Record<number, Decoder>> = {
  ...decoders,
  ...Object.fromEntries(
    Object.entries(dateTypes).map(([oid, type]) => [
      oid,
      (text: string) => new UnreadDate(text, type),
    ]),
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

/** Parses an array of an enum or of a domain, which the driver returns as text. */
export const parseTextArray = (text: string): unknown => parseArray(text, asText)

export type Encoded = string | Uint8Array | null

/**
 * Encodes a statement's parameter. `null` and `undefined` become NULL, arrays become PostgreSQL arrays, and plain objects
 * become JSON. For a JSON column, pass an array as `JSON.stringify` text. Nanoseconds are truncated to microseconds.
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

const parameterError = (message: string, cause?: unknown): FwError =>
  new FwError('db.parameter-invalid', message, { cause })

function encodeObject(value: object): Encoded {
  if (value instanceof Uint8Array) return value
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (Array.isArray(value)) return encodeArray(value)
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw parameterError('An invalid Date cannot be stored.')
    return sqlYear(value.toISOString())
  }
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
      return String(value)
    default:
      return undefined
  }
}

/** Converts years outside 0001–9999, which ISO 8601 writes with a sign and six digits; PostgreSQL expects digits, then BC. */
function sqlYear(iso: string): string {
  const sign = iso[0]
  if (sign !== '+' && sign !== '-' && !iso.startsWith('0000')) return iso
  const digits = iso.startsWith('0000') ? 4 : 7
  const year = Number(iso.slice(0, digits))
  const rest = iso.slice(digits)
  return year > 0 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`
}
