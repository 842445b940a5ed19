/** Rules about numbers: integers of 32 and 64 bits, doubles, floats, and their bounds. */
import { parseBigInt, parseDouble, parseFloating, parseInteger } from '../params.ts'
import { type Rule, rule } from './rule.ts'
import { type Measurable, isEmpty, textOf } from './text-rules.ts'

type Parse<N> = (text: string) => N | undefined
type Bound = number | bigint

const parseInt32: Parse<number> = (text) => parseInteger(text, -2147483648, 2147483647)
const least64 = -(2n ** 63n)
const most64 = 2n ** 63n - 1n

const parseInt64: Parse<Bound> = (text) => {
  const value =
    parseInteger(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) ?? parseBigInt(text)
  return value !== undefined && value >= least64 && value <= most64 ? value : undefined
}

function valued<N extends Bound>(
  name: string,
  parse: Parse<N>,
  fits: (value: N) => boolean = () => true,
  ...messageParams: readonly string[]
): Rule<Measurable> {
  const test = (value: Measurable) => {
    if (isEmpty(value)) return true
    const parsed = parse(textOf(value))
    return parsed !== undefined && fits(parsed)
  }
  return rule<Measurable>(name, test, ...messageParams)
}

/** A double always shows its point: `2.0`. */
function doubleText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value)
}

/** The three bound rules of one number type. */
function bounds<N extends Bound>(type: string, parse: Parse<N>, text: (bound: N) => string) {
  return {
    minValue: (least: N): Rule<Measurable> =>
      valued(`${type}MinValue`, parse, (v) => v >= least, text(least)),
    maxValue: (most: N): Rule<Measurable> =>
      valued(`${type}MaxValue`, parse, (v) => v <= most, text(most)),
    minMaxValue: (least: N, most: N): Rule<Measurable> =>
      valued(`${type}MinMaxValue`, parse, (v) => v >= least && v <= most, text(least), text(most)),
  }
}

const int = bounds('int', parseInt32, String)
const long = bounds('long', parseInt64, String)
const double = bounds('double', parseDouble, doubleText)
const float = bounds('float', parseFloating, doubleText)

/** An integer of 32 bits: a sign perhaps, and digits. */
export const intValue: Rule<Measurable> = valued('intValue', parseInt32)
/** An integer of 64 bits; beyond 2^53 it fits `ParamType.BigInt`, not `ParamType.Long`. */
export const longValue: Rule<Measurable> = valued('longValue', parseInt64)
/** A number as `ParamType.Double` reads it. */
export const doubleValue: Rule<Measurable> = valued('doubleValue', parseDouble)
/** A number as `ParamType.Float` reads it. */
export const floatValue: Rule<Measurable> = valued('floatValue', parseFloating)

/** An integer of 32 bits, at least the bound. */
export const intMinValue: (least: number) => Rule<Measurable> = int.minValue
/** An integer of 32 bits, at most the bound. */
export const intMaxValue: (most: number) => Rule<Measurable> = int.maxValue
/** An integer of 32 bits within the bounds, both included. */
export const intMinMaxValue: (least: number, most: number) => Rule<Measurable> = int.minMaxValue
/** An integer of 64 bits, at least the bound. */
export const longMinValue: (least: number | bigint) => Rule<Measurable> = long.minValue
/** An integer of 64 bits, at most the bound. */
export const longMaxValue: (most: number | bigint) => Rule<Measurable> = long.maxValue
/** An integer of 64 bits within the bounds, both included. */
export const longMinMaxValue: (least: number | bigint, most: number | bigint) => Rule<Measurable> =
  long.minMaxValue
/** A double, at least the bound. */
export const doubleMinValue: (least: number) => Rule<Measurable> = double.minValue
/** A double, at most the bound. */
export const doubleMaxValue: (most: number) => Rule<Measurable> = double.maxValue
/** A double within the bounds, both included. */
export const doubleMinMaxValue: (least: number, most: number) => Rule<Measurable> =
  double.minMaxValue
/** A float, at least the bound. */
export const floatMinValue: (least: number) => Rule<Measurable> = float.minValue
/** A float, at most the bound. */
export const floatMaxValue: (most: number) => Rule<Measurable> = float.maxValue
/** A float within the bounds, both included. */
export const floatMinMaxValue: (least: number, most: number) => Rule<Measurable> = float.minMaxValue
