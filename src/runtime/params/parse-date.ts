/** Converts texts to dates and times, and checks their ranges. Accepts ISO 8601 and looser formats that people type. */
import { Temporal } from '../base.ts'

/** The expected kind of text. It determines what a text of three or four numbers means. */
export type DateKind = 'date' | 'time' | 'datetime'

/** The numbers of a date text. A text without a date or a time keeps the default values. */
class DateParts {
  year = 1970
  month = 1
  day = 1
  hour = 0
  minute = 0
  second = 0
  nanosecond = 0
  /** The offset of the zone in minutes east of UTC. */
  offset = 0
  hasZone = false
}

const longest = 40
const isoText =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d{1,9})?))?(?:Z|([+-]\d\d):?(\d\d))?$/
const separator = /[-:/\s]/
const wholeText = /^\d{1,6}$/
const secondText = /^(\d{1,2})(?:\.(\d{1,9}))?$/

function setDate(parts: DateParts, year: string, month: string, day: string): void {
  parts.year = Number(year)
  parts.month = Number(month)
  parts.day = Number(day)
}

function setTime(parts: DateParts, hour: string, minute: string, second = '0'): void {
  const match = secondText.exec(second)
  parts.hour = Number(hour)
  parts.minute = Number(minute)
  parts.second = match === null ? Number.NaN : Number(match[1])
  parts.nanosecond = Number((match?.[2] ?? '').padEnd(9, '0'))
}

function setOffset(parts: DateParts, hours: string, minutes: string): void {
  const size = Number(minutes) > 59 ? Number.NaN : Math.abs(Number(hours)) * 60 + Number(minutes)
  parts.offset = hours.startsWith('-') ? -size : size
  parts.hasZone = true
}

function readIso(match: RegExpExecArray): DateParts {
  const parts = new DateParts()
  setDate(parts, match[1]!, match[2]!, match[3]!)
  setTime(parts, match[4]!, match[5]!, match[6])
  if (match[7] !== undefined) setOffset(parts, match[7], match[8]!)
  else parts.hasZone = match[0].endsWith('Z')
  return parts
}

/** Parses a text with any separator between its numbers: `2013/1/2 12-34-56`. */
function readLoose(text: string, kind: DateKind): DateParts | undefined {
  const pieces = text.split(separator)
  for (let i = 0; i < pieces.length; i++) {
    if (!(i === 5 || (kind === 'time' && i === 2) ? secondText : wholeText).test(pieces[i]!))
      return undefined
  }
  const [a = '', b = '', c = '', d = '', e = ''] = pieces
  const parts = new DateParts()
  const count = pieces.length
  if (kind === 'time' && count < 5) {
    if (count < 2) return undefined
    setTime(parts, a, b, pieces[2])
    return parts
  }
  if (count < 3 || (kind === 'datetime' && (count === 4 || (count === 3 && text.length !== 10))))
    return undefined
  // Rejects a zone without minutes, because ignoring the zone would change the instant.
  if (count === 7) return undefined
  setDate(parts, a, b, c)
  if (count >= 5) setTime(parts, d, e, pieces[5])
  if (count >= 8) setOffset(parts, signBefore(text, pieces) + pieces[6]!, pieces[7]!)
  return parts
}

/** Returns the sign of a zone. A blank means plus: it is the decoded form of a `+` that the client did not percent-encode. */
function signBefore(text: string, pieces: readonly string[]): string {
  const at = pieces.slice(0, 6).join(' ').length
  return text[at] === '-' ? '-' : ''
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/**
 * Checks the ranges. The year must be from 1 to 9999, because PostgreSQL has no year 0, and date inputs have no years
 * of five digits.
 */
function inRange(p: DateParts): boolean {
  return (
    p.year >= 1 &&
    p.year <= 9999 &&
    p.month >= 1 &&
    p.month <= 12 &&
    p.day >= 1 &&
    p.day <= daysIn(p.year, p.month) &&
    p.hour <= 23 &&
    p.minute <= 59 &&
    p.second <= 59 &&
    Math.abs(p.offset) <= 18 * 60
  )
}

/** Parses the digits of `text` from `start` up to `end`; NaN when a character is not a digit. */
function digits(text: string, start: number, end: number): number {
  let value = 0
  for (let i = start; i < end; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

const dash = 45

/** A fast path for the format of date inputs in browsers, `2000-01-02`. */
function readIsoDate(text: string): DateParts | undefined {
  if (text.length !== 10 || text.charCodeAt(4) !== dash || text.charCodeAt(7) !== dash)
    return undefined
  const parts = new DateParts()
  parts.year = digits(text, 0, 4)
  parts.month = digits(text, 5, 7)
  parts.day = digits(text, 8, 10)
  return inRange(parts) ? parts : undefined
}

/**
 * Parses `text` as `kind`; `undefined` when it does not have that format. Rejects texts of more than 40 characters, and
 * takes linear time.
 */
export function parseDateParts(text: string, kind: DateKind): DateParts | undefined {
  if (text.length > longest) return undefined
  const date = kind === 'time' ? undefined : readIsoDate(text)
  if (date !== undefined) return date
  const trimmed = text.trimEnd()
  const match = isoText.exec(trimmed)
  const parts = match === null ? readLoose(trimmed, kind) : readIso(match)
  return parts !== undefined && inRange(parts) ? parts : undefined
}

/** Parses a date, and ignores a time after it. */
export function parseDate(text: string): Temporal.PlainDate | undefined {
  const p = parseDateParts(text, 'date')
  return p && new Temporal.PlainDate(p.year, p.month, p.day)
}

/** Parses a time, and ignores a date before it. */
export function parseTime(text: string): Temporal.PlainTime | undefined {
  const p = parseDateParts(text, 'time')
  return p && new Temporal.PlainTime(p.hour, p.minute, p.second, ...fraction(p))
}

/** Parses a date and time, and ignores a zone after it. */
export function parseDateTime(text: string): Temporal.PlainDateTime | undefined {
  const p = parseDateParts(text, 'datetime')
  if (p === undefined) return undefined
  const { year, month, day, hour, minute, second } = p
  return new Temporal.PlainDateTime(year, month, day, hour, minute, second, ...fraction(p))
}

/** Parses an instant. A text without a zone is in UTC, independent of the server's time zone. */
export function parseInstant(text: string): Temporal.Instant | undefined {
  const p = parseDateParts(text, 'datetime')
  if (p === undefined) return undefined
  const date = new Date(0)
  date.setUTCFullYear(p.year, p.month - 1, p.day)
  date.setUTCHours(p.hour, p.minute - p.offset, p.second)
  return Temporal.Instant.fromEpochMilliseconds(date.getTime()).add({ nanoseconds: p.nanosecond })
}

/**
 * Returns the text of the instant at which a clock in `timeZone` shows a date and time. A time that the clock skips in spring is an
 * hour later, and one that it shows twice is the first one. Returns any other text unchanged, also one with a time zone.
 */
export function addTimeZone(text: string, timeZone: string): string {
  const p = parseDateParts(text, 'datetime')
  if (p === undefined || p.hasZone) return text
  return String(parseDateTime(text)!.toZonedDateTime(timeZone).toInstant())
}

function fraction({ nanosecond: n }: DateParts): [number, number, number] {
  return [Math.floor(n / 1e6), Math.floor(n / 1e3) % 1e3, n % 1e3]
}
