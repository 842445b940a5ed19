/** Formats dates and numbers with cached formatters, because `toLocaleString` creates a new formatter for each call. */
import { keptDateText, OutOfRangeValue, Temporal } from '../base.ts'
import { type BigDecimal, decimalsOf, mostDecimals } from '../params.ts'
import type { MessageDate } from './message-date.ts'

export type DateFormatOptions = Pick<
  Intl.DateTimeFormatOptions,
  'dateStyle' | 'timeStyle' | 'timeZone' | 'calendar'
>

// The maximum number of cached formatters of each kind. Clients choose the locale, so that an unlimited cache would grow.
// Creating a formatter takes 60 µs, and memory outside the heap.
const mostCached = 256
const mostDays = 4000
const days = new Map<string, string>()
const dateFormatters = new Map<string, Intl.DateTimeFormat>()
const numberFormatters = new Map<string, Intl.NumberFormat>()

/** Returns the cached value of the key, or creates it. A full cache drops its oldest value. */
export function findOrCreate<F>(
  cache: Map<string, F>,
  key: string,
  create: () => F,
  most = mostCached,
): F {
  const known = cache.get(key)
  if (known !== undefined) return known
  const created = create()
  const [oldest] = cache.keys()
  if (cache.size >= most) cache.delete(oldest!)
  cache.set(key, created)
  return created
}

function findFormatter(locale: string, options: DateFormatOptions): Intl.DateTimeFormat {
  const { dateStyle, timeStyle, timeZone, calendar } = options
  const key = `${locale} ${dateStyle} ${timeStyle} ${timeZone} ${calendar}`
  return findOrCreate(dateFormatters, key, () => new Intl.DateTimeFormat(locale, options))
}

/** Whether the value of a row's field has only PostgreSQL's text. The type of the field does not contain such values. */
const isOutOfRange = (value: unknown): boolean => value instanceof OutOfRangeValue

/** Formats a number with all its digits. A `BigDecimal` keeps its decimals. Very large and very small numbers have an exponent. */
export function formatNumber(locale: string, value: number | bigint | BigDecimal): string {
  if (isOutOfRange(value)) return String(value)
  const text = typeof value === 'bigint' ? '' : String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt !== -1) {
    const size = formatNumber(locale, text.slice(0, exponentAt) as BigDecimal)
    return `${size}E${text.slice(exponentAt + 1).replace('+', '')}`
  }
  const minimumFractionDigits = typeof value === 'string' ? decimalsOf(value) : 0
  const options = { minimumFractionDigits, maximumFractionDigits: mostDecimals }
  const key = `${locale} ${minimumFractionDigits}`
  const formatter = findOrCreate(
    numberFormatters,
    key,
    () => new Intl.NumberFormat(locale, options),
  )
  return formatter.format(value as number)
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats a number of bytes in the unit of the locale, rounded down: `1.5 MB`. A unit is 1024 of the unit below it. */
export function formatFileSize(locale: string, bytes: number): string {
  const power = sizeUnits.findLastIndex((_, at) => at === 0 || bytes >= 1024 ** at)
  const unit = sizeUnits[power]!
  const formatter = findOrCreate(
    numberFormatters,
    `${locale} ${unit}`,
    () => new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }),
  )
  return formatter.format(Math.floor((bytes / 1024 ** power) * 10) / 10)
}

/** The calendar and the time zone of dates without such an option; the zone is read only for an instant. */
export interface DateDefaults {
  readonly calendar?: string | undefined
  readonly timeZone?: string | undefined
}

/**
 * Formats a date or time. Shows plain values unchanged, an instant in `timeZone`, and a `ZonedDateTime` in its own zone unless
 * `timeZone` is given.
 */
export function formatDate(
  locale: string,
  value: MessageDate,
  options: DateFormatOptions,
  defaults: DateDefaults,
): string {
  if (isOutOfRange(value)) return String(value)
  const { dateStyle = 'medium', timeStyle = 'short', calendar = defaults.calendar } = options
  if (value instanceof Temporal.PlainDate) {
    const day = keptDateText(value) ?? utcTime(value)
    // Pages repeat days, and finding a text takes a tenth of the time of formatting it.
    const format = (): string =>
      findFormatter(locale, { dateStyle, timeZone: 'UTC', calendar }).format(utcTime(value))
    return findOrCreate(days, `${locale} ${dateStyle} ${calendar} ${day}`, format, mostDays)
  }
  if (value instanceof Temporal.PlainTime) {
    const formatter = findFormatter(locale, { timeStyle, timeZone: 'UTC' })
    return formatter.format(timeOfDay(value))
  }
  if (value instanceof Temporal.PlainDateTime) {
    const formatter = findFormatter(locale, { dateStyle, timeStyle, timeZone: 'UTC', calendar })
    return formatter.format(utcTime(value) + timeOfDay(value))
  }
  const isZoned = value instanceof Temporal.ZonedDateTime
  const timeZone = options.timeZone ?? (isZoned ? value.timeZoneId : defaults.timeZone)
  const time =
    isZoned || value instanceof Temporal.Instant ? value.epochMilliseconds : Number(value)
  return findFormatter(locale, { dateStyle, timeStyle, timeZone, calendar }).format(time)
}

/** Returns the start of the day in UTC, in milliseconds since 1970. `Date.UTC` would interpret the year 99 as 1999. */
export const utcTime = ({
  year,
  month,
  day,
}: Temporal.PlainDate | Temporal.PlainDateTime): number =>
  new Date(0).setUTCFullYear(year, month - 1, day)

export const timeOfDay = ({
  hour,
  minute,
  second,
  millisecond,
}: Temporal.PlainTime | Temporal.PlainDateTime): number =>
  ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
