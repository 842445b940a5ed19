/** Rules for numbers: integers of 32 and 64 bits, doubles, floats, and their bounds. */
import { parseBigInt, parseDouble, parseFloating, parseInteger } from '../params.ts'
import { type Rule, type RuleDefinition, DefinedRule } from './rule.ts'
import {
  type Bounds,
  type Measurable,
  boundsSchema,
  isEmpty,
  isWithin,
  toText,
} from './text-rules.ts'

type Parse<N> = (text: string) => N | undefined
type Integer = number | bigint

/** How the texts of a number type are parsed, and its bounds written in messages. */
interface NumberType<N extends Integer> {
  readonly parse: Parse<N>
  readonly format: (bound: N) => string
}

const parseInt32: Parse<number> = (text) => parseInteger(text, -2147483648, 2147483647)
const least64 = -(2n ** 63n)
const most64 = 2n ** 63n - 1n

const parseInt64: Parse<Integer> = (text) => {
  const value =
    parseInteger(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) ?? parseBigInt(text)
  return value !== undefined && value >= least64 && value <= most64 ? value : undefined
}

/** A double has a decimal point in messages: `2.0`. */
const formatDouble = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value)

const int32: NumberType<number> = { parse: parseInt32, format: String }
const int64: NumberType<Integer> = { parse: parseInt64, format: String }
const float64: NumberType<number> = { parse: parseDouble, format: formatDouble }
const float32: NumberType<number> = { parse: parseFloating, format: formatDouble }

const numberRule = <N extends Integer>(
  name: string,
  { parse, format }: NumberType<N>,
): RuleDefinition<Measurable, Bounds<N>> => ({
  name,
  test(value, bounds) {
    if (isEmpty(value)) return true
    const number = parse(toText(value))
    return number !== undefined && isWithin(number, bounds)
  },
  // Without the type, which comes from the `ParamType` of the key.
  schema: (bounds) => boundsSchema('minimum', 'maximum', bounds),
  messageParams: (bounds) => bounds.filter((bound) => bound !== undefined).map(format),
})

const numberValue = <N extends Integer>(name: string, type: NumberType<N>): Rule<Measurable> =>
  new DefinedRule(numberRule(name, type), [undefined, undefined])

/** An integer of 32 bits: an optional sign and digits. */
export const intValue: Rule<Measurable> = numberValue('intValue', int32)
/** An integer of 64 bits; beyond 2^53 it fits `ParamType.BigInt`, not `ParamType.Long`. */
export const longValue: Rule<Measurable> = numberValue('longValue', int64)
/** A number as `ParamType.Double` parses it. */
export const doubleValue: Rule<Measurable> = numberValue('doubleValue', float64)
/** A number as `ParamType.Float` parses it. */
export const floatValue: Rule<Measurable> = numberValue('floatValue', float32)

/** The rules for a lower bound, an upper bound and both. */
function boundRules<N extends Integer>(type: NumberType<N>, name: string) {
  const lower = numberRule(`${name}MinValue`, type)
  const upper = numberRule(`${name}MaxValue`, type)
  const both = numberRule(`${name}MinMaxValue`, type)
  return [
    (least: N): Rule<Measurable> => new DefinedRule(lower, [least, undefined]),
    (most: N): Rule<Measurable> => new DefinedRule(upper, [undefined, most]),
    (least: N, most: N): Rule<Measurable> => new DefinedRule(both, [least, most]),
  ] as const
}

/** An integer of 32 bits within the bounds, which are included. */
export const [intMinValue, intMaxValue, intMinMaxValue] = boundRules(int32, 'int')
/** An integer of 64 bits within the bounds, which are included. */
export const [longMinValue, longMaxValue, longMinMaxValue] = boundRules(int64, 'long')
/** A double within the bounds, which are included. */
export const [doubleMinValue, doubleMaxValue, doubleMinMaxValue] = boundRules(float64, 'double')
/** A float within the bounds, which are included. */
export const [floatMinValue, floatMaxValue, floatMinMaxValue] = boundRules(float32, 'float')
