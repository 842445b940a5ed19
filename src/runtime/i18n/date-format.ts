/** Formats dates with formatters that are created once: `toLocaleString` creates one for each call. */
import { Temporal } from '../base.ts'
import type { MessageDate } from './message-keys.ts'

export type DateFormatOptions = Pick<
  Intl.DateTimeFormatOptions,
  'dateStyle' | 'timeStyle' | 'timeZone'
>

// Creating a formatter takes 60 µs and memory outside of the heap. Clients choose the locale, so the cache is limited.
const mostCached = 256
const formatters = new Map<string, Intl.DateTimeFormat>()

function findFormatter(locale: string, options: DateFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${options.dateStyle} ${options.timeStyle} ${options.timeZone}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const created = new Intl.DateTimeFormat(locale, options)
  const [oldest] = formatters.keys()
  if (formatters.size >= mostCached) formatters.delete(oldest!)
  formatters.set(key, created)
  return created
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
