/** An existing table to the words of a model's definition. */
import type { ColumnSchema, TableSchema } from '../db.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../params.ts'

/** One field of a definition. */
export interface FieldSource {
  /** In camel case. */
  readonly name: string
  /** The name in snake case, unless `columnNames` says otherwise. */
  readonly column: string
  /** A name in `ParamType`, or `Json`; of a list, of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** The column may be NULL. */
  readonly isOptional: boolean
  /** The database fills it when a row leaves it out. */
  readonly isDefaulted: boolean
  /** The database alone writes it. */
  readonly isGenerated: boolean
  /** The most characters that the column holds. */
  readonly maxLength: number | undefined
  /** What the column may hold, where it is an enum. */
  readonly values: readonly string[] | undefined
  /** The type as code: `ParamType.optional(ParamType.Long)`, `defaulted(ParamType.Boolean)`, `json<unknown>()`. */
  readonly code: string
}

/** A field that points to a column of another table. */
export interface ReferenceSource {
  readonly field: string
  readonly table: string
  readonly column: string
  /** No two rows point to the same one. */
  readonly isUnique: boolean
}

/** What a model's definition says of a table. */
export interface ModelSource {
  readonly table: string
  readonly fields: readonly FieldSource[]
  /** Absent where there is none or it has several columns: the model finds, and neither updates nor deletes by id. */
  readonly primaryKey: string | undefined
  readonly references: readonly ReferenceSource[]
  /** The columns of fields whose names do not lead to them, such as `"FooBar"` in quotes: an option of the model. */
  readonly columnNames: Readonly<Record<string, string>>
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
  uuid: 'Uuid',
  date: 'LocalDate',
  time: 'LocalTime',
  timestamp: 'LocalDateTime',
  timestamptz: 'DateTime',
  json: 'Json',
  jsonb: 'Json',
}

/** `FooBar`, `foo bar` and `foo_2` to `fooBar` and `foo2`; a name that is taken gets a number. */
function fieldName(column: string, taken: ReadonlySet<string>): string {
  const words = column.replace(/[^A-Za-z\d]+/g, '_').replace(/^_+|_+$/g, '')
  const plain = toCamelCase(toSnakeCase(words))
  const name = /^[a-z]/.test(plain) ? plain : `the${toUpperCamelCase(plain)}`
  if (!taken.has(name)) return name
  for (let more = 2; ; more++) if (!taken.has(`${name}${more}`)) return `${name}${more}`
}

/** Names the columns; those that a name leads to come first, so that no other one takes it. */
function fieldNames(
  columns: readonly ColumnSchema[],
  avoid: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(avoid)
  const leads = ({ name }: ColumnSchema) => toSnakeCase(fieldName(name, new Set())) === name
  const ordered = [...columns.filter(leads), ...columns.filter((column) => !leads(column))]
  for (const { name } of ordered) {
    const given = fieldName(name, new Set())
    const field = fieldName(avoid.has(given) ? `the_${given}` : name, taken)
    taken.add(field)
    names.set(name, field)
  }
  return names
}

/**
 * Types that no ParamType has a name for, such as `interval`, are texts. A column that would be called as one
 * of `avoid` gets `the` before its name.
 */
export function modelSource(
  table: TableSchema,
  { avoid = new Set() }: { readonly avoid?: ReadonlySet<string> } = {},
): ModelSource {
  const names = fieldNames(table.columns, avoid)
  const [key, ...more] = table.primaryKey
  const isUnique = (column: string): boolean =>
    [table.primaryKey, ...table.uniqueKeys].some((own) => own.length === 1 && own[0] === column)
  return {
    table: table.name,
    fields: table.columns.map((column) =>
      fieldSource(column, names.get(column.name)!, column.name === key),
    ),
    primaryKey: key === undefined || more.length > 0 ? undefined : names.get(key),
    references: table.foreignKeys.flatMap(({ columns, table: target, references }) => {
      const [column] = columns
      if (column === undefined || columns.length > 1) return []
      const field = names.get(column)!
      return [{ field, table: target, column: references[0]!, isUnique: isUnique(column) }]
    }),
    columnNames: Object.fromEntries(
      table.columns
        .map(({ name }) => [names.get(name)!, name] as const)
        .filter(([field, column]) => toSnakeCase(field) !== column),
    ),
  }
}

function fieldSource(column: ColumnSchema, name: string, isKey: boolean): FieldSource {
  const field = {
    name,
    column: column.name,
    type: types[column.type] ?? 'String',
    isArray: column.isArray,
    isOptional: column.isNullable,
    isDefaulted: column.default !== undefined,
    isGenerated: column.isGenerated,
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
