/** The rules for the presence, the length and the format of a text, for numbers, dates and times. */
import { Temporal } from '../base.ts'
import {
  type DateKind,
  type NumberKind,
  parseBigInt,
  parseDateParts,
  parseDouble,
  parseFloating,
  parseInteger,
} from '../params.ts'
import { type Rule, type RuleDefinition, DefinedRule, callableRule, isEmpty, rule } from './rule.ts'
import { anyDecimal, decimalPattern, notBlank, numericText, type JsonSchema } from './schema.ts'

/** A value with a length: the length of its text, or the number of elements of a collection. */
export type Measurable =
  | string
  | number
  | bigint
  | boolean
  | readonly unknown[]
  | ReadonlySet<unknown>
  | ReadonlyMap<unknown, unknown>
  | null
  | undefined

/** Returns the text of a value. Never calls an object's `toString`, because objects come from JSON bodies. */
function toText(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value)
}

function isCollection(value: unknown): value is readonly unknown[] | ReadonlySet<unknown> {
  return Array.isArray(value) || value instanceof Set || value instanceof Map
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (!isCollection(value)) return toText(value).length
  return 'size' in value ? value.size : value.length
}

function isFilled(value: unknown, trim: boolean): boolean {
  if (isEmpty(value)) return false
  if (isCollection(value)) return sizeOf(value) > 0
  return !trim || toText(value).trim() !== ''
}

/** Rule: the value is neither null nor undefined. `''` passes. */
export const notNull: Rule<unknown> = rule<unknown>(
  'notNull',
  (value) => value !== undefined && value !== null,
)

/** The options of `required` and `notEmpty`. */
export interface TrimOptions {
  /** True to fail a blank text; default true. */
  readonly trim?: boolean
}

const presenceRule = (name: string) => {
  const definition: RuleDefinition<unknown, readonly [trim: boolean]> = {
    name,
    test: (value, [trim]) => isFilled(value, trim),
    schema: ([trim]) => (trim ? { minLength: 1, pattern: notBlank } : { minLength: 1 }),
    messageParams: () => [],
  }
  const create = ({ trim = true }: TrimOptions = {}) => new DefinedRule(definition, [trim])
  return callableRule(create, create())
}

/** Rule: the value is present and not blank. A blank text passes `required({ trim: false })`. */
export const required: Rule<unknown> & ((options?: TrimOptions) => Rule<unknown>) =
  presenceRule('required')

/** Rule: the value is present and not blank, and a collection is not empty. */
export const notEmpty: Rule<unknown> & ((options?: TrimOptions) => Rule<unknown>) =
  presenceRule('notEmpty')

/** The lower and the upper bound of a length or a number; undefined for a missing bound. */
type Bounds<N> = readonly [least: N | undefined, most: N | undefined]

/** Returns true if the value is within inclusive bounds; false for NaN. */
const isWithin = <N extends number | bigint>(value: N, [least, most]: Bounds<N>): boolean =>
  (least === undefined || value >= least) && (most === undefined || value <= most)

const boundsSchema = (
  lower: 'minLength' | 'minimum',
  upper: 'maxLength' | 'maximum',
  [least, most]: Bounds<number | bigint>,
): JsonSchema => ({
  ...(least === undefined ? {} : { [lower]: Number(least) }),
  ...(most === undefined ? {} : { [upper]: Number(most) }),
})

const exactLength: RuleDefinition<Measurable, readonly [n: number]> = {
  name: 'length',
  limitsLength: true,
  skipsEmpty: true,
  test: (value, [n]) => sizeOf(value) === n,
  schema: ([n]) => ({ minLength: n, maxLength: n }),
}

// JSON Schema counts code points, but these rules count UTF-16 units. The lengths of texts with characters such as
// emoji differ.
const lengthBounds = (
  name: string,
  limitsLength: boolean,
): RuleDefinition<Measurable, Bounds<number>> => ({
  name,
  limitsLength,
  skipsEmpty: true,
  test: (value, bounds) => isWithin(sizeOf(value), bounds),
  schema: (bounds) => boundsSchema('minLength', 'maxLength', bounds),
  messageParams: (bounds) => bounds.filter((bound) => bound !== undefined).map(String),
})
const lowerBound = lengthBounds('minLength', false)
const upperBound = lengthBounds('maxLength', true)
const bothBounds = lengthBounds('minMaxLength', true)

/**
 * Rule: a text has exactly `n` UTF-16 units, or a collection exactly `n` elements. An empty text passes; an empty
 * collection has length 0.
 */
export const length = (n: number): Rule<Measurable> => new DefinedRule(exactLength, [n])

/** Rule: the length is at least `n`, counted as in the rule `length`. */
export const minLength = (n: number): Rule<Measurable> =>
  new DefinedRule(lowerBound, [n, undefined])

/** Rule: the length is at most `n`, counted as in the rule `length`. */
export const maxLength = (n: number): Rule<Measurable> =>
  new DefinedRule(upperBound, [undefined, n])

/** Rule: the length is from `least` to `most`, counted as in the rule `length`. */
export const minMaxLength = (least: number, most: number): Rule<Measurable> =>
  new DefinedRule(bothBounds, [least, most])

const textRule = (
  name: string,
  isValid: (text: string) => boolean,
  schema: JsonSchema,
): Rule<Measurable> =>
  new DefinedRule<Measurable, []>(
    { name, skipsEmpty: true, test: (value) => isValid(toText(value)), schema: () => schema },
    [],
  )

const anyNumeric: Rule<Measurable> = new DefinedRule<Measurable, []>(
  {
    name: 'numeric',
    number: 'decimal',
    skipsEmpty: true,
    test: (value) => numericText.test(toText(value)),
    schema: () => ({ pattern: anyDecimal }),
  },
  [],
)

/** Returns the digits before and after the point of a numeric text, without zeros at the ends. */
function digitsOf(text: string): readonly [whole: string, fraction: string] {
  const [size = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  let end = fraction.length
  while (end > 0 && fraction[end - 1] === '0') end--
  return [size.replace(/^0+/, ''), fraction.slice(0, end)]
}

const decimalDigits: RuleDefinition<Measurable, readonly [digits: number, decimals: number]> = {
  name: 'precision',
  skipsEmpty: true,
  test(value, [digits, decimals]) {
    const [whole, fraction] = digitsOf(toText(value))
    const zeros = Math.max(0, decimals - digits)
    const isSmall = fraction === '' || fraction.startsWith('0'.repeat(zeros))
    return whole.length <= Math.max(0, digits - decimals) && fraction.length <= decimals && isSmall
  },
  schema: ([digits, decimals]) => ({ pattern: decimalPattern(digits, decimals) }),
  messageParams: ([digits, decimals]) => [String(Math.max(0, digits - decimals)), String(decimals)],
}

/**
 * Rule: digits with an optional sign and optional decimals. `numeric(10, 2)` accepts only numbers that a column `numeric(10, 2)`
 * stores without rounding: 10 digits in all, 2 of them after the point.
 */
export const numeric = callableRule(
  (digits: number, decimals?: number): Rule<Measurable> =>
    anyNumeric.and(new DefinedRule(decimalDigits, [digits, decimals ?? 0])),
  anyNumeric,
)

const emailText = /^[^@\s]+@(?:[a-zA-Z\d-]+\.)+(?:[a-zA-Z]{2,}|[xX][nN]--[a-zA-Z\d-]+)$/
const longestEmail = 254

/**
 * Rule: `local@domain`, at most 254 characters. The domain has at least two labels, and its last label contains only
 * letters or is a country's name in ASCII, such as `xn--p1ai`. `ParamType.Email` also stores one spelling of an address.
 */
export const email: Rule<Measurable> = textRule(
  'email',
  (text) => text.length <= longestEmail && emailText.test(text),
  { format: 'email', pattern: emailText.source, maxLength: longestEmail },
)

const uuidText = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Rule: a UUID of any version, with its four hyphens. */
export const uuid: Rule<Measurable> = textRule('uuid', (text) => uuidText.test(text), {
  format: 'uuid',
  pattern: '^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$',
})

// One character of the host is enough. `[^…]+\S*` would take quadratic time.
const httpUrl = /^https?:\/\/[^\s/?#]\S*$/i

/** Rule: an absolute `http` or `https` URL, to which a page can link. */
export const url: Rule<Measurable> = textRule(
  'url',
  (text) => httpUrl.test(text) && URL.canParse(text),
  { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://[^\\s/?#]\\S*$' },
)

const choice: RuleDefinition<Measurable, readonly string[]> = {
  name: 'oneOf',
  skipsEmpty: true,
  test: (value, choices) => choices.includes(toText(value)),
  schema: (choices) => ({ enum: [...choices] }),
  messageParams: (choices) => [{ choices }],
}

/** Rule: the value is equal to one of these texts. */
export const oneOf = (...choices: readonly string[]): Rule<Measurable> =>
  new DefinedRule(choice, choices)

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === undefined || a === null) return b === undefined || b === null
  const { constructor, equals } = a as {
    constructor: unknown
    equals?: (other: unknown) => boolean
  }
  return (
    typeof equals === 'function' &&
    (b as typeof a)?.constructor === constructor &&
    equals.call(a, b)
  )
}

/**
 * Rule: both values of a pair are equal, or both are absent. The text `'1'` is not equal to the number `1`. Use the
 * rule with `param`: `param('password', [a, b]).is(same)`.
 */
export const same: Rule<readonly [unknown, unknown] | null | undefined> = rule<
  readonly [unknown, unknown] | null | undefined
>(
  'same',
  (pair) => isEmpty(pair) || (Array.isArray(pair) && pair.length === 2 && equal(pair[0], pair[1])),
)

type Parse<N> = (text: string) => N | undefined
type Integer = number | bigint

/** Functions that parse the texts of a number type, and format its bounds for messages. */
interface NumberType<N extends Integer> {
  readonly parse: Parse<N>
  readonly format: (bound: N) => string
  readonly kind: NumberKind
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

const int32: NumberType<number> = { parse: parseInt32, format: String, kind: 'integer' }
const int64: NumberType<Integer> = { parse: parseInt64, format: String, kind: 'integer' }
const float64: NumberType<number> = { parse: parseDouble, format: formatDouble, kind: 'decimal' }
const float32: NumberType<number> = { parse: parseFloating, format: formatDouble, kind: 'decimal' }

const numberRule = <N extends Integer>(
  name: string,
  { parse, format, kind }: NumberType<N>,
): RuleDefinition<Measurable, Bounds<N>> => ({
  name,
  number: kind,
  skipsEmpty: true,
  test(value, bounds) {
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
      skipsEmpty: true,
      test(value) {
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
