/** Rules for dates and times: the format of a text, and instants before or after the current time. */
import { Temporal } from '../base.ts'
import { type DateKind, parseDateParts } from '../params.ts'
import { type Rule, DefinedRule, rule } from './rule.ts'
import { isEmpty } from './text-rules.ts'

/** The values that `past` and `future` check. A date means midnight UTC; a date and time without a zone is in UTC. */
export type DateLike =
  | Date
  | Temporal.Instant
  | Temporal.ZonedDateTime
  | Temporal.PlainDateTime
  | Temporal.PlainDate

type DateText = string | DateLike | Temporal.PlainTime | null | undefined

/** The format in OpenAPI documents. The rules also accept looser formats that people type. */
const jsonFormats: Readonly<Record<DateKind, string>> = {
  date: 'date',
  time: 'time-local',
  datetime: 'date-time-local',
}

const formatRule = (name: string, kind: DateKind): Rule<DateText> =>
  new DefinedRule<DateText, []>(
    {
      name,
      test(value) {
        if (isEmpty(value)) return true
        const text = toDateText(value)
        return text !== undefined && parseDateParts(text, kind) !== undefined
      },
      schema: () => ({ format: jsonFormats[kind] }),
    },
    [],
  )

const classes = [
  Temporal.Instant,
  Temporal.PlainDateTime,
  Temporal.PlainDate,
  Temporal.PlainTime,
] as const

/** Returns the text of a date; `undefined` for a value of a JSON body that is neither a text nor a date. */
function toDateText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString()
  if (value instanceof Temporal.ZonedDateTime) return value.toInstant().toString()
  return classes.some((type) => value instanceof type) ? String(value) : undefined
}

/**
 * Rule: a date, with or without a time: `2013-01-02`, `2013/1/2`, `2013-01-02T03:04:05+09:00`.
 * @spec Validation DSL › dateFormat
 */
export const dateFormat: Rule<DateText> = formatRule('dateFormat', 'date')
/** Rule: a date and time, such as `2013-01-02 03:04`, `2013-1-2 3:4:5` or `2013-01-02T03:04:05Z`, or an ISO date. */
export const dateTimeFormat: Rule<DateText> = formatRule('dateTimeFormat', 'datetime')
/** Rule: a time, such as `12:34` or `01:02:03`, or a date and time. */
export const timeFormat: Rule<DateText> = formatRule('timeFormat', 'time')

/** Returns the milliseconds since the epoch; `undefined` for a value that is not a date. */
function toEpochMilliseconds(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.getTime()
  if (value instanceof Temporal.Instant || value instanceof Temporal.ZonedDateTime)
    return value.epochMilliseconds
  if (value instanceof Temporal.PlainDateTime || value instanceof Temporal.PlainDate) {
    return value.toZonedDateTime('UTC').epochMilliseconds
  }
  return undefined
}

type Instant = DateLike | null | undefined

const isPast = (value: unknown): boolean => (toEpochMilliseconds(value) ?? Infinity) < Date.now()
const isFuture = (value: unknown): boolean => (toEpochMilliseconds(value) ?? -Infinity) > Date.now()

/** Rule: an instant before the current time. An absent value fails. */
export const past: Rule<Instant> = rule<Instant>('past', isPast)
/** Rule: an instant after the current time. An absent value fails. */
export const future: Rule<Instant> = rule<Instant>('future', isFuture)
