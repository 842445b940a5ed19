/** `ParamType`: the types to which `getAs` and `permit` convert the text of a parameter. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Temporal } from '../base.ts'
import { JsonNumber, numberText } from '../http.ts'
import type { TypeDefinition } from './type-definition.ts'
import { boolean } from './types/boolean.ts'
import { byteArray } from './types/byte-array.ts'
import { dateTime, localDate, localDateTime, localTime } from './types/dates.ts'
import { bigDecimal, double, float } from './types/decimals.ts'
import { duration } from './types/duration.ts'
import { email } from './types/email.ts'
import { bigInt, byte, int, long, short } from './types/integers.ts'
import { ipAddress } from './types/ip-address.ts'
import { json } from './types/json.ts'
import { oneOf } from './types/one-of.ts'
import { nullableString, string } from './types/string.ts'
import { uuid } from './types/uuid.ts'

/** Results of `ParamType.permit` instead of a value: no text was sent, or the text does not convert. */
export const absent: unique symbol = Symbol('absent')
export const invalid: unique symbol = Symbol('invalid')
/** Result of `ParamType.permit` instead of a value: `params.permit` then leaves out the key, and reports no error. */
export const omitted: unique symbol = Symbol('omitted')

/** The type of a parameter. Create one with `ParamType.of`, `optional`, `array` or `separated`. Its methods never throw. */
export interface ParamType<T> {
  /** The name of the type, such as `Int`. */
  readonly name: string
  /** The words after "must be" in an error message, such as `an integer`. */
  readonly expected: string
  /** Converts one text; `undefined` when the text does not convert. */
  parse(text: string): T | undefined
  /** Converts all texts of a present key for `params.getAs`; `undefined` when they do not convert. */
  read(texts: readonly string[]): T | undefined
  /** Converts all texts of a key for `params.permit`, which reports the results `absent` and `invalid` as errors. */
  permit(
    texts: readonly string[] | undefined,
  ): T | undefined | typeof absent | typeof invalid | typeof omitted
  /** Converts a typed value of a JSON body for `params.permit`: `null`, `true`, `12`, a text, a list or an object. */
  permitJson?(value: unknown): T | undefined | typeof absent | typeof invalid
  /** The definition of the type; for an optional type, that of its values; absent for a list. */
  readonly definition?: TypeDefinition<T> | undefined
  /** The type of the items of a list. */
  readonly element?: ParamType<unknown> | undefined
  /** The validator of the values that a model may write. */
  readonly schema?: TypeSchema<T> | undefined
}

/** Validates the values of a type, and explains why a value is invalid. */
interface TypeSchema<T> {
  /** The Standard Schema, which may describe its values. */
  readonly standard: StandardSchemaV1
  /** Returns the value to write, or messages for the user of the form. */
  check(value: unknown): { readonly value: T } | { readonly issues: readonly string[] }
  /** Returns the reasons why the value of a text is invalid; `undefined` for a text without a value. */
  explain(text: string): readonly string[] | undefined
}

/** Converts a JSON value for `params.permit`. */
export const permitJson = <T>(type: ParamType<T>, value: unknown) =>
  type.permitJson === undefined ? type.permit(scalarTexts(value)) : type.permitJson(value)

/** Returns the text of a scalar; `undefined` for `null`, a list or an object. */
function scalarText(value: unknown): string | undefined {
  if (typeof value === 'number') return numberText(value)
  return typeof value !== 'object' || value instanceof JsonNumber ? String(value) : undefined
}

function scalarTexts(value: unknown): readonly string[] | undefined {
  const text = scalarText(value)
  return text === undefined ? undefined : [text]
}

declare const optionalMark: unique symbol

/** A type for a key that may be missing, or blank. */
export interface OptionalParamType<T> extends ParamType<T> {
  readonly [optionalMark]: true
}

/** The names of fields and their types, which `permit` takes. */
export type ParamTypes = { readonly [key: string]: ParamType<unknown> }

/** The value type of a `ParamType`. */
export type ParamValueOf<P> = P extends ParamType<infer T> ? T : never

type Parse<T> = (text: string) => T | undefined

/** Returns true if the type reads all texts of a key: `ParamType.array`, but not `separated`, which reads one text. */
export const isListType = (type: ParamType<unknown>): boolean =>
  'isList' in type && type.isList === true

/** Returns true if `ParamType.optional` created the type. */
export const isOptionalType = (type: ParamType<unknown>): boolean =>
  type.permit(undefined) === omitted

/** Returns the type of a value in JSON and XML, which differs from that of a form's text for bytes; by default the type itself. */
export const programType = (type: ParamType<unknown>): ParamType<unknown> =>
  type instanceof TextType || type instanceof OptionalType || type instanceof ArrayType
    ? (type as TextType<unknown>).inPrograms()
    : type

class TextType<T> implements ParamType<T> {
  readonly name: string
  readonly expected: string
  readonly parse: Parse<T>
  readonly definition: TypeDefinition<T>

  constructor(definition: TypeDefinition<T>) {
    const { name, expected = `a valid ${name}` } = definition
    this.name = name
    this.expected = expected
    this.parse = definition.parse
    this.definition = definition
  }

  inPrograms(): ParamType<T> {
    const { inPrograms } = this.definition
    return inPrograms === undefined ? this : createType(inPrograms)
  }

  read(texts: readonly string[]): T | undefined {
    return this.parse(texts[0]!)
  }

  permit(texts: readonly string[] | undefined): T | typeof absent | typeof invalid {
    if (texts === undefined) return absent
    const value = this.parse(texts[0]!)
    return value === undefined ? invalid : value
  }

  /** Converts numbers and booleans by their texts, unless the type converts JSON itself. */
  permitJson(value: unknown): T | typeof absent | typeof invalid {
    const { fromJson, isJson } = this.definition
    if (value === null && isJson !== true) return absent
    if (fromJson !== undefined) {
      const converted = fromJson(value)
      return converted === undefined ? invalid : converted
    }
    const text = scalarText(value)
    return text === undefined ? invalid : this.permit([text])
  }
}

/** A missing key converts to false, because browsers send nothing for an unchecked checkbox. */
class BooleanType extends TextType<boolean> {
  override permit(texts: readonly string[] | undefined): boolean {
    return texts !== undefined && this.parse(texts[0]!) === true
  }
}

class OptionalType<T> implements ParamType<T> {
  declare readonly [optionalMark]: true
  readonly name: string
  readonly expected: string
  readonly isList: boolean
  readonly definition: TypeDefinition<T> | undefined
  readonly element: ParamType<unknown> | undefined
  readonly schema: TypeSchema<T> | undefined
  readonly #inner: ParamType<T>

  constructor(inner: ParamType<T>) {
    this.name = inner.name
    this.expected = inner.expected
    this.isList = isListType(inner)
    this.definition = inner.definition
    this.element = inner.element
    this.schema = inner.schema
    this.#inner = inner
  }

  inPrograms(): ParamType<T> {
    const inner = programType(this.#inner)
    return inner === this.#inner ? this : new OptionalType(inner as ParamType<T>)
  }

  parse(text: string): T | undefined {
    return this.#inner.parse(text)
  }

  read(texts: readonly string[]): T | undefined {
    return this.#inner.read(texts)
  }

  /** Converts the empty text to `undefined`, and so a blank text of a type whose values are no blank texts. */
  permit(texts: readonly string[] | undefined) {
    if (texts === undefined) return omitted
    if (texts.every((text) => text === '')) return undefined
    const value = this.#inner.permit(texts)
    return value === invalid && texts.every((text) => text.trim() === '') ? undefined : value
  }

  /** Converts `null` to `undefined`, and so the empty text of a text type. JSON has no other empty values. */
  permitJson(json: unknown) {
    if (json === null || (json === '' && readText(this.#inner, '') === '')) return undefined
    const value = permitJson(this.#inner, json)
    return value === omitted ? undefined : value
  }
}

/** Returns the values of those texts that convert. */
export function convertAll<T>(texts: readonly string[], type: ParamType<T>): readonly T[] {
  const values: T[] = []
  for (const text of texts) {
    const value = type.parse(text)
    if (value !== undefined) values.push(value)
  }
  return values
}

class ArrayType<T> implements ParamType<readonly T[]> {
  readonly name: string
  readonly expected: string
  readonly isList: boolean
  readonly element: ParamType<T>
  readonly #separator: string | undefined

  constructor(element: ParamType<T>, separator?: string) {
    this.name = `${element.name}[]`
    this.expected = `a list, each item ${element.expected}`
    this.isList = separator === undefined
    this.element = element
    this.#separator = separator
  }

  inPrograms(): ParamType<readonly T[]> {
    const element = programType(this.element)
    return element === this.element ? this : new ArrayType(element as ParamType<T>, this.#separator)
  }

  parse(text: string): readonly T[] {
    return this.read([text])
  }

  read(texts: readonly string[]): readonly T[] {
    return convertAll(this.#split(texts), this.element)
  }

  /** Returns an empty list for a missing key, because browsers send nothing for a list without a selected item. */
  permit(texts: readonly string[] | undefined): readonly T[] | typeof invalid {
    if (texts === undefined) return []
    const items = this.#split(texts)
    const values = convertAll(items, this.element)
    return values.length === items.length ? values : invalid
  }

  permitJson(json: unknown): readonly T[] | typeof absent | typeof invalid {
    if (json === null) return absent
    if (!Array.isArray(json)) {
      const texts = scalarTexts(json)
      return texts === undefined || this.isList ? invalid : this.permit(texts)
    }
    const values: T[] = []
    for (const item of json as unknown[]) {
      const value = permitJson(this.element, item)
      if (typeof value === 'symbol') return invalid
      values.push(value as T)
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

const define = <T>(definition: TypeDefinition<T>): ParamType<T> => new TextType(definition)

/**
 * The types of `getAs` and `permit`.
 * - `Boolean`: the texts `on true ok 1 checked yes enable enabled`, in upper or lower case, are true. Any other text is
 *   false, and so is a missing key in `permit`. In a JSON body, only booleans, these texts and their opposites convert.
 * - `Byte Short Int Long`: an optional sign and digits within the type's range; the range of `Long` is that of safe
 *   integers.
 * - `BigInt`: an integer of up to 1,000 digits.
 * - `Float Double`: decimals, exponents, a suffix `d` or `f`, `NaN` and `Infinity`.
 * - `BigDecimal`: an exact decimal, as text.
 * - `String`: the text unchanged, even if blank. A text with NUL or a lone surrogate does not convert.
 * - `NullableString`: an optional `String`, whose value is `undefined` for `''`, also in `getAs`.
 * - `Uuid`: 32 hexadecimal digits with their hyphens, converted to lower case as PostgreSQL prints them.
 * - `LocalDate LocalTime LocalDateTime DateTime`: ISO 8601 and the formats of `dateFormat`. A `DateTime` without a zone
 *   is in the time zone of the page; in UTC if a program sends it.
 * - `Duration`: ISO 8601, such as `P1DT2H30M`, or hours, minutes and seconds, such as `2:30`.
 * - `Email`: an address of at most 254 characters, with the domain in lower case and in ASCII.
 * - `IpAddress`: an IPv4 or IPv6 address with an optional prefix length, as PostgreSQL prints it.
 * - `ByteArray`: the bytes of the text in UTF-8.
 * @spec Resource hooks › ParamType
 */
export const ParamType = {
  String: define(string),
  NullableString: new OptionalType(define(nullableString)) as OptionalParamType<string>,
  Uuid: define(uuid),
  Boolean: new BooleanType(boolean) as ParamType<boolean>,
  Byte: define(byte),
  Short: define(short),
  Int: define(int),
  Long: define(long),
  Float: define(float),
  Double: define(double),
  BigInt: define(bigInt),
  BigDecimal: define(bigDecimal),
  ByteArray: define(byteArray),
  LocalDate: define<Temporal.PlainDate>(localDate),
  LocalTime: define<Temporal.PlainTime>(localTime),
  LocalDateTime: define<Temporal.PlainDateTime>(localDateTime),
  DateTime: define<Temporal.Instant>(dateTime),
  Duration: define<Temporal.Duration>(duration),
  Email: define(email),
  IpAddress: define(ipAddress),

  /**
   * Creates the type of texts that are equal to one of `values`: `ParamType.oneOf('draft', 'published')` has the TypeScript type
   * `'draft' | 'published'`. `permit` rejects any other text.
   */
  oneOf<const T extends string>(...values: readonly T[]): ParamType<T> {
    return define(oneOf(values))
  },

  /**
   * Makes a type optional. `permit` omits a missing key, and converts an empty text to `undefined`, which sets the column to
   * null. A form's blank text of a type other than text is empty too. In JSON, `null` is empty, and `''` only for texts.
   */
  optional<T>(type: ParamType<T>): OptionalParamType<T> {
    return new OptionalType(type)
  },

  /**
   * Creates the type of the list of all values of a key (`k` or `k[]`). A missing key converts to `[]`. `getAs` drops
   * items that do not convert; `permit` rejects them.
   */
  array<T>(type: ParamType<T>): ParamType<readonly T[]> {
    return new ArrayType(type)
  },

  /**
   * Creates the type of a list whose items are in one text, such as `1,2,3`. Trims the items, and drops empty items at
   * the end. Otherwise behaves like `array`.
   */
  separated<T>(type: ParamType<T>, separator = ','): ParamType<readonly T[]> {
    return new ArrayType(type, separator)
  },

  /**
   * Creates a custom type. `parse` returns `undefined` or throws when the text does not convert. `expected` contains
   * the words after "must be" in an error message. A definition instead of a name also has the type's facets.
   */
  of: createType,
}

function createType<T>(definition: TypeDefinition<T>): ParamType<T>
function createType<T>(
  name: string,
  parse: (text: string) => T | undefined,
  expected?: string,
): ParamType<T>
function createType<T>(
  named: string | TypeDefinition<T>,
  parse?: (text: string) => T | undefined,
  expected?: string,
): ParamType<T> {
  const definition =
    typeof named === 'string'
      ? { name: named, parse: parse!, ...(expected === undefined ? {} : { expected }) }
      : named
  const { fromJson } = definition
  return new TextType({
    ...definition,
    parse: catching(definition.parse),
    ...(fromJson === undefined ? {} : { fromJson: catching(fromJson) }),
  })
}

/** Returns a function that returns `undefined` where `convert` throws. */
const catching =
  <V, T>(convert: (value: V) => T | undefined) =>
  (value: V): T | undefined => {
    try {
      return convert(value)
    } catch {
      return undefined
    }
  }

/** The definitions of all types of columns. */
export const typeDefinitions: readonly TypeDefinition<never>[] = [
  ...Object.values(ParamType).flatMap((type) =>
    typeof type === 'object' ? ((type.definition ?? []) as TypeDefinition<never>) : [],
  ),
  json as TypeDefinition<never>,
]

/** Returns PostgreSQL's names of the types whose columns get the type; none for a type without columns. */
export const columnTypes = ({ sql }: TypeDefinition<never>): readonly string[] =>
  sql === undefined ? [] : (sql.names ?? [sql.type])

/** Returns the text of a value of the type for form inputs, links and cursors, from which `readText` returns the value. */
export const formatText = <T>(type: ParamType<T>, value: T): string =>
  type.definition?.format?.(value) ?? String(value)

/** Parses a text that `formatText` returned. */
export function readText<T>(type: ParamType<T>, text: string): T | undefined {
  const read = type.definition?.read
  if (read === undefined) return type.parse(text)
  try {
    return read(text)
  } catch {
    return undefined
  }
}
