/** `Params`: the first text of each key. It reads typed values, permits fields, and creates copies with other values. */
import { HttpError, Temporal } from '../base.ts'
import { toSnakeCase } from './case.ts'
import {
  type DateNames,
  type DateTimeNames,
  type TimeNames,
  joinDateFields,
  joinDateTimeFields,
  joinTimeFields,
} from './date-fields.ts'
import { chooseInput, listText, readJsonList, readLines } from './form-texts.ts'
import { isOptionalType, type ParamType, type ParamTypes } from './param-type.ts'
import { type Permitted, type PermittedPartial, permit } from './permit.ts'
import {
  isSent,
  jsonOf,
  NestedSource,
  type OverlayEntry,
  OverlaySource,
  type ParamSource,
  textsFor,
  textsOf,
} from './source.ts'

type PlainDateOrTime = Temporal.PlainDate | Temporal.PlainTime | Temporal.PlainDateTime
type Instant = Date | Temporal.Instant | Temporal.ZonedDateTime
type Scalar = string | number | bigint | boolean | Instant | PlainDateOrTime

/** A value that converts to text: dates to ISO 8601, a list to several texts, `undefined` to a missing key. */
export type ParamValue = Scalar | readonly Scalar[] | undefined

type Entries = Iterable<readonly [key: string, value: ParamValue]>

const textEntries = (entries: Entries) =>
  [...entries].map(([key, value]) => [key, toTexts(value)] as const)

/** An immutable view of the first text of each key. @spec Parameter access */
export class Params {
  /** All texts of each key, as the client sent them. */
  readonly source: ParamSource

  constructor(source: ParamSource) {
    this.source = source
  }

  /** Creates parameters from a map or an object: `Params.from({ name: 'Ann', tags: ['a', 'b'] })`. */
  static from(
    values: ReadonlyMap<string, ParamValue> | Readonly<Record<string, ParamValue>>,
  ): Params {
    const entries = values instanceof Map ? values : Object.entries(values)
    return new Params(new Map(textEntries(entries as Entries)))
  }

  /**
   * Returns the first text of `key`, otherwise of `key[]`, otherwise of the key in the other case (`country_id` for
   * `countryId`). Returns `''` for a key without a value, and `undefined` for a missing key.
   */
  get(key: string): string | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined ? undefined : texts[0]
  }

  /** Returns the value of `key` as `type`; `undefined` when the key is missing or its text does not convert. */
  getAs<T>(key: string, type: ParamType<T>): T | undefined {
    const texts = textsFor(this.source, key, type)
    return texts === undefined ? undefined : type.read(texts)
  }

  /** Returns the value of `key` as `type`; `otherwise` when the key is missing or its text does not convert. */
  getAsOrElse<T>(key: string, type: ParamType<T>, otherwise: NoInfer<T>): T {
    return this.getAs(key, type) ?? otherwise
  }

  /**
   * Returns the text of the list `key` for one input: a line for each item, or a JSON list for items that lines cannot represent.
   * `withLines` reads that text. Returns `undefined` for a missing key.
   */
  getLines(key: string): string | undefined {
    const list = jsonOf(this.source, key)
    const items = Array.isArray(list) ? list : textsOf(this.source, key)
    return items && listText(items)
  }

  /**
   * Returns the kind of input that shows `key`: `kind`, such as `date`, or else `text` or `textarea`, because browsers empty or change
   * an input whose text does not fit. With the kind `datetime`, the keys of a date input and a time input hold the value.
   */
  inputFor<K extends string>(key: string, kind: K): K | 'text' | 'textarea' {
    const text = this.get(key) ?? ''
    if (kind !== 'datetime') return chooseInput(kind, text)
    return text === '' || this.has(`${key}Date`) ? kind : 'text'
  }

  /** Returns true if the client sent `key` or `key[]`, even blank. */
  has(key: string): boolean {
    return isSent(this.source, key)
  }

  /**
   * Returns the members of a nested object: `params.under('user').get('name')` for `{"user":{"name":"Ann"}}` or the
   * form field `user.name`. Without that object, returns empty parameters. `params.under('pets.0')` returns the members
   * of the first item of a list.
   */
  under(name: string): Params {
    return new Params(new NestedSource(this.source, name))
  }

  /** Returns the members of a nested object, as `under` does. @throws HttpError `params.invalid` (400) without that object */
  require(name: string): Params {
    const nested = new NestedSource(this.source, name)
    if (nested.isSent) return new Params(nested)
    this.source.rejectUnread?.()
    const message = `Parameters missing or of the wrong type: ${name}.`
    const details = { errors: { [name]: [`${name} is required`] } }
    throw new HttpError(400, 'params.invalid', message, { details })
  }

  /** Returns the keys as sent; `k[]` keeps its brackets. */
  keys(): Iterable<string> {
    return this.source.keys()
  }

  toMap(): Map<string, string> {
    const map = new Map<string, string>()
    for (const key of this.source.keys()) {
      const text = this.source.get(key)?.[0]
      if (text !== undefined) map.set(key, text)
    }
    return map
  }

  /**
   * Converts the listed fields, and drops all other keys.
   * @throws HttpError `params.invalid` (400); its `details.errors` contains each key that is missing or does not
   * convert.
   * @spec Validation DSL › permit
   */
  permit<const S extends ParamTypes>(types: S): Permitted<S> {
    return permit(this.source, types)
  }

  /**
   * Converts those of the listed fields that were sent, for the changes of a PATCH.
   * @throws HttpError `params.invalid` (400)
   */
  permitPartial<const S extends ParamTypes>(types: S): PermittedPartial<S> {
    return permit(this.source, types, true) as PermittedPartial<S>
  }

  /** Returns a copy in which `key` has only this value; `undefined` removes the key. */
  with(key: string, value: ParamValue): Params {
    return this.overlay([[key, toTexts(value)]])
  }

  /** Returns a copy with values for the keys that were not sent. */
  withDefaults(values: Readonly<Record<string, ParamValue>>): Params {
    const missing = Object.entries(values).filter(([key]) => !this.has(key))
    return missing.length === 0 ? this : this.overlay(textEntries(missing))
  }

  /**
   * Returns a copy with the members of a record, for a form that edits the record. Dates are also split into the parts
   * that `withDate`, `withTime` and `withDateTime` read. Members that are not a `ParamValue`, such as related records,
   * are left out.
   */
  withModel(record: object, options?: ModelOptions): Params {
    return this.overlay(modelTexts(record, this.source, options))
  }

  /**
   * Returns a copy in which `field` has the date `yyyy-mm-dd` of its year, month and day inputs. The field is
   * blank when all inputs are empty, unless it was sent itself.
   */
  withDate(field: string, names?: DateNames): Params {
    return this.#withText(field, joinDateFields(this.source, field, names))
  }

  /**
   * Returns a copy in which `field` has the time `1970-01-01 HH:mm:ss` of its hour, minute and second inputs. The field
   * is blank when all inputs are empty, unless it was sent itself. The input `<field>Exact` adds the fraction of a second to an
   * unchanged time.
   */
  withTime(field: string, names?: TimeNames): Params {
    return this.#withText(field, joinTimeFields(this.source, field, names))
  }

  /**
   * Returns a copy in which `field` has the date and time `yyyy-MM-dd HH:mm:ss` of six inputs, or of a date and a time
   * input. The field is blank when all inputs are empty, unless it was sent itself.
   */
  withDateTime(field: string, names?: DateTimeNames): Params {
    return this.#withText(field, joinDateTimeFields(this.source, field, names), true)
  }

  /**
   * Returns a copy in which `field` is the list of the lines of its text: trimmed, without blank lines. A JSON list, such as
   * `["a", null]`, is that list. A missing field stays missing, and the items of a JSON or XML body stay unchanged.
   */
  withLines(field: string): Params {
    const texts = textsOf(this.source, field)
    if (texts === undefined || this.source.hasItems === true) return this
    const items = texts.length === 1 ? readJsonList(texts[0]!) : undefined
    return this.overlay([
      items === undefined ? [field, texts.flatMap(readLines)] : [field, texts, items],
    ])
  }

  /** Returns a copy in which `key` has the current date and time in UTC, `yyyy-MM-dd HH:mm:ss`. */
  withNow(key: string): Params {
    return this.with(key, new Date().toISOString().slice(0, 19).replace('T', ' '))
  }

  /** Returns a copy with other texts, and with a JSON value for those that are JSON. */
  overlay(entries: Iterable<OverlayEntry>): Params {
    return new Params(OverlaySource.over(this.source, entries))
  }

  /** Empty inputs do not replace a text of the field itself. */
  #withText(key: string, text: string | undefined, isWritten = false): Params {
    const isKept = text === undefined || (text === '' && this.has(key))
    return isKept ? this : this.overlay([[key, [text], undefined, isWritten]])
  }
}

/**
 * Returns parameters in which the fields of JSON have the text of their value in a JSON body, so that rules see it. Without
 * such fields, returns `params`.
 */
export function withJsonTexts(params: Params, types: ParamTypes): Params {
  const { source } = params
  if (source.json === undefined) return params
  let texts: [string, readonly string[]][] | undefined
  for (const [key, type] of Object.entries(types)) {
    if (type.definition?.isJson !== true) continue
    const value = jsonOf(source, key)
    if (value === undefined || (value === null && isOptionalType(type))) continue
    texts = [...(texts ?? []), [key, [JSON.stringify(value)]]]
  }
  return texts === undefined ? params : params.overlay(texts)
}

const plainClasses = [Temporal.PlainDate, Temporal.PlainTime, Temporal.PlainDateTime] as const
const scalarClasses = [Date, Temporal.Instant, Temporal.ZonedDateTime, ...plainClasses] as const

function isScalar(value: unknown): value is Scalar {
  if (typeof value === 'object') return scalarClasses.some((type) => value instanceof type)
  return typeof value !== 'function' && typeof value !== 'symbol' && value !== undefined
}

const isParamValue = (value: unknown): value is ParamValue =>
  value === undefined || (Array.isArray(value) ? value.every(isScalar) : isScalar(value))

const toText = (value: Scalar): string =>
  value instanceof Date ? value.toISOString() : String(value)

/** Converts a value to its texts; an empty list for `undefined`. */
function toTexts(value: ParamValue): readonly string[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(toText) : [toText(value as Scalar)]
}

/** Options for the keys of a record's members. */
interface ModelOptions {
  /** True for keys such as `birthday_year` instead of `birthdayYear`; default false. */
  readonly snakeCase?: boolean
}

/** Returns the date or time that a form shows. An instant is shown in `timeZone`. */
function toPlain(value: unknown, timeZone: string): PlainDateOrTime | undefined {
  if (value instanceof Date)
    return toPlain(Temporal.Instant.fromEpochMilliseconds(value.getTime()), timeZone)
  if (value instanceof Temporal.Instant) return value.toZonedDateTimeISO(timeZone).toPlainDateTime()
  return plainClasses.some((type) => value instanceof type) ? (value as PlainDateOrTime) : undefined
}

/** Returns the time as the part `Exact` if it has a fraction of a second, which the inputs of a form do not show. */
function exactPart(time: Temporal.PlainTime): Readonly<Record<string, string>> {
  const text = time.toString()
  return text.includes('.') ? { Exact: text } : {}
}

/** Whether date inputs have the year. */
const isInputYear = (value: PlainDateOrTime): boolean =>
  value instanceof Temporal.PlainTime || (value.year >= 1 && value.year <= 9999)

function dateParts(value: PlainDateOrTime): Readonly<Record<string, string | number>> {
  if (value instanceof Temporal.PlainDate)
    return { Year: value.year, Month: value.month, Day: value.day }
  if (value instanceof Temporal.PlainTime)
    return { Hour: value.hour, Minute: value.minute, Second: value.second, ...exactPart(value) }
  const date = value.toPlainDate()
  const time = value.toPlainTime()
  const whole = { Date: date.toString(), Time: time.toString({ smallestUnit: 'second' }) }
  return { ...dateParts(date), ...dateParts(time), ...whole }
}

/**
 * Iterates over the keys and texts of each member, and of each part of a date. `null` and `undefined` have no texts, so
 * that their keys count as missing.
 */
function* modelTexts(
  record: object,
  source: ParamSource,
  { snakeCase = false }: ModelOptions = {},
): Iterable<[string, readonly string[]]> {
  const name = (key: string) => (snakeCase ? toSnakeCase(key) : key)
  for (const [key, member] of Object.entries(record)) {
    const value: unknown = member ?? undefined
    if (!isParamValue(value)) continue
    yield [name(key), toTexts(value)]
    const date = toPlain(value, source.zoneOf?.(key) ?? 'UTC')
    if (date === undefined || !isInputYear(date)) continue
    for (const [part, number] of Object.entries(dateParts(date)))
      yield [name(key + part), [String(number)]]
  }
}
