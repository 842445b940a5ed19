/** ParamValue: what can be written as the texts of a parameter. */
import { Temporal } from '../base.ts'

type Moment = Date | Temporal.Instant | Temporal.ZonedDateTime
type Plain = Temporal.PlainDate | Temporal.PlainTime | Temporal.PlainDateTime
type Scalar = string | number | bigint | boolean | Moment | Plain

/** A value that becomes text: dates in ISO, a list as several texts, `undefined` as an absent key. */
export type ParamValue = Scalar | readonly Scalar[] | undefined

const classes = [
  Date,
  Temporal.Instant,
  Temporal.ZonedDateTime,
  Temporal.PlainDate,
  Temporal.PlainTime,
  Temporal.PlainDateTime,
] as const

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'object') return classes.some((type) => value instanceof type)
  return typeof value !== 'function' && typeof value !== 'symbol' && value !== undefined
}

/** Whether `value` can be written as a parameter. */
export function isParamValue(value: unknown): value is ParamValue {
  return value === undefined || (Array.isArray(value) ? value.every(isScalar) : isScalar(value))
}

function textFrom(value: Scalar): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** The texts of a value; none for `undefined`. */
export function textsFrom(value: ParamValue): readonly string[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(textFrom) : [textFrom(value as Scalar)]
}
