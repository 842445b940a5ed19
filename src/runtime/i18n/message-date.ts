/** `MessageDate`: what messages and pages show as a date or time. */
import type { Temporal } from '../base.ts'

/** The argument of a date or time placeholder. A number is the milliseconds since 1970. */
export type MessageDate =
  | Date
  | number
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDate
  | Temporal.PlainTime
  | Temporal.PlainDateTime
