/** `ParamType.Duration`: an `interval` as `Temporal.Duration`. */
import { outOfRangeError, Temporal } from '../../base.ts'
import type { TypeDefinition } from '../type-definition.ts'

const clockText = /^(\d{1,6}):([0-5]\d)(?::([0-5]\d))?$/
const part = (unit: string): string => `(?:\\d{1,8}${unit})?`
const time = `T(?=\\d)${part('H')}${part('M')}(?:\\d{1,8}(?:\\.\\d{1,6})?S)?`
// The keyword `format: duration` of JSON Schema has no sign and no fraction.
const isoPattern = `^[+-]?P(?=[\\dT])${part('Y')}${part('M')}${part('W')}${part('D')}(?:${time})?$`
const isoText = new RegExp(isoPattern)
const sqlText =
  /^(?:([+-]?\d+) years? ?)?(?:([+-]?\d+) mons? ?)?(?:([+-]?\d+) days? ?)?(?:([+-]?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?$/

/** Parses ISO 8601, such as `P1DT2H30M`, and hours, minutes and seconds, such as `2:30` or `02:30:15`. */
function parse(text: string): Temporal.Duration | undefined {
  const trimmed = text.trim()
  const clock = clockText.exec(trimmed)
  if (clock !== null)
    return new Temporal.Duration(
      0,
      0,
      0,
      0,
      Number(clock[1]),
      Number(clock[2]),
      Number(clock[3] ?? 0),
    )
  return isoText.test(trimmed) ? Temporal.Duration.from(trimmed) : undefined
}

/** Parses the format of PostgreSQL's `intervalstyle` `postgres`: `1 year 2 mons 3 days 04:05:06.5`. */
function decode(text: string): Temporal.Duration {
  const match = sqlText.exec(text)
  if (match === null) throw outOfRangeError(text, 'Temporal.Duration')
  const [, years = 0, months = 0, days = 0, sign, hours = 0, minutes = 0, seconds = 0] = match
  const micros = (match[8] ?? '').padEnd(6, '0')
  const ofTime = (digits: string | number): number =>
    sign === '-' ? 0 - Number(digits) : Number(digits)
  const [date, time] = [[years, months, 0, days].map(Number), [hours, minutes, seconds].map(ofTime)]
  const rest = [micros.slice(0, 3), micros.slice(3)].map(ofTime)
  const parts = [...date, ...time, ...rest]
  // A Temporal.Duration has one sign, but `1 mon -1 days` has two.
  if (parts.some((part) => part < 0) && parts.some((part) => part > 0))
    throw outOfRangeError(text, 'Temporal.Duration')
  return new Temporal.Duration(...parts)
}

export const duration: TypeDefinition<Temporal.Duration> = {
  name: 'Duration',
  expected: 'a duration such as P1DT2H30M or 2:30',
  parse,
  jsonSchema: { type: 'string', pattern: isoPattern },
  className: 'Duration',
  sql: { type: 'interval', decode },
  field: {
    samples: ['PT2H30M', 'P1D'],
    invalidSample: 'x',
    code: (_text, quoted) => `Temporal.Duration.from(${quoted})`,
    uniqueCode: 'Temporal.Duration.from({ minutes: count })',
  },
}
