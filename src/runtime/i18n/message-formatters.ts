/** The formatters of the placeholders in messages. They show each date in its own time zone, not in that of the process. */
import type { Formatters } from 'intl-messageformat'
import { Temporal } from '../base.ts'
import { findOrCreate, timeOfDay, utcTime } from './formatters.ts'
import type { MessageDate } from './message-date.ts'

/** A date or time of a placeholder. */
export interface Moment {
  /** The milliseconds since 1970. */
  readonly time: number
  /** The time zone in which the moment is shown. */
  readonly timeZone: string
  /** True for a value without a time zone, whose text names none. */
  readonly isPlain: boolean
}

const noon = 12 * 60 * 60 * 1000
const someDay = Date.UTC(2000, 0, 1)

const plain = (time: number): Moment => ({ time, timeZone: 'UTC', isPlain: true })

/**
 * Converts the value of a placeholder. An instant is shown in `timeZone`, and a `ZonedDateTime` in its own zone. A value without a
 * date gets an arbitrary date, and a value without a time gets noon. A number is the milliseconds since 1970.
 */
export function toMoment(value: MessageDate, timeZone: string): Moment {
  if (value instanceof Temporal.PlainDate) return plain(utcTime(value) + noon)
  if (value instanceof Temporal.PlainTime) return plain(someDay + timeOfDay(value))
  if (value instanceof Temporal.PlainDateTime) return plain(utcTime(value) + timeOfDay(value))
  if (value instanceof Temporal.ZonedDateTime)
    return { time: value.epochMilliseconds, timeZone: value.timeZoneId, isPlain: false }
  const time =
    value instanceof Temporal.Instant ? value.epochMilliseconds : new Date(value).getTime()
  return { time, timeZone, isPlain: false }
}

// The texts of an application have few options, but clients choose the locale: the caches are limited.
const numberFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()
const pluralRules = new Map<string, Intl.PluralRules>()

function formatMoment(
  locale: string,
  { timeZoneName, ...style }: Intl.DateTimeFormatOptions,
  { time, timeZone, isPlain }: Moment,
): string {
  const options = isPlain ? { ...style, timeZone } : { ...style, timeZoneName, timeZone }
  const create = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(locale, options)
  return findOrCreate(dateFormats, `${locale} ${JSON.stringify(options)}`, create).format(time)
}

/** The formatters of all messages, which share them because creating one takes 60 µs. */
export const messageFormatters: Formatters = {
  getNumberFormat: (locale, options) =>
    findOrCreate(
      numberFormats,
      `${String(locale)} ${JSON.stringify(options)}`,
      () => new Intl.NumberFormat(locale, options as Intl.NumberFormatOptions),
    ),
  // The pattern passes the value of its placeholder on, which is a `Moment`.
  getDateTimeFormat: (locale, style = {}) =>
    ({
      format: (moment: Moment) => formatMoment(String(locale), style, moment),
    }) as unknown as Intl.DateTimeFormat,
  getPluralRules: (locale, options) =>
    findOrCreate(
      pluralRules,
      `${String(locale)} ${options?.type}`,
      () => new Intl.PluralRules(locale, options),
    ),
}
