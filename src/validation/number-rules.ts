/** Rules about numbers: integers of 32 and 64 bits, doubles, floats, and their bounds. */
import { parseBigInt, parseDouble, parseFloating, parseInteger } from '../params.ts'
import type { JsonSchema } from './json-schema.ts'
import { Rule } from './rule.ts'
import { type Measurable, isEmpty, textOf } from './text-rules.ts'
import { type ValidationError, passed } from './validation-error.ts'

type Parse<N> = (text: string) => N | undefined
type Bound = number | bigint

/** How the texts of a number type are read, and its bounds written in messages. */
interface NumberType<N extends Bound> {
  readonly parse: Parse<N>
  readonly text: (bound: N) => string
}

const parseInt32: Parse<number> = (text) => parseInteger(text, -2147483648, 2147483647)
const least64 = -(2n ** 63n)
const most64 = 2n ** 63n - 1n

const parseInt64: Parse<Bound> = (text) => {
  const value =
    parseInteger(text, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) ?? parseBigInt(text)
  return value !== undefined && value >= least64 && value <= most64 ? value : undefined
}

/** A number within bounds; a class rather than closures, as these rules are made anew for each request. */
class NumberRule<N extends Bound> extends Rule<Measurable> {
  readonly name: string
  readonly type: NumberType<N>
  readonly least: N | undefined
  readonly most: N | undefined

  constructor(name: string, type: NumberType<N>, least?: N, most?: N) {
    super()
    this.name = name
    this.type = type
    this.least = least
    this.most = most
  }

  /** The bounds alone: they hold for a number, and the type says that the value is one. */
  override get jsonSchema(): JsonSchema {
    return {
      ...(this.least === undefined ? {} : { minimum: Number(this.least) }),
      ...(this.most === undefined ? {} : { maximum: Number(this.most) }),
    }
  }

  override errorsOf(value: Measurable): readonly ValidationError[] {
    if (isEmpty(value) || this.#fits(this.type.parse(textOf(value)))) return passed
    const bounds = [this.least, this.most].filter((bound) => bound !== undefined)
    return [{ name: this.name, messageParams: bounds.map(this.type.text) }]
  }

  #fits(value: N | undefined): boolean {
    if (value === undefined) return false
    // Not the opposite of <, as NaN is within no bounds.
    return (
      (this.least === undefined || value >= this.least) &&
      (this.most === undefined || value <= this.most)
    )
  }
}

/** A double always shows its point: `2.0`. */
function doubleText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value)
}

/** The three bound rules of one number type. */
function bounds<N extends Bound>(type: NumberType<N>, name: string) {
  const [least, most, both] = [`${name}MinValue`, `${name}MaxValue`, `${name}MinMaxValue`]
  return {
    minValue: (from: N): Rule<Measurable> => new NumberRule(least, type, from),
    maxValue: (to: N): Rule<Measurable> => new NumberRule(most, type, undefined, to),
    minMaxValue: (from: N, to: N): Rule<Measurable> => new NumberRule(both, type, from, to),
  }
}

const int32: NumberType<number> = { parse: parseInt32, text: String }
const int64: NumberType<Bound> = { parse: parseInt64, text: String }
const float64: NumberType<number> = { parse: parseDouble, text: doubleText }
const float32: NumberType<number> = { parse: parseFloating, text: doubleText }

const int = bounds(int32, 'int')
const long = bounds(int64, 'long')
const double = bounds(float64, 'double')
const float = bounds(float32, 'float')

/** An integer of 32 bits: a sign perhaps, and digits. */
export const intValue: Rule<Measurable> = new NumberRule('intValue', int32)
/** An integer of 64 bits; beyond 2^53 it fits `ParamType.BigInt`, not `ParamType.Long`. */
export const longValue: Rule<Measurable> = new NumberRule('longValue', int64)
/** A number as `ParamType.Double` reads it. */
export const doubleValue: Rule<Measurable> = new NumberRule('doubleValue', float64)
/** A number as `ParamType.Float` reads it. */
export const floatValue: Rule<Measurable> = new NumberRule('floatValue', float32)

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
