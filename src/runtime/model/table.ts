/** The table of a model: maps fields to columns and converts values to and from the driver's types. */
import { decodeOrKeep, FwError } from '../base.ts'
import { parseTextArray } from '../db.ts'
import {
  isListType,
  isOptionalType,
  isPermitted,
  type ParamType,
  PermitError,
  type SqlFacet,
  toSnakeCase,
} from '../params.ts'
import type { Columns } from './column.ts'
import { FoundRows } from './found-rows.ts'
import type { ModelOptions } from './model-options.ts'
import { RowShape } from './row.ts'

/**
 * The fields of a write and their SQL parameters, in the order of the permitted values. `shape` lists the fields as a cache
 * key.
 */
export interface Attributes {
  readonly fields: string[]
  readonly values: unknown[]
  readonly shape: string
}

type Convert = (value: unknown) => unknown

/** Quotes the name of a column or a table. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Splits `app.members` into `app` and `members`. A quoted name may contain dots: `"order.items"` is one name. */
export const splitTableName = (name: string): readonly string[] =>
  (name.match(/"(?:[^"]|"")+"(?=\.|$)|[^.]+/g) ?? []).map((part) =>
    /^".*"$/s.test(part) ? part.slice(1, -1).replaceAll('""', '"') : part,
  )

/** Returns the SQL of a table's name, whose parts are quoted separately. */
export const quoteTableName = (name: string): string => splitTableName(name).map(quote).join('.')

/** The fields of a SELECT. */
export interface SelectedFields {
  readonly fields: readonly string[]
  /** Those that are read by their name only. */
  readonly hidden: ReadonlySet<string>
}

export class Table {
  readonly name: string
  /** The schema's name, if `name` contains one, and the table's name, both without quotes. */
  readonly path: readonly string[]
  /** The quoted SQL name; in `schema.table`, both names are quoted separately. */
  readonly quoted: string
  readonly columns: Columns
  readonly fields: readonly string[]
  readonly primaryKey: string
  readonly lockVersion: string | undefined
  readonly softDelete: string | undefined
  readonly hidden: ReadonlySet<string>
  readonly #isReadOnly: boolean
  /**
   * The select list of all fields: `"members"."country_id" as "countryId", …`. The driver's rows then have the names of the
   * fields.
   */
  readonly selection: string
  /** The field of the option `scopedBy`. */
  readonly scopedBy: string | undefined
  readonly #notDeleted: string
  readonly #options: ModelOptions
  /** Whether statements reach only the rows of one owner. */
  readonly #isScoped: boolean
  readonly #fieldByName = new Map<string, string>()
  readonly #columnNames: NonNullable<ModelOptions['columnNames']>
  readonly #shape: RowShape
  /** The row shapes of queries that select only some fields. */
  readonly #partShapes = new Map<string, RowShape>()

  constructor(name: string, columns: Columns, options: ModelOptions, isScoped = false) {
    const { primaryKey, lockVersion, softDelete, scopedBy, columnNames = {}, hidden = [] } = options
    this.name = name
    this.path = splitTableName(name)
    this.quoted = this.path.map(quote).join('.')
    this.columns = columns
    this.fields = Object.keys(columns)
    this.primaryKey = primaryKey ?? 'id'
    this.lockVersion = lockVersion
    this.softDelete = softDelete
    this.scopedBy = scopedBy
    this.#options = options
    this.#isScoped = isScoped
    this.#isReadOnly = options.readOnly === true
    this.hidden = new Set(hidden)
    this.#columnNames = columnNames
    for (const field of this.fields) this.#fieldByName.set(this.columnName(field), field)
    for (const field of this.fields) this.#fieldByName.set(field, field)
    const named = [primaryKey, lockVersion, softDelete, scopedBy, ...hidden]
    for (const field of [...named, ...Object.keys(columnNames)]) {
      if (field === undefined || this.has(field)) continue
      throw new FwError(
        'model.definition-invalid',
        `The model of '${name}' names the field '${field}' and does not declare it.`,
      )
    }
    this.#notDeleted = softDelete === undefined ? '' : ` and ${this.column(softDelete)} is null`
    this.selection = this.fields.map((field) => this.#selectColumn(field)).join(', ')
    this.#shape = this.#createShape(this.fields, this.hidden)
  }

  /** Returns the same table, for statements that reach only the rows of one owner. */
  scoped(): Table {
    return new Table(this.name, this.columns, this.#options, true)
  }

  /** The field that all rows of the statements have in common; `undefined` if the statements reach all rows. */
  get scope(): string | undefined {
    return this.#isScoped ? this.scopedBy : undefined
  }

  /**
   * Returns the condition of the rows that statements reach: ` and "deleted_at" is null and "user_id" = $2`. The owner is the
   * parameter with the number `position`, the last one of the statement.
   */
  visible(position: number): string {
    const { scope } = this
    const owned = scope === undefined ? '' : ` and ${this.column(scope)} = $${position}`
    return this.#notDeleted + owned
  }

  selectionOf(fields: readonly string[]): string {
    return fields.map((field) => this.#selectColumn(field)).join(', ')
  }

  has(field: string): boolean {
    return Object.hasOwn(this.columns, field)
  }

  /** Whether this is the name of a field or of its column. */
  knows(name: string): boolean {
    return this.#fieldByName.has(name)
  }

  /** Returns the name of a field's column; for an unknown field, its name in snake case. */
  columnName(field: string): string {
    const name = Object.hasOwn(this.#columnNames, field) ? this.#columnNames[field] : undefined
    return name ?? toSnakeCase(field)
  }

  column(field: string): string {
    return quote(this.columnName(field))
  }

  /** Returns the field with this name or with this column name (`country_id`). @throws FwError `model.column-unknown` */
  fieldOf(name: string): string {
    const field = this.#fieldByName.get(name)
    if (field !== undefined) return field
    throw new FwError(
      'model.column-unknown',
      `The model of '${this.name}' has no field '${name}'. It has: ${this.fields.join(', ')}.`,
    )
  }

  /** Returns the rows of a statement that selected exactly all fields, or exactly those of `selected`. */
  foundRows(results: readonly unknown[][], selected?: SelectedFields): FoundRows {
    return new FoundRows(results, selected === undefined ? this.#shape : this.#shapeOf(selected))
  }

  /** Converts the values of a driver's row in place. */
  toRow(raw: Record<string, unknown>, { fields, hidden }: SelectedFields = this): void {
    for (const field of fields) raw[field] = this.fromDriver(field, raw[field])
    for (const field of hidden) Object.defineProperty(raw, field, { enumerable: false })
  }

  /** Converts one value from the driver; NULL becomes `undefined`. */
  fromDriver(field: string, value: unknown): unknown {
    if (value === null || value === undefined) return undefined
    return conversionOf(this.columns[field]!)?.(value) ?? value
  }

  /**
   * Rejects a condition with `undefined`, which would select unintended rows.
   * @throws FwError `model.condition-undefined`
   */
  checkCondition(field: string, value: unknown): void {
    if (value !== undefined) return
    throw new FwError(
      'model.condition-undefined',
      `The condition for '${field}' of the model of '${this.name}' is undefined. Pass null to find NULL, or leave the field out.`,
    )
  }

  /** @throws FwError `model.read-only` */
  checkWritable(): void {
    if (!this.#isReadOnly) return
    throw new FwError(
      'model.read-only',
      `The model of '${this.name}' has the option readOnly, so it writes no rows.`,
    )
  }

  toParameter(field: string, value: unknown): unknown {
    const type = this.columns[field]!
    const { definition, element } = type
    const encode = (definition ?? element?.definition)?.sql?.encode
    if (encode === undefined || value === undefined) return value
    if (value === null)
      return definition?.isJson === true && !isOptionalType(type) ? encode(value) : value
    if (element === undefined) return encode(value)
    // An item of JSON may itself be a list.
    const isJson = element.definition?.isJson === true
    return isJson && Array.isArray(value)
      ? value.map((item: unknown) => (item === null ? null : encode(item)))
      : convertItems(value, encode)
  }

  /** Converts the value of a condition, or the values of a list. Expressions remain unchanged. */
  toCondition(field: string, value: unknown): unknown {
    const { sql, isJson } = this.columns[field]?.definition ?? {}
    if (sql?.encode === undefined || isJson === true || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.toCondition(field, item))
    return typeof value === 'object' && 'toOperationNode' in value ? value : sql.encode(value)
  }

  /** @throws FwError `model.not-permitted` for values that are not from `permit` or `permitValues` */
  checkPermitted(permitted: unknown): object {
    if (isPermitted(permitted)) return permitted
    throw new FwError(
      'model.not-permitted',
      `The model of '${this.name}' writes permitted values alone: give it what params.permit(…) or permitValues(…) returned, not a copy.`,
    )
  }

  /**
   * Converts permitted values to attributes.
   * @throws FwError `model.not-permitted`, `model.column-unknown`; PermitError
   */
  permittedAttributes(permitted: unknown): Attributes {
    return this.attributesOf(this.checkPermitted(permitted))
  }

  /** Converts values to attributes without a check of permission, for values that the application's own code computes. */
  attributesOf(values: object): Attributes {
    const fields: string[] = []
    const parameters: unknown[] = []
    let shape = ''
    for (const key of Object.keys(values)) {
      const field = this.fieldOf(key)
      fields.push(field)
      parameters.push(this.#toWrittenParameter(field, values[key as keyof typeof values]))
      shape += ` ${field}`
    }
    return { fields, values: parameters, shape }
  }

  /** Returns the values by field name, because the keys of permitted values may be column names. */
  nameFields(values: object): Record<string, unknown> {
    const named: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(values)) named[this.fieldOf(key)] = value
    return named
  }

  /** Converts a field's value for a write: a JSON column's schema first checks the value. @throws PermitError */
  #toWrittenParameter(field: string, value: unknown): unknown {
    const type = this.columns[field]!
    if (type.schema === undefined || value === undefined) return this.toParameter(field, value)
    const result = type.schema.check(value)
    if ('value' in result) return this.toParameter(field, result.value)
    throw new PermitError([{ key: field, reason: 'invalid', type, issues: result.issues }])
  }

  #createShape(fields: readonly string[], hidden: ReadonlySet<string>): RowShape {
    const rowFields = fields.map((name) => {
      const type = this.columns[name]!
      const sql = type.definition?.sql as SqlFacet<never> | undefined
      const lazy = sql?.toJson === undefined ? undefined : sql
      return { name, isHidden: hidden.has(name), convert: conversionOf(type), lazy }
    })
    return new RowShape(rowFields)
  }

  /** Returns the row shape for the selected fields. The cache stays small: only application code selects fields. */
  #shapeOf({ fields, hidden }: SelectedFields): RowShape {
    const key = `${fields.join()} ${[...hidden].join()}`
    const known = this.#partShapes.get(key)
    if (known !== undefined) return known
    const shape = this.#createShape(fields, hidden)
    this.#partShapes.set(key, shape)
    return shape
  }

  /** Returns the select-list entry of a field. */
  #selectColumn(field: string): string {
    return `${this.quoted}.${this.column(field)}${this.castOf(field)} as ${quote(field)}`
  }

  /** Returns the cast of a field in a select list: `::text` if the driver's value would lose information, or else ``. */
  castOf(field: string): string {
    return this.columns[field]!.definition?.sql?.selectsText === true ? '::text' : ''
  }
}

/** Returns the conversion from the driver's value to a field's type. */
function conversionOf(type: ParamType<unknown>): Convert | undefined {
  const { definition, element } = type
  if (element !== undefined) return isListType(type) ? listConversion(type, element) : undefined
  const sql = definition?.sql
  if (sql?.convert !== undefined || sql?.decode === undefined || sql.oids !== undefined)
    return sql?.convert
  const { decode } = sql
  return (value) => decodeOrKeep(typeof value === 'string' ? value : String(value), decode)
}

/** Returns the conversion of a list from the driver, which returns arrays of enums and domains as text. */
function listConversion(type: ParamType<unknown>, element: ParamType<unknown>): Convert {
  if (element.definition?.isJson === true) return (items) => items
  const isText = element.name === 'String'
  const convert = conversionOf(element)
  return (value) => {
    const items = typeof value === 'string' ? parseTextArray(value) : value
    if (convert !== undefined) return convertItems(items, convert)
    if (items === value || isText || (items as unknown[]).includes(null)) return items
    return type.read(items as readonly string[])
  }
}

const convertItems = (value: unknown, convert: Convert): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) => (item === null ? null : convertItems(item, convert)))
    : convert(value)
