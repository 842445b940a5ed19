/** Parses PostgreSQL's texts of dates and times, in ISO style and in UTC. */
import { keepDateText, outOfRangeError, Temporal } from '../base.ts'

/** A year that Temporal represents completely. PostgreSQL has dates until the year 5874897. */
const mostYears = 270_000

const datePattern = /^(\d{4,7})-(\d\d)-(\d\d)/
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

export function decodePlainDate(text: string): Temporal.PlainDate {
  const known = dates.get(text)
  if (known !== undefined) return known
  const parts = parseDate(text, 'PlainDate')
  if (Math.abs(parts[0]) > mostYears) throw outOfRangeError(text, 'PlainDate')
  const date = new Temporal.PlainDate(...parts)
  if (dates.size >= mostDates) dates.clear()
  dates.set(text, date)
  keepDateText(date, dateToIso(text) ?? String(date))
  return date
}

export const decodePlainTime = (text: string): Temporal.PlainTime =>
  new Temporal.PlainTime(...parseTime(text, 'PlainTime'))

export function decodePlainDateTime(text: string): Temporal.PlainDateTime {
  const date = parseDate(text, 'PlainDateTime')
  if (Math.abs(date[0]) > mostYears) throw outOfRangeError(text, 'PlainDateTime')
  return new Temporal.PlainDateTime(...date, ...parseTime(timePart(text), 'PlainDateTime'))
}

export function decodeInstant(text: string): Temporal.Instant {
  const [year, month, day] = parseDate(text, 'Instant')
  if (Math.abs(year) > mostYears) throw outOfRangeError(text, 'Instant')
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

const isUsualDate = (text: string): boolean => text[4] === '-' && !text.endsWith(' BC')
const isUsualDateTime = (text: string): boolean => text[10] === ' ' && isUsualDate(text)

// These functions return `undefined` for unusual texts: years beyond 9999, BC, infinity and hour 24.
export const dateToIso = (text: string): string | undefined =>
  isUsualDate(text) ? text : undefined

export const timeToIso = (text: string): string | undefined =>
  text.startsWith('24') ? undefined : text

export const dateTimeToIso = (text: string): string | undefined =>
  isUsualDateTime(text) ? text.replace(' ', 'T') : undefined

export const instantToIso = (text: string): string | undefined =>
  isUsualDateTime(text) && text.endsWith('+00')
    ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z`
    : undefined
