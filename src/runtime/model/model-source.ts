/** Derives a model's definition from an existing table. */
import type { ColumnSchema, TableSchema } from '../db.ts'
import { toCamelCase, toSnakeCase, toUpperCamelCase } from '../params.ts'

/** The parts of a field in the source of a model. */
export interface FieldSource {
  /** In camel case. */
  readonly name: string
  /** The field's name in snake case, or an entry of `columnNames`. */
  readonly column: string
  /** A name in `ParamType`, or `Json`; for an array, the element type. */
  readonly type: string
  readonly isArray: boolean
  /** The column may be NULL. */
  readonly isOptional: boolean
  /** The column has a DEFAULT. */
  readonly isDefaulted: boolean
  /** GENERATED ALWAYS: a write must not give the value. */
  readonly isGenerated: boolean
  /** The maximum of characters. */
  readonly maxLength: number | undefined
  /** The values of an enum. */
  readonly values: readonly string[] | undefined
  /** The type as TypeScript: `ParamType.optional(ParamType.Long)`, `defaulted(ParamType.Boolean)`, `json<unknown>()`. */
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

/** The parts of the source of a model. */
export interface ModelSource {
  readonly table: string
  readonly fields: readonly FieldSource[]
  /** Absent without a primary key of one column: the model then cannot update or delete by id. */
  readonly primaryKey: string | undefined
  readonly references: readonly ReferenceSource[]
  /** Columns whose name is not the field's in snake case, such as `"FooBar"`, for the option of the model. */
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

/** Converts `FooBar`, `foo bar` and `foo_2` to `fooBar` and `foo2`; numbers a name that is taken. */
function fieldName(column: string, taken: ReadonlySet<string>): string {
  const words = column.replace(/[^A-Za-z\d]+/g, '_').replace(/^_+|_+$/g, '')
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

/** Types without a ParamType, such as `interval`, become texts. A name in `avoid` gets the prefix `the`. */
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
    type: types[column.type] ?? 'String',
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
