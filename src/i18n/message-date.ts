/** Brings dates and times of any kind to what the formatter of messages takes. */
import { Temporal } from '../base.ts'

function localDate(date: Temporal.PlainDate, time = new Temporal.PlainTime(12)): Date {
  const result = new Date(0)
  result.setFullYear(date.year, date.month - 1, date.day)
  result.setHours(time.hour, time.minute, time.second, time.millisecond)
  return result
}

/**
 * A `Date` that shows the same date and time where the process runs. Values without a date stand on some date,
 * values without a time at noon; numbers are milliseconds since 1970.
 */
export function messageDate(value: unknown): Date {
  if (value instanceof Temporal.Instant || value instanceof Temporal.ZonedDateTime) {
    return new Date(value.epochMilliseconds)
  }
  if (value instanceof Temporal.PlainDate) return localDate(value)
  if (value instanceof Temporal.PlainDateTime) {
    return localDate(value.toPlainDate(), value.toPlainTime())
  }
  if (value instanceof Temporal.PlainTime)
    return localDate(new Temporal.PlainDate(2000, 1, 1), value)
  return new Date(value as number)
}
