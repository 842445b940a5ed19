/** `ParamValue`: the values that can be written as texts of a parameter, and the texts of a whole record. */
import { Temporal } from '../base.ts'
import { toSnakeCase } from './case.ts'

type PlainDateOrTime = Temporal.PlainDate | Temporal.PlainTime | Temporal.PlainDateTime
type Instant = Date | Temporal.Instant | Temporal.ZonedDateTime
type Scalar = string | number | bigint | boolean | Instant | PlainDateOrTime

/** A value that becomes text: dates in ISO 8601, a list as several texts, `undefined` as an absent key. */
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

/** The texts of a value; none for `undefined`. */
export function toTexts(value: ParamValue): readonly string[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(toText) : [toText(value as Scalar)]
}

/** How the keys of a record's members are written. */
export interface ModelOptions {
  /** `birthday_year` instead of `birthdayYear`; false by default. */
  readonly snakeCase?: boolean
}

/** The date or time that a form shows: an instant in UTC, as `ParamType.DateTime` reads it. */
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

/** The texts of each member, and of each part of a date; `null` and `undefined` hide the key. */
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
