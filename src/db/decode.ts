/** PostgreSQL's text form of a value to its JavaScript value, the same from every engine and in any time zone. */
import { FwError, Temporal } from '../base.ts'
import { parseArray } from './array-text.ts'

export type Decoder = (text: string) => unknown

function outOfRange(text: string, kind: string): FwError {
  return new FwError(
    'db.value-out-of-range',
    `The database holds '${text.slice(0, 60)}', which no ${kind} can represent; select it as text (cast(… as text)).`,
  )
}

const asText: Decoder = (text) => text
const asBoolean: Decoder = (text) => text === 't'

function asSafeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw outOfRange(text, 'safe integer')
  return value
}

function asBytes(text: string): Uint8Array {
  if (text.charCodeAt(0) !== 92 || text.charCodeAt(1) !== 120) throw outOfRange(text, 'hex bytea')
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

const datePattern = /^(\d{4,6})-(\d\d)-(\d\d)/
const timePattern = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?/
const zonePattern = /([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/

type DateParts = readonly [year: number, month: number, day: number]
type TimeParts = readonly [
  hour: number,
  minute: number,
  second: number,
  milli: number,
  micro: number,
]

/** `44-03-15 BC` is year -43 of ISO 8601, which has a year zero. */
function dateParts(text: string, kind: string): DateParts {
  const match = datePattern.exec(text)
  if (!match) throw outOfRange(text, kind)
  const year = Number(match[1])
  return [text.endsWith(' BC') ? 1 - year : year, Number(match[2]), Number(match[3])]
}

function timeParts(text: string, kind: string): TimeParts {
  const match = timePattern.exec(text)
  if (!match || match[1] === '24') throw outOfRange(text, kind)
  const micros = match[4] === undefined ? 0 : Number(match[4].padEnd(6, '0'))
  return [
    Number(match[1]),
    Number(match[2]),
    Number(match[3]),
    Math.trunc(micros / 1000),
    micros % 1000,
  ]
}

function afterSpace(text: string): string {
  return text.slice(text.indexOf(' ') + 1)
}

function asPlainDate(text: string): Temporal.PlainDate {
  const [year, month, day] = dateParts(text, 'PlainDate')
  return new Temporal.PlainDate(year, month, day)
}

function asPlainTime(text: string): Temporal.PlainTime {
  const [hour, minute, second, milli, micro] = timeParts(text, 'PlainTime')
  return new Temporal.PlainTime(hour, minute, second, milli, micro)
}

function asPlainDateTime(text: string): Temporal.PlainDateTime {
  const [year, month, day] = dateParts(text, 'PlainDateTime')
  const [hour, minute, second, milli, micro] = timeParts(afterSpace(text), 'PlainDateTime')
  return new Temporal.PlainDateTime(year, month, day, hour, minute, second, milli, micro)
}

function asInstant(text: string): Temporal.Instant {
  const [year, month, day] = dateParts(text, 'Instant')
  const [hour, minute, second, milli, micro] = timeParts(afterSpace(text), 'Instant')
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, milli)
  const millis = BigInt(date.getTime() - offsetMillis(text))
  return Temporal.Instant.fromEpochNanoseconds(millis * 1_000_000n + BigInt(micro * 1000))
}

function offsetMillis(text: string): number {
  const match = zonePattern.exec(text.endsWith(' BC') ? text.slice(0, -3) : text)
  if (!match) throw outOfRange(text, 'Instant')
  const seconds = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0)
  return (match[1] === '-' ? -1000 : 1000) * seconds
}

/** Type oid, oid of its array type, decoder. Types that are not here are text. */
const builtIn: readonly (readonly [oid: number, arrayOid: number, decode: Decoder])[] = [
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
  [18, 1002, asText],
  [19, 1003, asText],
  [25, 1009, asText],
  [1042, 1014, asText],
  [1043, 1015, asText],
  [1186, 1187, asText],
  [1266, 1270, asText],
  [1700, 1231, asText],
  [2950, 2951, asText],
  [869, 1041, asText],
  [650, 651, asText],
  [829, 1040, asText],
]

/** Decoders by type oid, one level and arrays. JSON.parse takes a reviver, so it is wrapped to take one argument. */
export const decoders: Readonly<Record<number, Decoder>> = Object.fromEntries(
  builtIn.flatMap(([oid, arrayOid, decode]) => {
    const one: Decoder = (text) => decode(text)
    return [
      [oid, one],
      [arrayOid, (text: string) => parseArray(text, one)],
    ]
  }),
)

export function decoderOf(oid: number): Decoder {
  return decoders[oid] ?? asText
}
