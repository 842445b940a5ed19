/** `ParamValue`: the values that convert to texts of a parameter. Also converts whole records. */
import { Temporal } from '../base.ts'
import { toSnakeCase } from './case.ts'

type PlainDateOrTime = Temporal.PlainDate | Temporal.PlainTime | Temporal.PlainDateTime
type Instant = Date | Temporal.Instant | Temporal.ZonedDateTime
type Scalar = string | number | bigint | boolean | Instant | PlainDateOrTime

/** A value that converts to text: dates to ISO 8601, a list to several texts, `undefined` to a missing key. */
export type ParamValue = Scalar | readonly Scalar[] | undefined

const plainClasses = [Temporal.PlainDate, Temporal.PlainTime, Temporal.PlainDateTime] as const
const scalarClasses = [Date, Temporal.Instant, Temporal.ZonedDateTime, ...plainClasses] as const

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'object') return scalarClasses.some((type) => value instanceof type)
  return typeof value !== 'function' && typeof value !== 'symbol' && value !== undefined
}

const isParamValue = (value: unknown): value is ParamValue =>
  value === undefined || (Array.isArray(value) ? value.every(isScalar) : isScalar(value))

const toText = (value: Scalar): string =>
  value instanceof Date ? value.toISOString() : String(value)

/** Converts a value to its texts; an empty list for `undefined`. */
export function toTexts(value: ParamValue): readonly string[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(toText) : [toText(value as Scalar)]
}

/** Options for the keys of a record's members. */
export interface ModelOptions {
  /** True for keys such as `birthday_year` instead of `birthdayYear`; default false. */
  readonly snakeCase?: boolean
}

/** Returns the date or time that a form shows. An instant is shown in UTC, because `ParamType.DateTime` reads it in UTC. */
function toPlain(value: unknown): PlainDateOrTime | undefined {
  if (value instanceof Date) return toPlain(Temporal.Instant.fromEpochMilliseconds(value.getTime()))
  if (value instanceof Temporal.Instant) return value.toZonedDateTimeISO('UTC').toPlainDateTime()
  return plainClasses.some((type) => value instanceof type) ? (value as PlainDateOrTime) : undefined
}

function dateParts(value: PlainDateOrTime): Readonly<Record<string, string | number>> {
  if (value instanceof Temporal.PlainDate)
    return { Year: value.year, Month: value.month, Day: value.day }
  if (value instanceof Temporal.PlainTime)
    return { Hour: value.hour, Minute: value.minute, Second: value.second }
  const date = value.toPlainDate()
  const time = value.toPlainTime()
  const whole = { Date: date.toString(), Time: time.toString({ smallestUnit: 'second' }) }
  return { ...dateParts(date), ...dateParts(time), ...whole }
}

/**
 * Iterates over the keys and texts of each member, and of each part of a date. `null` and `undefined` have no texts, so
 * that their keys count as missing.
 */
export function* modelTexts(
  record: object,
  { snakeCase = false }: ModelOptions = {},
): Iterable<[string, readonly string[]]> {
  const name = (key: string) => (snakeCase ? toSnakeCase(key) : key)
  for (const [key, member] of Object.entries(record)) {
    const value: unknown = member ?? undefined
    if (!isParamValue(value)) continue
    yield [name(key), toTexts(value)]
    const date = toPlain(value)
    if (date === undefined) continue
    for (const [part, number] of Object.entries(dateParts(date)))
      yield [name(key + part), [String(number)]]
  }
}
