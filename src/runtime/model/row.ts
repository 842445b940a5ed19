/** The rows of a model: plain objects whose lazy fields are decoded when they are read. */
import { inspect } from 'node:util'
import { OutOfRangeValue } from '../base.ts'
import { UnreadValue } from '../db.ts'
import type { SqlFacet } from '../params.ts'

/** A field of a model's rows, in the order of the selection. */
export interface RowField {
  readonly name: string
  /** Converts the driver's value, which is never NULL. */
  readonly convert: ((value: unknown) => unknown) | undefined
  /** Whether the field is not enumerable, so that JSON, XML, logs, inspection and copies omit it. */
  readonly isHidden: boolean
  /** The facet of a lazy field, such as a date, whose values are decoded when they are read; `undefined` for other fields. */
  readonly lazy: SqlFacet<never> | undefined
}

const unread: unique symbol = Symbol('unread values')

/** A row's values by position. Reading a lazy field replaces its unread value with the decoded one. */
interface WithUnread {
  readonly [unread]: unknown[]
}

const readAt = (values: unknown[], at: number): unknown => {
  const value = values[at]
  return value instanceof UnreadValue ? (values[at] = value.readOrKeep()) : value
}

/** Returns the accessor property of a lazy field. All rows share it, so that V8 gives them the same hidden class. */
const lazyProperty = ({ name, isHidden }: RowField, at: number): PropertyDescriptor => ({
  get(this: WithUnread) {
    return readAt(this[unread], at)
  },
  set(this: WithUnread, value: unknown) {
    if (Object.hasOwn(this, unread)) this[unread][at] = value
    else
      Object.defineProperty(this, name, {
        value,
        writable: true,
        enumerable: !isHidden,
        configurable: true,
      })
  },
  enumerable: !isHidden,
  configurable: true,
})

const hidden = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: false,
  configurable: true,
  writable: true,
})

/** Returns a copy of the row for `console.log`, which otherwise shows `[Getter/Setter]` for lazy fields. */
const inspectProperty = hidden(function inspectRow(this: object): object {
  return { ...this }
})

/** Converts the value of a field to the content of a member; `undefined` is NULL. */
export type FormatMember = (value: unknown, field: string) => unknown

/** Creates the rows of one model from the arrays of the driver. */
export class RowShape {
  readonly #fields: readonly RowField[]
  /** The properties of lazy fields by position; `undefined` for other fields. */
  readonly #lazyProperties: readonly (PropertyDescriptor | undefined)[]
  readonly #jsonProperty: PropertyDescriptor
  readonly #hasLazyFields: boolean

  constructor(fields: readonly RowField[]) {
    this.#fields = fields
    this.#lazyProperties = fields.map((field, at) =>
      field.lazy === undefined ? undefined : lazyProperty(field, at),
    )
    this.#hasLazyFields = this.#lazyProperties.some((property) => property !== undefined)
    this.#jsonProperty = hidden(this.#createToJson())
  }

  /** Creates a row. The row keeps and changes the array `values`. */
  create(values: unknown[]): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < this.#fields.length; at++) {
      const field = this.#fields[at]!
      let value = values[at]
      if (value === null) value = undefined
      else if (field.convert !== undefined || typeof value === 'object')
        value = convert(field, value)
      const property = this.#lazyProperties[at]
      if (field.isHidden && property === undefined)
        Object.defineProperty(row, field.name, hidden(value))
      else if (property === undefined) row[field.name] = value
      else {
        values[at] = value
        Object.defineProperty(row, field.name, property)
      }
    }
    if (this.#hasLazyFields) {
      Object.defineProperty(row, unread, hidden(values))
      Object.defineProperty(row, inspect.custom, inspectProperty)
      Object.defineProperty(row, 'toJSON', this.#jsonProperty)
    }
    return row
  }

  /** Returns the names of the members by position. */
  names(nameOf: (field: string) => string): readonly string[] {
    return this.#fields.map(({ name }) => nameOf(name))
  }

  /**
   * Returns an object with the members that `toJSON` of the created row has, under other names. Lazy fields and texts are not
   * formatted, because they are texts already.
   */
  members(values: readonly unknown[], names: readonly string[], format: FormatMember): object {
    const members: Record<string, unknown> = {}
    for (let at = 0; at < this.#fields.length; at++) {
      const field = this.#fields[at]!
      if (field.isHidden) continue
      let value: unknown = values[at] ?? undefined
      if (value !== undefined && (field.convert !== undefined || typeof value === 'object'))
        value = convert(field, value)
      if (value instanceof UnreadValue) members[names[at]!] = value.toJSON()
      else members[names[at]!] = typeof value === 'string' ? value : format(value, field.name)
    }
    return members
  }

  /** Creates the method `toJSON` of rows. It returns unread values as text, so that `JSON.stringify` does not decode them. */
  #createToJson(): (this: WithUnread & Record<string, unknown>) => object {
    const positions = new Map(this.#fields.map(({ name }, at) => [name, at]))
    const lazy = this.#lazyProperties
    return function toJSON() {
      const members: Record<string, unknown> = {}
      const values = this[unread]
      for (const name of Object.keys(this)) {
        const at = positions.get(name)
        const value = at === undefined || lazy[at] === undefined ? undefined : values[at]
        members[name] = value instanceof UnreadValue ? value.toJSON() : this[name]
      }
      return members
    }
  }
}

/** Returns the members of a model's row, with unread values as text. Returns any other object unchanged. */
export const textMembers = (value: object): object =>
  unread in value ? (value as unknown as { toJSON(): object }).toJSON() : value

/** Converts a driver's value. A value that needs no conversion to another type stays unread. */
function convert({ convert: toField, lazy }: RowField, value: unknown): unknown {
  if (!(value instanceof UnreadValue)) return toField === undefined ? value : toField(value)
  if (value.sql === lazy) return value
  const read = value.readOrKeep()
  return toField === undefined || read instanceof OutOfRangeValue ? read : toField(read)
}
