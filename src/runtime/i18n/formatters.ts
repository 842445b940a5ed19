/** Formats dates and numbers with formatters that are created once: `toLocaleString` creates one for each call. */
import { Temporal } from '../base.ts'
import type { BigDecimal } from '../params.ts'
import type { MessageDate } from './message-keys.ts'

export type DateFormatOptions = Pick<
  Intl.DateTimeFormatOptions,
  'dateStyle' | 'timeStyle' | 'timeZone'
>

/** The largest number of decimals that every supported engine formats. */
const mostDecimals = 20
// Creating a formatter takes 60 µs and memory outside of the heap. Clients choose the locale, so the caches are limited.
const mostCached = 256
const dateFormatters = new Map<string, Intl.DateTimeFormat>()
const numberFormatters = new Map<string, Intl.NumberFormat>()

function findOrCreate<F>(cache: Map<string, F>, key: string, create: () => F): F {
  const known = cache.get(key)
  if (known !== undefined) return known
  const created = create()
  const [oldest] = cache.keys()
  if (cache.size >= mostCached) cache.delete(oldest!)
  cache.set(key, created)
  return created
}

function findFormatter(locale: string, options: DateFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${options.dateStyle} ${options.timeStyle} ${options.timeZone}`
  return findOrCreate(dateFormatters, key, () => new Intl.DateTimeFormat(locale, options))
}

/** Formats a number. A decimal text keeps its digits. */
export function formatNumber(locale: string, value: number | bigint | BigDecimal): string {
  const decimals = typeof value === 'string' ? (/\.(\d+)$/.exec(value)?.[1]?.length ?? 0) : 0
  const minimumFractionDigits = Math.min(decimals, mostDecimals)
  const options = { minimumFractionDigits, maximumFractionDigits: mostDecimals }
  const key = `${locale} ${minimumFractionDigits}`
  const formatter = findOrCreate(
    numberFormatters,
    key,
    () => new Intl.NumberFormat(locale, options),
  )
  return formatter.format(value as number)
}

/** Formats the date and time of `value` as they are, and an instant in `timeZone`, by default that of the process. */
export function formatDate(
  locale: string,
  value: MessageDate,
  { dateStyle = 'medium', timeStyle = 'short', timeZone }: DateFormatOptions,
): string {
  if (value instanceof Temporal.PlainDate) {
    const formatter = findFormatter(locale, { dateStyle, timeZone: 'UTC' })
    return formatter.format(utcTime(value))
  }
  if (value instanceof Temporal.PlainTime) {
    const formatter = findFormatter(locale, { timeStyle, timeZone: 'UTC' })
    return formatter.format(timeOfDay(value))
  }
  if (value instanceof Temporal.PlainDateTime) {
    const formatter = findFormatter(locale, { dateStyle, timeStyle, timeZone: 'UTC' })
    return formatter.format(utcTime(value) + timeOfDay(value))
  }
  const isZoned = value instanceof Temporal.ZonedDateTime
  const zone = timeZone ?? (isZoned ? value.timeZoneId : undefined)
  const time =
    isZoned || value instanceof Temporal.Instant ? value.epochMilliseconds : Number(value)
  return findFormatter(locale, { dateStyle, timeStyle, timeZone: zone }).format(time)
}

/** Milliseconds since 1970 at the begin of the day in UTC. `Date.UTC` would take the year 99 for 1999. */
const utcTime = ({ year, month, day }: Temporal.PlainDate | Temporal.PlainDateTime): number =>
  new Date(0).setUTCFullYear(year, month - 1, day)

const timeOfDay = ({
  hour,
  minute,
  second,
  millisecond,
}: Temporal.PlainTime | Temporal.PlainDateTime): number =>
  ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
