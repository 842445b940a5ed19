/** Rules for the presence, the length and the format of a text. */
import type { JsonSchema } from './schema.ts'
import { type Rule, type RuleDefinition, DefinedRule, callableRule, rule } from './rule.ts'

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

/** Returns true for an absent value or `''`. Such a value passes all rules except `required`, `notNull` and `notEmpty`. */
export function isEmpty(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}

/** Returns the text of a value. Never calls an object's `toString`, because objects come from JSON bodies. */
export function toText(value: unknown): string {
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
    schema: ([trim]) => (trim ? { minLength: 1, pattern: '\\S' } : { minLength: 1 }),
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
export type Bounds<N> = readonly [least: N | undefined, most: N | undefined]

/** Returns true if the value is within inclusive bounds; false for NaN. */
export const isWithin = <N extends number | bigint>(value: N, [least, most]: Bounds<N>): boolean =>
  (least === undefined || value >= least) && (most === undefined || value <= most)

/** Converts bounds to keywords of a JSON Schema. */
export const boundsSchema = (
  lower: 'minLength' | 'minimum',
  upper: 'maxLength' | 'maximum',
  [least, most]: Bounds<number | bigint>,
): JsonSchema => ({
  ...(least === undefined ? {} : { [lower]: Number(least) }),
  ...(most === undefined ? {} : { [upper]: Number(most) }),
})

const exactLength: RuleDefinition<Measurable, readonly [n: number]> = {
  name: 'length',
  test: (value, [n]) => isEmpty(value) || sizeOf(value) === n,
  schema: ([n]) => ({ minLength: n, maxLength: n }),
}

// JSON Schema counts code points, but these rules count UTF-16 units. The lengths of texts with characters such as
// emoji differ.
const lengthBounds = (name: string): RuleDefinition<Measurable, Bounds<number>> => ({
  name,
  test: (value, bounds) => isEmpty(value) || isWithin(sizeOf(value), bounds),
  schema: (bounds) => boundsSchema('minLength', 'maxLength', bounds),
  messageParams: (bounds) => bounds.filter((bound) => bound !== undefined).map(String),
})
const lowerBound = lengthBounds('minLength')
const upperBound = lengthBounds('maxLength')
const bothBounds = lengthBounds('minMaxLength')

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
    { name, test: (value) => isEmpty(value) || isValid(toText(value)), schema: () => schema },
    [],
  )

const numericText = /^[+-]?\d+(?:\.\d+)?$/

/** Rule: digits with an optional sign and optional decimals. */
export const numeric: Rule<Measurable> = textRule('numeric', (text) => numericText.test(text), {
  pattern: numericText.source,
})

const emailText = /^[^@\s]+@(?:[a-z\d-]+\.)+[a-z]{2,}$/
const longestEmail = 254

/**
 * Rule: `local@domain`, at most 254 characters. The domain is in lower case, with at least two labels, and its last
 * label contains only letters.
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

const httpUrl = /^https?:\/\/[^\s/?#]+\S*$/i

/** Rule: an absolute `http` or `https` URL, to which a page can link. */
export const url: Rule<Measurable> = textRule(
  'url',
  (text) => httpUrl.test(text) && URL.canParse(text),
  { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://[^\\s/?#]+\\S*$' },
)

const choice: RuleDefinition<Measurable, readonly string[]> = {
  name: 'oneOf',
  test: (value, choices) => isEmpty(value) || choices.includes(toText(value)),
  schema: (choices) => ({ enum: [...choices] }),
  messageParams: (choices) => [choices.join(', ')],
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
