/** An existing table to the words of a model's definition. */
import type { ColumnSchema, TableSchema } from '../db.ts'
import { toCamelCase, toSnakeCase } from '../params.ts'

/** One field of a definition. */
export interface FieldSource {
  /** In camel case; its column is the name in snake case. */
  readonly name: string
  /** A name in `ParamType`, or `Json`; of a list, of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** The column may be NULL. */
  readonly isOptional: boolean
  /** The database fills it when a row leaves it out. */
  readonly isDefaulted: boolean
  /** The most characters that the column holds. */
  readonly maxLength: number | undefined
  /** What the column may hold, where it is an enum. */
  readonly values: readonly string[] | undefined
  /** The type as code: `ParamType.optional(ParamType.Long)`, `defaulted(ParamType.Boolean)`, `json<unknown>()`. */
  readonly code: string
}

/** A field that points to the primary key of another table. */
export interface ReferenceSource {
  readonly field: string
  readonly table: string
}

/** What a model's definition says of a table. */
export interface ModelSource {
  readonly table: string
  readonly fields: readonly FieldSource[]
  /** Absent where there is none or it has several columns: the model finds, and neither updates nor deletes by id. */
  readonly primaryKey: string | undefined
  readonly references: readonly ReferenceSource[]
  /** Columns that no field's name leads to, such as `"fooBar"` in quotes. */
  readonly unreachable: readonly string[]
}

const types: Readonly<Record<string, string>> = {
  bool: 'Boolean',
  int2: 'Short',
  int4: 'Int',
  int8: 'Long',
  float4: 'Float',
  float8: 'Double',
  numeric: 'BigDecimal',
  bytea: 'ByteArray',
  date: 'LocalDate',
  time: 'LocalTime',
  timestamp: 'LocalDateTime',
  timestamptz: 'DateTime',
  json: 'Json',
  jsonb: 'Json',
}

const isReachable = ({ name }: ColumnSchema): boolean => toSnakeCase(toCamelCase(name)) === name

/** Types that no ParamType has a name for, such as `uuid` and `interval`, are texts. */
export function modelSource(table: TableSchema): ModelSource {
  const reachable = table.columns.filter(isReachable)
  const fieldOf = (column: string): string | undefined =>
    reachable.some(({ name }) => name === column) ? toCamelCase(column) : undefined
  const [key, ...more] = table.primaryKey
  return {
    table: table.name,
    fields: reachable.map((column) => fieldSource(column, column.name === key)),
    primaryKey: key === undefined || more.length > 0 ? undefined : fieldOf(key),
    references: table.foreignKeys.flatMap(({ columns: [column, ...rest], table: target }) => {
      const field = rest.length === 0 && column !== undefined ? fieldOf(column) : undefined
      return field === undefined ? [] : [{ field, table: target }]
    }),
    unreachable: table.columns.filter((column) => !isReachable(column)).map(({ name }) => name),
  }
}

function fieldSource(column: ColumnSchema, isKey: boolean): FieldSource {
  const type = types[column.type] ?? 'String'
  const field = {
    name: toCamelCase(column.name),
    type,
    isArray: column.isArray,
    isOptional: column.isNullable,
    isDefaulted: column.default !== undefined,
    maxLength: column.length,
    values: column.labels,
  }
  return { ...field, code: codeOf(field, isKey) }
}

function codeOf(field: Omit<FieldSource, 'code'>, isKey: boolean): string {
  const one = field.type === 'Json' ? 'json<unknown>()' : `ParamType.${field.type}`
  const whole = field.isArray ? `ParamType.array(${one})` : one
  if (field.isOptional) return `ParamType.optional(${whole})`
  // A primary key's default goes without saying.
  return field.isDefaulted && !(isKey && field.name === 'id') ? `defaulted(${whole})` : whole
}
