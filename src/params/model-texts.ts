/** A record as the parameters that a form for it would send. */
import { Temporal } from '../base.ts'
import { toSnakeCase } from './case.ts'
import { isParamValue, textsFrom } from './param-value.ts'

/** How a record's members are named. */
export interface ModelOptions {
  /** `birthday_year` in the place of `birthdayYear`; false by default. */
  readonly snakeCase?: boolean
}

type DateValue = Temporal.PlainDate | Temporal.PlainTime | Temporal.PlainDateTime

/** The value whose fields a form shows; a moment is shown in UTC, as it is read. */
function shown(value: unknown): DateValue | undefined {
  if (value instanceof Date) return shown(Temporal.Instant.fromEpochMilliseconds(value.getTime()))
  if (value instanceof Temporal.Instant) return value.toZonedDateTimeISO('UTC').toPlainDateTime()
  const { PlainDate, PlainTime, PlainDateTime } = Temporal
  const is =
    value instanceof PlainDate || value instanceof PlainTime || value instanceof PlainDateTime
  return is ? value : undefined
}

function* partsOf(value: DateValue): Iterable<[string, string | number]> {
  if (!(value instanceof Temporal.PlainTime)) {
    yield* [
      ['Year', value.year],
      ['Month', value.month],
      ['Day', value.day],
    ] as const
  }
  if (!(value instanceof Temporal.PlainDate)) {
    yield* [
      ['Hour', value.hour],
      ['Minute', value.minute],
      ['Second', value.second],
    ] as const
  }
  if (value instanceof Temporal.PlainDateTime) {
    yield ['Date', value.toPlainDate().toString()]
    yield ['Time', value.toPlainTime().toString({ smallestUnit: 'second' })]
  }
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
    yield [name(key), textsFrom(value)]
    const date = shown(value)
    if (date !== undefined)
      for (const [part, number] of partsOf(date)) yield [name(key + part), [String(number)]]
  }
}
