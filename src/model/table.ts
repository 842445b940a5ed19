/** A model's table: names of fields and columns, and rows made from what the database gives. */
import { FwError, Temporal } from '../base.ts'
import { type ParamType, toSnakeCase } from '../params.ts'
import type { Columns } from './column.ts'

export interface TableOptions {
  /** `id` when absent. */
  readonly primaryKey?: string
  /** The field, an Int or Long, that counts a row's changes: an update by an older one is refused. */
  readonly lockVersion?: string
  /** The field that `deleteById` sets instead of deleting: an optional DateTime or LocalDateTime. */
  readonly softDelete?: string
  /** The columns of fields whose names do not lead to them, such as `{ fooBar: 'FOO_BAR' }`. */
  readonly columnNames?: Readonly<Partial<Record<string, string>>>
}

/** Values that were read from json and jsonb columns: their keys are data, not names of fields. */
const storedJson = new WeakSet<object>()

/** Whether a member of a row came out of a json or jsonb column; of plain values false. */
export const isStoredJson = (value: object): boolean => storedJson.has(value)

type Repair = (value: unknown) => unknown

/** A quoted SQL name. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export class Table {
  readonly name: string
  /** The name for SQL; `schema.table` is two names. */
  readonly quoted: string
  readonly columns: Columns
  readonly fields: readonly string[]
  readonly primaryKey: string
  readonly lockVersion: string | undefined
  readonly softDelete: string | undefined
  /** `"members"."country_id" as "countryId", …`: rows come out in the shape they have for the application. */
  readonly selection: string
  /** A condition that leaves softly deleted rows out, beginning with ` and `; empty where there are none. */
  readonly living: string
  readonly #fieldOf = new Map<string, string>()
  readonly #columnNames: NonNullable<TableOptions['columnNames']>
  readonly #repairs: readonly (readonly [field: string, repair: Repair])[]

  constructor(name: string, columns: Columns, options: TableOptions) {
    this.name = name
    this.quoted = name.split('.').map(quote).join('.')
    this.columns = columns
    this.fields = Object.keys(columns)
    this.primaryKey = options.primaryKey ?? 'id'
    this.lockVersion = options.lockVersion
    this.softDelete = options.softDelete
    this.#columnNames = options.columnNames ?? {}
    for (const field of this.fields) this.#fieldOf.set(this.columnName(field), field)
    for (const field of this.fields) this.#fieldOf.set(field, field)
    const { primaryKey, lockVersion, softDelete } = options
    for (const named of [primaryKey, lockVersion, softDelete, ...Object.keys(this.#columnNames)]) {
      if (named !== undefined && !this.has(named)) throw this.#undeclared(named)
    }
    this.living =
      this.softDelete === undefined ? '' : ` and ${this.column(this.softDelete)} is null`
    this.selection = this.fields
      .map((field) => selected(`${this.quoted}.${this.column(field)}`, field, columns[field]!))
      .join(', ')
    this.#repairs = this.fields.map((field) => [field, repairOf(columns[field]!)] as const)
  }

  has(field: string): boolean {
    return Object.hasOwn(this.columns, field)
  }

  /** Whether a field goes by this name, or its column does. */
  knows(name: string): boolean {
    return this.#fieldOf.has(name)
  }

  /** The name of a field's column; of a word that is no field, what it would be. */
  columnName(field: string): string {
    const own = Object.hasOwn(this.#columnNames, field) ? this.#columnNames[field] : undefined
    return own ?? toSnakeCase(field)
  }

  /** The quoted column of a field. */
  column(field: string): string {
    return quote(this.columnName(field))
  }

  /**
   * The field that a key of permitted values means: its own name, or its column's (`country_id`).
   * @throws FwError `model.column-unknown`
   */
  fieldOf(key: string): string {
    const field = this.#fieldOf.get(key)
    if (field !== undefined) return field
    throw new FwError(
      'model.column-unknown',
      `The model of '${this.name}' has no field '${key}'. It has: ${this.fields.join(', ')}.`,
    )
  }

  /** Turns what the driver gave into the row, in place. */
  row<Row>(raw: Record<string, unknown>): Row {
    for (let i = 0; i < this.#repairs.length; i++) {
      const [field, repair] = this.#repairs[i]!
      const value = raw[field]
      if (value === null) raw[field] = undefined
      else if (repair !== same) raw[field] = repair(value)
    }
    return raw as Row
  }

  /** The form of a value in which the driver takes it. */
  parameter(field: string, value: unknown): unknown {
    return this.columns[field]!.name === 'Json' && value !== undefined
      ? JSON.stringify(value)
      : value
  }

  #undeclared(field: string): FwError {
    return new FwError(
      'model.definition-invalid',
      `The model of '${this.name}' names the field '${field}' and does not declare it.`,
    )
  }
}

/** A BigInt leaves the database as text: the driver's number would be too small for it. */
function selected(column: string, field: string, type: ParamType<unknown>): string {
  return `${type.name === 'BigInt' ? `${column}::text` : column} as ${quote(field)}`
}

const same: Repair = (value) => value

function repairOf(type: ParamType<unknown>): Repair {
  switch (type.name) {
    case 'BigInt':
      return (value) => BigInt(value as string)
    // Sessions run in UTC, so a column without a zone holds UTC.
    case 'DateTime':
      return (value) =>
        value instanceof Temporal.PlainDateTime ? value.toZonedDateTime('UTC').toInstant() : value
    case 'LocalDateTime':
      return (value) =>
        value instanceof Temporal.Instant
          ? value.toZonedDateTimeISO('UTC').toPlainDateTime()
          : value
    case 'Json':
    case 'Json[]':
      return (value) => {
        if (typeof value === 'object' && value !== null) storedJson.add(value)
        return value
      }
    default:
      return same
  }
}
