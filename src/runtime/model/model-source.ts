/** Derives the source code of a model's definition from an existing table. */
import type { ColumnSchema, TableSchema } from '../db.ts'
import {
  columnTypes,
  toCamelCase,
  toSnakeCase,
  toUpperCamelCase,
  typeDefinitions,
} from '../params.ts'

/** A field in the source code of a model. */
export interface FieldSource {
  /** The field's name in camel case. */
  readonly name: string
  /** The column's name: the field's name in snake case, or the name in `columnNames`. */
  readonly column: string
  /** The name of a type in `ParamType`, or `Json`; for an array, the type of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** Whether the column accepts NULL. */
  readonly isOptional: boolean
  /** Whether the column has a DEFAULT. */
  readonly isDefaulted: boolean
  /** Whether the column is GENERATED ALWAYS, so that a write must not set it. */
  readonly isGenerated: boolean
  /** The maximum number of characters. */
  readonly maxLength: number | undefined
  /** The labels, if the column's type is an enum. */
  readonly values: readonly string[] | undefined
  /**
   * The TypeScript code of the type: `ParamType.optional(ParamType.Long)`, `defaulted(ParamType.Boolean)`, `json<unknown>()`.
   */
  readonly code: string
}

/** A field that references a column of another table. */
export interface ReferenceSource {
  readonly field: string
  readonly table: string
  readonly column: string
  /** True if at most one row references each row of the other table. */
  readonly isUnique: boolean
}

/** The table, fields and keys in the source code of a model. */
export interface ModelSource {
  readonly table: string
  readonly fields: readonly FieldSource[]
  /**
   * The field of the primary key; `undefined` unless the key has exactly one column. Without it, the model cannot update or
   * delete by id.
   */
  readonly primaryKey: string | undefined
  readonly references: readonly ReferenceSource[]
  /**
   * Maps fields to columns whose names are not the field's name in snake case, such as `"FooBar"`; for the model's option
   * `columnNames`.
   */
  readonly columnNames: Readonly<Record<string, string>>
}

/** PostgreSQL's name of a type → the name of the type in `ParamType`, or `Json`. */
const types: ReadonlyMap<string, string> = new Map(
  typeDefinitions.flatMap((definition) =>
    columnTypes(definition).map((databaseType) => [databaseType, definition.name] as const),
  ),
)

/** Converts `FooBar`, `foo bar` and `foo_2` to `fooBar` and `foo2`. Appends a number if the name is taken. */
function fieldName(column: string, taken: ReadonlySet<string>): string {
  const words = column.replace(/[^A-Za-z\d]+/g, '_').replace(/^_|_$/g, '')
  const plain = toCamelCase(toSnakeCase(words))
  const name = /^[a-z]/.test(plain) ? plain : `the${toUpperCamelCase(plain)}`
  if (!taken.has(name)) return name
  for (let more = 2; ; more++) if (!taken.has(`${name}${more}`)) return `${name}${more}`
}

/** Names the regular columns first, so that a column with an irregular name cannot take their names. */
function chooseFieldNames(
  columns: readonly ColumnSchema[],
  avoid: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set(avoid)
  const isRegular = ({ name }: ColumnSchema) => toSnakeCase(fieldName(name, new Set())) === name
  const ordered = [...columns.filter(isRegular), ...columns.filter((column) => !isRegular(column))]
  for (const { name } of ordered) {
    const plain = fieldName(name, new Set())
    const field = fieldName(avoid.has(plain) ? `the_${plain}` : name, taken)
    taken.add(field)
    names.set(name, field)
  }
  return names
}

/**
 * Derives the source of a table's model. Database types without a `ParamType`, such as `xml`, become strings. A field name
 * in `avoid` gets the prefix `the`.
 */
export function modelSource(
  table: TableSchema,
  { avoid = new Set() }: { readonly avoid?: ReadonlySet<string> } = {},
): ModelSource {
  const names = chooseFieldNames(table.columns, avoid)
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
    type: types.get(column.type) ?? 'String',
    isArray: column.isArray,
    isOptional: column.isNullable,
    isDefaulted: column.default !== undefined,
    isGenerated: column.isGenerated,
    maxLength: column.length,
    values: column.labels,
  }
  return { ...field, code: typeCode(field, isKey) }
}

function typeCode(field: Omit<FieldSource, 'code'>, isKey: boolean): string {
  const one = field.type === 'Json' ? 'json<unknown>()' : `ParamType.${field.type}`
  const whole = field.isArray ? `ParamType.array(${one})` : one
  if (field.isOptional) return `ParamType.optional(${whole})`
  // `id` is always optional in a new row, so it is not marked as defaulted.
  return field.isDefaulted && !(isKey && field.name === 'id') ? `defaulted(${whole})` : whole
}
