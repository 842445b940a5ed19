/** Rules about presence, length and the shape of a text. */
import type { JsonSchema } from './json-schema.ts'
import { Rule, callable, describedRule, rule } from './rule.ts'
import { type ValidationError, passed } from './validation-error.ts'

/** What lengths are measured of: a text, the text of a number, or a collection's size. */
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

/** Whether there is nothing to judge: most rules let an absent or empty value pass, `required` asks for one. */
export function isEmpty(value: unknown): value is null | undefined | '' {
  return value === undefined || value === null || value === ''
}

/** The text that a value is measured by; an object's own would be the sender's to break, so it has none. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value)
}

function isCollection(value: unknown): value is readonly unknown[] | ReadonlySet<unknown> {
  return Array.isArray(value) || value instanceof Set || value instanceof Map
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (!isCollection(value)) return textOf(value).length
  return 'size' in value ? value.size : value.length
}

/** Whether the text begins with a visible character of ASCII, as nearly every text does. */
function beginsVisibly(text: string): boolean {
  const first = text.charCodeAt(0)
  return first > 32 && first < 127
}

function isFilled(value: unknown, trim: boolean): boolean {
  if (isEmpty(value)) return false
  if (typeof value === 'string' && beginsVisibly(value)) return true
  if (isCollection(value)) return sizeOf(value) > 0
  return !trim || textOf(value).trim() !== ''
}

/** A class rather than a closure: these rules are made anew for each request. */
class LengthRule extends Rule<Measurable> {
  readonly name: string
  readonly least: number
  readonly most: number
  /** Those that the message tells. */
  readonly bounds: readonly number[]

  constructor(name: string, least: number, most: number, bounds: readonly number[]) {
    super()
    this.name = name
    this.least = least
    this.most = most
    this.bounds = bounds
  }

  /** Of a text: JSON Schema counts characters, this rule UTF-16 units, which differ beyond the basic plane. */
  override get jsonSchema(): JsonSchema {
    return {
      ...(this.least > 0 ? { minLength: this.least } : {}),
      ...(Number.isFinite(this.most) ? { maxLength: this.most } : {}),
    }
  }

  override errorsOf(value: Measurable): readonly ValidationError[] {
    if (isEmpty(value)) return passed
    const size = sizeOf(value)
    if (size >= this.least && size <= this.most) return passed
    return [{ name: this.name, messageParams: this.bounds.map(String) }]
  }
}

/** The value is there; `''` passes. */
export const notNull: Rule<unknown> = rule<unknown>(
  'notNull',
  (value) => value !== undefined && value !== null,
)

/** Options of `required` and `notEmpty`. */
export interface TrimOptions {
  /** Whether blanks alone count as nothing; true by default. */
  readonly trim?: boolean
}

const anyText: JsonSchema = { minLength: 1 }
const filledText: JsonSchema = { minLength: 1, pattern: '\\S' }

const present = (name: string) => {
  const make = ({ trim = true }: TrimOptions = {}) =>
    describedRule<unknown>(name, (value) => isFilled(value, trim), trim ? filledText : anyText)
  return callable(make, make())
}

/** The value is there and not blank; `required({ trim: false })` lets blanks pass. */
export const required: Rule<unknown> & ((options?: TrimOptions) => Rule<unknown>) =
  present('required')

/** As `required`; a collection has an element. */
export const notEmpty: Rule<unknown> & ((options?: TrimOptions) => Rule<unknown>) =
  present('notEmpty')

/** Exactly `n` UTF-16 units, or elements of a collection. An empty text passes, an empty collection is measured. */
export const length = (n: number): Rule<Measurable> => new LengthRule('length', n, n, [n])

/** At least `n`, measured as `length`. */
export const minLength = (n: number): Rule<Measurable> =>
  new LengthRule('minLength', n, Infinity, [n])

/** At most `n`, measured as `length`. */
export const maxLength = (n: number): Rule<Measurable> => new LengthRule('maxLength', 0, n, [n])

/** From `least` to `most`, measured as `length`. */
export const minMaxLength = (least: number, most: number): Rule<Measurable> =>
  new LengthRule('minMaxLength', least, most, [least, most])

const numericText = /^[+-]?\d+(?:\.\d+)?$/

/** A sign perhaps, digits, and perhaps a point with digits. */
export const numeric: Rule<Measurable> = describedRule<Measurable>(
  'numeric',
  (value) => isEmpty(value) || numericText.test(textOf(value)),
  { pattern: numericText.source },
)

const emailText = /^[^@\s]+@(?:[a-z\d-]+\.)+[a-z]{2,}$/
const longestEmail = 254

/** `local@domain`, at most 254 characters: the domain in lower case, of two labels or more, the last of two letters or more. */
export const email: Rule<Measurable> = describedRule<Measurable>(
  'email',
  (value) => {
    if (isEmpty(value)) return true
    const text = textOf(value)
    return text.length <= longestEmail && emailText.test(text)
  },
  { format: 'email', pattern: emailText.source, maxLength: longestEmail },
)

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

/** Both values of a pair are equal, or both absent; `'1'` is not `1`. Its value comes by `param`: `param('password', [a, b]).is(same)`. */
export const same: Rule<readonly [unknown, unknown] | null | undefined> = rule<
  readonly [unknown, unknown] | null | undefined
>(
  'same',
  (pair) => isEmpty(pair) || (Array.isArray(pair) && pair.length === 2 && equal(pair[0], pair[1])),
)
