/** `ParamType`: the types that a parameter's text converts to, for `getAs` and `permit`. */
import type { Temporal } from '../base.ts'
import { parseDate, parseDateTime, parseInstant, parseTime } from './parse-date.ts'
import {
  type BigDecimal,
  parseBigDecimal,
  parseBigInt,
  parseDouble,
  parseFloating,
  parseInteger,
} from './parse-number.ts'

/** Results of `ParamType.permit` that are not values. */
export const absent: unique symbol = Symbol('absent')
export const invalid: unique symbol = Symbol('invalid')
/** The key is left out of the permitted values. */
export const omitted: unique symbol = Symbol('omitted')

/** A type of parameter. Made by `ParamType.of`, `optional`, `array`, `separated`; conversion never throws. */
export interface ParamType<T> {
  /** The type's name, such as `Int`. */
  readonly name: string
  /** Completes "must be …" in a message, such as `an integer`. */
  readonly expected: string
  /** The value of one text; `undefined` when it does not convert. */
  parse(text: string): T | undefined
  /** Converts all texts of a present key for `params.getAs`; `undefined` when they do not convert. */
  read(texts: readonly string[]): T | undefined
  /** Converts all texts of a key for `params.permit`, which reports the results `absent` and `invalid` as errors. */
  permit(
    texts: readonly string[] | undefined,
  ): T | undefined | typeof absent | typeof invalid | typeof omitted
  /** As `permit`, for a value of a JSON body with its type: `null`, `true`, `12`, a text, a list or an object. */
  permitJson?(value: unknown): T | undefined | typeof absent | typeof invalid
  /** The values that a model may write, and the messages that explain a refusal. */
  readonly schema?: TypeSchema<T> | undefined
}

/** The schema of a type's values. */
interface TypeSchema<T> {
  /** The value to write, or messages for the reader of a form. */
  check(value: unknown): { readonly value: T } | { readonly issues: readonly string[] }
  /** Why the schema refuses the value of a text; `undefined` for a text without a value. */
  explain(text: string): readonly string[] | undefined
}

/** Permits a JSON value. */
export const permitJson = <T>(type: ParamType<T>, value: unknown) =>
  type.permitJson === undefined ? type.permit(scalarTexts(value)) : type.permitJson(value)

/** The text of a scalar; none for `null`, a list and an object. */
const scalarTexts = (value: unknown): readonly string[] | undefined =>
  typeof value === 'object' ? undefined : [String(value)]

declare const optionalMark: unique symbol

/** A type whose key may be absent, or present and blank. */
export interface OptionalParamType<T> extends ParamType<T> {
  readonly [optionalMark]: true
}

/** Field names and their types: the list that `permit` takes. */
export type ParamTypes = { readonly [key: string]: ParamType<unknown> }

/** The value type of a `ParamType`. */
export type ParamValueOf<P> = P extends ParamType<infer T> ? T : never

type Parse<T> = (text: string) => T | undefined

/** Whether the values of a key are a list: true for `ParamType.array`, false for `separated`, which takes one text. */
export const isListType = (type: ParamType<unknown>): boolean =>
  'isList' in type && type.isList === true

/** Whether the type is made by `ParamType.optional`. */
export const isOptionalType = (type: ParamType<unknown>): boolean =>
  type.permit(undefined) === omitted

class TextType<T> implements ParamType<T> {
  readonly name: string
  readonly expected: string
  readonly parse: Parse<T>

  constructor(name: string, expected: string, parse: Parse<T>) {
    this.name = name
    this.expected = expected
    this.parse = parse
  }

  read(texts: readonly string[]): T | undefined {
    return this.parse(texts[0]!)
  }

  permit(texts: readonly string[] | undefined): T | typeof absent | typeof invalid {
    if (texts === undefined) return absent
    const value = this.parse(texts[0]!)
    return value === undefined ? invalid : value
  }

  /** Numbers and booleans count as their texts. */
  permitJson(value: unknown): T | typeof absent | typeof invalid {
    if (value === null) return absent
    return typeof value === 'object' ? invalid : this.permit([String(value)])
  }
}

/** An unchecked checkbox sends nothing, so absent is false. */
class BooleanType extends TextType<boolean> {
  override permit(texts: readonly string[] | undefined): boolean {
    return texts !== undefined && this.parse(texts[0]!) === true
  }

  override permitJson(value: unknown): boolean | typeof absent | typeof invalid {
    if (typeof value === 'boolean') return value
    if (value === null) return absent
    if (typeof value === 'object') return invalid
    const word = String(value)
    if (this.parse(word) === true) return true
    return falseWords.has(word.toLowerCase()) ? false : invalid
  }
}

class OptionalType<T> implements ParamType<T> {
  declare readonly [optionalMark]: true
  readonly name: string
  readonly expected: string
  readonly isList: boolean
  readonly schema: TypeSchema<T> | undefined
  readonly #inner: ParamType<T>

  constructor(inner: ParamType<T>) {
    this.name = inner.name
    this.expected = inner.expected
    this.isList = isListType(inner)
    this.schema = inner.schema
    this.#inner = inner
  }

  parse(text: string): T | undefined {
    return this.#inner.parse(text)
  }

  read(texts: readonly string[]): T | undefined {
    return this.#inner.read(texts)
  }

  permit(texts: readonly string[] | undefined) {
    if (texts === undefined) return omitted
    const value = this.#inner.permit(texts)
    return value === invalid && texts.every((text) => text.trim() === '') ? undefined : value
  }

  permitJson(json: unknown) {
    if (json === null) return undefined
    const value = permitJson(this.#inner, json)
    const isBlank = typeof json === 'string' && json.trim() === ''
    return (value === invalid && isBlank) || value === omitted ? undefined : value
  }
}

class ArrayType<T> implements ParamType<readonly T[]> {
  readonly name: string
  readonly expected: string
  readonly isList: boolean
  readonly #element: ParamType<T>
  readonly #separator: string | undefined

  constructor(element: ParamType<T>, separator?: string) {
    this.name = `${element.name}[]`
    this.expected = `a list, each item ${element.expected}`
    this.isList = separator === undefined
    this.#element = element
    this.#separator = separator
  }

  parse(text: string): readonly T[] {
    return this.read([text])
  }

  read(texts: readonly string[]): readonly T[] {
    return this.#convert(this.#split(texts))
  }

  /** A list without a selected item sends nothing, so absent is the empty list. */
  permit(texts: readonly string[] | undefined): readonly T[] | typeof invalid {
    if (texts === undefined) return []
    const items = this.#split(texts)
    const values = this.#convert(items)
    return values.length === items.length ? values : invalid
  }

  permitJson(json: unknown): readonly T[] | typeof absent | typeof invalid {
    if (json === null) return absent
    if (!Array.isArray(json))
      return typeof json === 'object' ? invalid : this.permit([String(json)])
    const values: T[] = []
    for (const item of json as unknown[]) {
      const value = permitJson(this.#element, item)
      if (typeof value === 'symbol') return invalid
      values.push(value as T)
    }
    return values
  }

  #convert(items: readonly string[]): readonly T[] {
    const values: T[] = []
    for (const item of items) {
      const value = this.#element.parse(item)
      if (value !== undefined) values.push(value)
    }
    return values
  }

  #split(texts: readonly string[]): readonly string[] {
    if (this.#separator === undefined) return texts
    const items = texts[0]!.split(this.#separator).map((item) => item.trim())
    while (items.at(-1) === '') items.pop()
    return items
  }
}

const text = <T>(name: string, expected: string, parse: Parse<T>): ParamType<T> =>
  new TextType(name, expected, parse)

const integer = (name: string, least: number, most: number): ParamType<number> =>
  text(name, `an integer from ${least} to ${most}`, (value) => parseInteger(value, least, most))

const encoder = new TextEncoder()
const trueWords = new Set(['on', 'true', 'ok', '1', 'checked', 'yes', 'enable', 'enabled'])
const falseWords = new Set(['', 'off', 'false', '0', 'no', 'disable', 'disabled'])
const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

// PostgreSQL refuses NUL in a text, and UTF-8 has no lone surrogates, which JSON can contain.
const parseString = (value: string): string | undefined =>
  value.includes('\0') || !value.isWellFormed() ? undefined : value

/**
 * The types of `getAs` and `permit`.
 *
 * - `Boolean`: `on true ok 1 checked yes enable enabled`, in any case, are true, everything else is false; absent is false in `permit`.
 *   In a JSON body, anything but a boolean, such a word or its opposite does not convert.
 * - `Byte Short Int Long`: an optional sign and digits, range checked; `Long` is the safe-integer range. `BigInt`: up to 1,000 digits.
 * - `Float Double`: decimals, exponents, a `d` or `f` suffix, `NaN`, `Infinity`. `BigDecimal`: exact decimal text.
 * - `String`: the text unchanged, blank included; a text with NUL or a lone surrogate does not convert. `NullableString`: optional, `''` is `undefined`.
 * - `Uuid`: 32 hexadecimal digits with their hyphens, converted to lower case, as PostgreSQL prints them.
 * - `LocalDate LocalTime LocalDateTime DateTime`: ISO 8601 and the formats of `dateFormat`; a `DateTime` without a zone is UTC.
 * - `ByteArray`: the text in UTF-8.
 * @spec Resource hooks › ParamType
 */
export const ParamType = {
  String: text('String', 'a text', parseString),
  NullableString: new OptionalType(
    text('NullableString', 'a text', (value) => (value === '' ? undefined : parseString(value))),
  ) as OptionalParamType<string>,
  Uuid: text('Uuid', 'a UUID', (value) => (uuidText.test(value) ? value.toLowerCase() : undefined)),
  Boolean: new BooleanType('Boolean', 'true or false', (value) =>
    trueWords.has(value.toLowerCase()),
  ) as ParamType<boolean>,
  Byte: integer('Byte', -128, 127),
  Short: integer('Short', -32768, 32767),
  Int: integer('Int', -2147483648, 2147483647),
  Long: integer('Long', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  Float: text('Float', 'a number', parseFloating),
  Double: text('Double', 'a number', parseDouble),
  BigInt: text('BigInt', 'an integer', parseBigInt),
  BigDecimal: text<BigDecimal>('BigDecimal', 'a decimal number', parseBigDecimal),
  ByteArray: text<Uint8Array>('ByteArray', 'a text', (value) =>
    value.trim() === '' ? undefined : encoder.encode(value),
  ),
  LocalDate: text<Temporal.PlainDate>('LocalDate', 'a date', parseDate),
  LocalTime: text<Temporal.PlainTime>('LocalTime', 'a time', parseTime),
  LocalDateTime: text<Temporal.PlainDateTime>('LocalDateTime', 'a date and time', parseDateTime),
  DateTime: text<Temporal.Instant>('DateTime', 'a date and time', parseInstant),

  /** May be absent: `permit` leaves the key out. May be blank: `permit` gives `undefined`, which clears the column. */
  optional<T>(type: ParamType<T>): OptionalParamType<T> {
    return new OptionalType(type)
  },

  /** Every value of the key (`k` or `k[]`). Absent is `[]`. `getAs` drops items that do not convert, `permit` refuses them. */
  array<T>(type: ParamType<T>): ParamType<readonly T[]> {
    return new ArrayType(type)
  },

  /** The items of one text, such as `1,2,3`: trimmed, without empty ones at the end; otherwise like `array`. */
  separated<T>(type: ParamType<T>, separator = ','): ParamType<readonly T[]> {
    return new ArrayType(type, separator)
  },

  /** A custom type. `parse` returns `undefined` or throws when the text does not convert; `expected` completes "must be …". */
  of<T>(
    name: string,
    parse: (text: string) => T | undefined,
    expected = `a valid ${name}`,
  ): ParamType<T> {
    return text(name, expected, (value) => {
      try {
        return parse(value)
      } catch {
        return undefined
      }
    })
  },
}
