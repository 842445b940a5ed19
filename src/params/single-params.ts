/** Params: the first text of each key, read typed, permitted, and extended without changing the original. */
import {
  type DateNames,
  type DateTimeNames,
  type TimeNames,
  dateText,
  dateTimeText,
  timeText,
} from './date-fields.ts'
import { type ModelOptions, modelTexts } from './model-texts.ts'
import { type ParamValue, textsFrom } from './param-value.ts'
import type { ParamType, ParamTypes } from './param-type.ts'
import { type Permitted, type PermittedPartial, permit } from './permit.ts'
import { OverlaySource, type ParamSource, textsOf } from './source.ts'

/** An immutable view of a source of parameters. @spec Parameter access */
export class Params {
  /** Every text of each key, as the client sent them. */
  readonly source: ParamSource

  constructor(source: ParamSource) {
    this.source = source
  }

  /** The first text of `key`, else of `key[]`; `''` for a key sent without a value. */
  get(key: string): string | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined ? undefined : texts[0]
  }

  /** The value of `key` as `type`; `undefined` when it is absent or does not convert. */
  getAs<T>(key: string, type: ParamType<T>): T | undefined {
    const texts = textsOf(this.source, key)
    return texts === undefined ? undefined : type.read(texts)
  }

  /** The value of `key` as `type`; `otherwise` when it is absent or does not convert. */
  getAsOrElse<T>(key: string, type: ParamType<T>, otherwise: NoInfer<T>): T {
    return this.getAs(key, type) ?? otherwise
  }

  /** Whether `key` or `key[]` was sent, blank included. */
  has(key: string): boolean {
    return textsOf(this.source, key) !== undefined
  }

  /** The keys as they were sent, `k[]` with its brackets. */
  keys(): Iterable<string> {
    return this.source.keys()
  }

  /** The first text of each key. */
  toMap(): Map<string, string> {
    const map = new Map<string, string>()
    for (const key of this.source.keys()) {
      const text = this.source.get(key)?.[0]
      if (text !== undefined) map.set(key, text)
    }
    return map
  }

  /**
   * The listed fields, converted; what is not listed is dropped.
   * @throws HttpError `params.invalid` (400), its `details.errors` naming each key that is absent or does not convert.
   * @spec Validation DSL › permit
   */
  permit<const S extends ParamTypes>(types: S): Permitted<S> {
    return permit(this.source, types)
  }

  /**
   * As `permit`, but only of the listed fields that were sent: what a PATCH changes.
   * @throws HttpError `params.invalid` (400)
   */
  permitPartial<const S extends ParamTypes>(types: S): PermittedPartial<S> {
    return permit(this.source, types, true) as PermittedPartial<S>
  }

  /** A copy in which `key` has this value alone; `undefined` takes the key out. */
  with(key: string, value: ParamValue): Params {
    return new Params(OverlaySource.over(this.source, [[key, textsFrom(value)]]))
  }

  /** A copy in which keys that were not sent have these values. */
  withDefaults(values: Readonly<Record<string, ParamValue>>): Params {
    const missing = Object.entries(values).filter(([key]) => !this.has(key))
    if (missing.length === 0) return this
    const texts = missing.map(([key, value]) => [key, textsFrom(value)] as const)
    return new Params(OverlaySource.over(this.source, texts))
  }

  /**
   * A copy with the members of a record, for a form that edits it: dates also as the parts that `withDate`, `withTime`
   * and `withDateTime` read. Members that are no `ParamValue`, such as related records, are left out.
   */
  withModel(record: object, options?: ModelOptions): Params {
    return new Params(OverlaySource.over(this.source, modelTexts(record, options)))
  }

  /** `field` as `yyyy-mm-dd` out of its year, month and day inputs; unchanged when all of them are empty. */
  withDate(field: string, names?: DateNames): Params {
    return this.#withText(field, dateText(this.source, field, names))
  }

  /** `field` as `1970-01-01 HH:mm:ss` out of its hour, minute and second inputs; unchanged when all of them are empty. */
  withTime(field: string, names?: TimeNames): Params {
    return this.#withText(field, timeText(this.source, field, names))
  }

  /** `field` as `yyyy-MM-dd HH:mm:ss` out of six inputs, or of a date and a time input; unchanged when all are empty. */
  withDateTime(field: string, names?: DateTimeNames): Params {
    return this.#withText(field, dateTimeText(this.source, field, names))
  }

  /** `field` as a list out of a text of lines: one item each, trimmed, blank ones left out; unchanged when it is absent. */
  withLines(field: string): Params {
    const texts = textsOf(this.source, field)
    if (texts === undefined) return this
    const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.trim())
    return this.with(
      field,
      lines.filter((line) => line !== ''),
    )
  }

  /** `key` as the current date and time in UTC, `yyyy-MM-dd HH:mm:ss`. */
  withNow(key: string): Params {
    return this.with(key, new Date().toISOString().slice(0, 19).replace('T', ' '))
  }

  #withText(key: string, text: string | undefined): Params {
    return text === undefined ? this : this.with(key, text)
  }
}
