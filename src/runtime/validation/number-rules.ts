/** Rules for numbers: 32-bit and 64-bit integers, doubles and floats, with or without bounds. */
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

/** Functions that parse the texts of a number type, and format its bounds for messages. */
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

/** Formats a double for a message with a decimal point, such as `2.0`. */
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
  // The schema omits the type, which comes from the `ParamType` of the key.
  schema: (bounds) => boundsSchema('minimum', 'maximum', bounds),
  messageParams: (bounds) => bounds.filter((bound) => bound !== undefined).map(format),
})

const numberValue = <N extends Integer>(name: string, type: NumberType<N>): Rule<Measurable> =>
  new DefinedRule(numberRule(name, type), [undefined, undefined])

/** Rule: a 32-bit integer, as digits with an optional sign. */
export const intValue: Rule<Measurable> = numberValue('intValue', int32)
/** Rule: a 64-bit integer. Values beyond 2^53 convert to `ParamType.BigInt`, but not to `ParamType.Long`. */
export const longValue: Rule<Measurable> = numberValue('longValue', int64)
/** Rule: a number that `ParamType.Double` can parse. */
export const doubleValue: Rule<Measurable> = numberValue('doubleValue', float64)
/** Rule: a number that `ParamType.Float` can parse. */
export const floatValue: Rule<Measurable> = numberValue('floatValue', float32)

/** Returns the rules for a lower bound, an upper bound, and both bounds. */
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

/** Rules: a 32-bit integer within inclusive bounds. */
export const [intMinValue, intMaxValue, intMinMaxValue] = boundRules(int32, 'int')
/** Rules: a 64-bit integer within inclusive bounds. */
export const [longMinValue, longMaxValue, longMinMaxValue] = boundRules(int64, 'long')
/** Rules: a double within inclusive bounds. */
export const [doubleMinValue, doubleMaxValue, doubleMinMaxValue] = boundRules(float64, 'double')
/** Rules: a float within inclusive bounds. */
export const [floatMinValue, floatMaxValue, floatMinMaxValue] = boundRules(float32, 'float')
