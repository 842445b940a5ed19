/** ParamType: what a text converts to, for typed reads and for permitted fields. */
import type { Temporal } from '../base.ts'
import { parseDate, parseDateTime, parseInstant, parseTime } from './date-text.ts'
import { isTrueWord, parseString, parseUuid } from './plain-text.ts'
import {
  type BigDecimal,
  parseBigDecimal,
  parseBigInt,
  parseDouble,
  parseFloating,
  parseInteger,
} from './number-text.ts'

/** Why `permit` gives no value for a key. */
export type Refusal = 'absent' | 'unfit'

/** Answers of `ParamType.admit` that are no value. */
export const absent: unique symbol = Symbol('absent')
export const unfit: unique symbol = Symbol('unfit')
/** The key takes no part in the permitted values. */
export const omitted: unique symbol = Symbol('omitted')

/** What a text converts to. Made by `ParamType.of`, `optional`, `array`, `separated`; conversion never throws. */
export interface ParamType<T> {
  /** The type's name, such as `Int`. */
  readonly name: string
  /** Completes "must be …" in a message, such as `an integer`. */
  readonly expected: string
  /** The value of one text; `undefined` when it does not convert. */
  parse(text: string): T | undefined
  /** The value of all texts of a present key, as `getAs` reads it; `undefined` when they do not convert. */
  read(texts: readonly string[]): T | undefined
  /** The value of all texts of a key, as `permit` takes it: what does not convert is refused. */
  admit(
    texts: readonly string[] | undefined,
  ): T | undefined | typeof absent | typeof unfit | typeof omitted
}

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

/** Whether a type is made of several values: by `ParamType.array`, not `separated`, which takes one text. */
export const takesList = (type: ParamType<unknown>): boolean =>
  'isList' in type && type.isList === true

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

  admit(texts: readonly string[] | undefined): T | typeof absent | typeof unfit {
    if (texts === undefined) return absent
    const value = this.parse(texts[0]!)
    return value === undefined ? unfit : value
  }
}

/** A checkbox that is not ticked sends nothing, so absent is false. */
class BooleanType extends TextType<boolean> {
  override admit(texts: readonly string[] | undefined): boolean {
    return texts !== undefined && this.parse(texts[0]!) === true
  }
}

class OptionalType<T> implements ParamType<T> {
  declare readonly [optionalMark]: true
  readonly name: string
  readonly expected: string
  readonly isList: boolean
  readonly #inner: ParamType<T>

  constructor(inner: ParamType<T>) {
    this.name = inner.name
    this.expected = inner.expected
    this.isList = takesList(inner)
    this.#inner = inner
  }

  parse(text: string): T | undefined {
    return this.#inner.parse(text)
  }

  read(texts: readonly string[]): T | undefined {
    return this.#inner.read(texts)
  }

  admit(texts: readonly string[] | undefined) {
    if (texts === undefined) return omitted
    const value = this.#inner.admit(texts)
    return value === unfit && texts.every((text) => text.trim() === '') ? undefined : value
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
    const values: T[] = []
    for (const text of this.#split(texts)) {
      const value = this.#element.parse(text)
      if (value !== undefined) values.push(value)
    }
    return values
  }

  /** A list of which nothing is chosen sends nothing, so absent is the empty list. */
  admit(texts: readonly string[] | undefined): readonly T[] | typeof unfit {
    if (texts === undefined) return []
    const split = this.#split(texts)
    const values = this.read(texts)
    return values.length === split.length ? values : unfit
  }

  #split(texts: readonly string[]): readonly string[] {
    if (this.#separator === undefined) return texts
    const parts = texts[0]!.split(this.#separator).map((part) => part.trim())
    while (parts.at(-1) === '') parts.pop()
    return parts
  }
}

const encoder = new TextEncoder()

const integer = (name: string, least: number, most: number) =>
  new TextType(name, `an integer from ${least} to ${most}`, (text) =>
    parseInteger(text, least, most),
  )

/**
 * The types of `getAs` and `permit`.
 *
 * - `Boolean`: `on true ok 1 checked yes enable enabled`, in any case, are true, everything else is false; absent is false in `permit`.
 * - `Byte Short Int Long`: an optional sign and digits, range checked; `Long` is the safe-integer range. `BigInt`: up to 1,000 digits.
 * - `Float Double`: decimals, exponents, surrounding blanks, a `d` or `f` at the end, `NaN`, `Infinity`. `BigDecimal`: exact decimal text.
 * - `String` is the text as it is, blank included; a text with a NUL or half a surrogate pair does not convert. `NullableString`: optional, `''` is `undefined`.
 * - `Uuid`: 32 hexadecimal digits with their hyphens, in lower case then.
 * - `LocalDate LocalTime LocalDateTime DateTime`: ISO and the spellings of `dateFormat`; a `DateTime` without a zone is UTC.
 * - `ByteArray`: the text in UTF-8.
 * @spec Resource hooks › ParamType
 */
export const ParamType = {
  String: new TextType<string>('String', 'a text', parseString) as ParamType<string>,
  NullableString: new OptionalType(
    new TextType<string>('NullableString', 'a text', (text) =>
      text === '' ? undefined : parseString(text),
    ),
  ) as OptionalParamType<string>,
  Uuid: new TextType<string>('Uuid', 'a UUID', parseUuid) as ParamType<string>,
  Boolean: new BooleanType('Boolean', 'true or false', isTrueWord) as ParamType<boolean>,
  Byte: integer('Byte', -128, 127) as ParamType<number>,
  Short: integer('Short', -32768, 32767) as ParamType<number>,
  Int: integer('Int', -2147483648, 2147483647) as ParamType<number>,
  Long: integer('Long', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) as ParamType<number>,
  Float: new TextType('Float', 'a number', parseFloating) as ParamType<number>,
  Double: new TextType('Double', 'a number', parseDouble) as ParamType<number>,
  BigInt: new TextType('BigInt', 'an integer', parseBigInt) as ParamType<bigint>,
  BigDecimal: new TextType(
    'BigDecimal',
    'a decimal number',
    parseBigDecimal,
  ) as ParamType<BigDecimal>,
  ByteArray: new TextType('ByteArray', 'a text', (text) =>
    text.trim() === '' ? undefined : encoder.encode(text),
  ) as ParamType<Uint8Array>,
  LocalDate: new TextType('LocalDate', 'a date', parseDate) as ParamType<Temporal.PlainDate>,
  LocalTime: new TextType('LocalTime', 'a time', parseTime) as ParamType<Temporal.PlainTime>,
  LocalDateTime: new TextType(
    'LocalDateTime',
    'a date and time',
    parseDateTime,
  ) as ParamType<Temporal.PlainDateTime>,
  DateTime: new TextType(
    'DateTime',
    'a date and time',
    parseInstant,
  ) as ParamType<Temporal.Instant>,

  /** May be absent (the key is left out) or present and blank (the key is there with `undefined`: to be cleared). */
  optional<T>(type: ParamType<T>): OptionalParamType<T> {
    return new OptionalType(type)
  },

  /** Every value of the key (`k` or `k[]`). Absent is `[]`. `getAs` drops items that do not convert, `permit` refuses them. */
  array<T>(type: ParamType<T>): ParamType<readonly T[]> {
    return new ArrayType(type)
  },

  /** The items of one text, `1,2,3`: trimmed, empty ones at the end dropped; else as `array`. */
  separated<T>(type: ParamType<T>, separator = ','): ParamType<readonly T[]> {
    return new ArrayType(type, separator)
  },

  /** An own type. `parse` gives `undefined`, or throws, when the text does not convert; `expected` completes "must be …". */
  of<T>(
    name: string,
    parse: (text: string) => T | undefined,
    expected = `a valid ${name}`,
  ): ParamType<T> {
    return new TextType(name, expected, (text) => {
      try {
        return parse(text)
      } catch {
        return undefined
      }
    })
  },
}
