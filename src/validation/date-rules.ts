/** Rules about dates and times: texts that are some, and moments before or after now. */
import { Temporal } from '../base.ts'
import { type DateKind, readDateText } from '../params.ts'
import { type Rule, describedRule, rule } from './rule.ts'
import { isEmpty } from './text-rules.ts'

/** What `past` and `future` can judge; a date without time begins at midnight UTC, as does one without a zone. */
export type DateLike =
  | Date
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDateTime
  | Temporal.PlainDate

type DateText = string | DateLike | Temporal.PlainTime | null | undefined

/** The format that clients are told of; what people type is read more loosely. */
const formatOf: Readonly<Record<DateKind, string>> = {
  date: 'date',
  time: 'time-local',
  datetime: 'date-time-local',
}

const written = (name: string, kind: DateKind): Rule<DateText> =>
  describedRule<DateText>(
    name,
    (value) => {
      if (isEmpty(value)) return true
      const text = writtenText(value)
      return text !== undefined && readDateText(text, kind) !== undefined
    },
    { format: formatOf[kind] },
  )

const classes = [
  Temporal.Instant,
  Temporal.PlainDateTime,
  Temporal.PlainDate,
  Temporal.PlainTime,
] as const

/** `undefined` for what is neither a text nor a date, whatever a client sent in its place. */
function writtenText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  if (value instanceof Temporal.ZonedDateTime) return value.toInstant().toString()
  return classes.some((type) => value instanceof type) ? String(value) : undefined
}

/** A date, with or without a time: `2013-01-02`, `2013/1/2`, `2013-01-02T03:04:05+09:00`. @spec Validation DSL › dateFormat */
export const dateFormat: Rule<DateText> = written('dateFormat', 'date')
/** A date and time, `2013-01-02 03:04`, `2013-1-2 3:4:5`, `2013-01-02T03:04:05Z`, or an ISO date. */
export const dateTimeFormat: Rule<DateText> = written('dateTimeFormat', 'datetime')
/** A time, `12:34` or `01:02:03`, or a date and time. */
export const timeFormat: Rule<DateText> = written('timeFormat', 'time')

/** Milliseconds since the epoch; `undefined` for what is no date. */
function momentOf(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime()
  if (value instanceof Temporal.Instant || value instanceof Temporal.ZonedDateTime)
    return value.epochMilliseconds
  if (value instanceof Temporal.PlainDateTime || value instanceof Temporal.PlainDate) {
    return value.toZonedDateTime('UTC').epochMilliseconds
  }
  return undefined
}

const relative = (
  name: string,
  fits: (moment: number, now: number) => boolean,
): Rule<DateLike | null | undefined> =>
  rule<DateLike | null | undefined>(name, (value) => {
    const moment = momentOf(value)
    return moment !== undefined && fits(moment, Date.now())
  })

/** A moment before now; absent, and what is no date, fails. */
export const past: Rule<DateLike | null | undefined> = relative(
  'past',
  (moment, now) => moment < now,
)
/** A moment after now; absent, and what is no date, fails. */
export const future: Rule<DateLike | null | undefined> = relative(
  'future',
  (moment, now) => moment > now,
)
