/** Describes the columns of an existing table as the fields of a resource. */
import type { ColumnSchema } from '../../runtime/db.ts'
import { modelSource, type FieldSource, type ModelSource } from '../../runtime/model.ts'
import { enumCode } from './enum-labels.ts'
import { columnType, uniqueValueCode } from './existing-column.ts'
import type { SampledTable } from './database-schema.ts'
import type { Field } from './field.ts'
import { Name, reservedFieldNames } from './resource-names.ts'

/** The field names to avoid, because they are path parameters, message keys or members of every object. */
const reservedFields = [
  ...reservedFieldNames,
  ...'format constructor toString valueOf hasOwnProperty isPrototypeOf'.split(' '),
]
const automaticFields: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])
const dateTypes: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz'])
const isKey = ({ primaryKey }: SampledTable, column: string): boolean =>
  primaryKey.length === 1 && primaryKey[0] === column

/** Whether the model contains the column. It omits `tsvector` columns, which the database computes. */
export const isModelled = ({ type }: ColumnSchema): boolean => type !== 'tsvector'

export function readTableModel(table: SampledTable): ModelSource {
  const avoid = new Set(reservedFields)
  if (!isKey(table, 'id')) avoid.add('id')
  // Models set `createdAt` and `updatedAt` to dates, so columns of other types get other field names.
  for (const { name, type } of table.columns)
    if (/^(created|updated)_at$/.test(name) && !dateTypes.has(type))
      avoid.add(name === 'created_at' ? 'createdAt' : 'updatedAt')
  const source = modelSource({ ...table, columns: table.columns.filter(isModelled) }, { avoid })
  return { ...source, fields: source.fields.map(addValues) }
}

/** Adds the values of an enum to the code of its type. */
function addValues(field: FieldSource): FieldSource {
  const { name, values, isArray, isOptional, code } = field
  if (values === undefined || isArray) return field
  if (isOptional) return { ...field, code: enumCode(name, values, true) }
  return { ...field, code: code.replace('ParamType.String', () => enumCode(name, values)) }
}

const textLiteral = /^'((?:[^']|'')*)'(?:::[\w ."[\]]+(?:\(\d+(?:,\d+)?\))?)?$/
const numberLiteral = /^\(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[\w ."]+(?:\(\d+(?:,\d+)?\))?)?$/

/** Returns the value of a column's default; `undefined` without a default, or if an SQL expression computes it. */
function readDefault({ default: sql }: ColumnSchema): string | undefined {
  if (sql === undefined || sql === 'true' || sql === 'false') return sql
  return numberLiteral.exec(sql)?.[1] ?? textLiteral.exec(sql)?.[1]?.replaceAll("''", "'")
}

function isComputed(column: ColumnSchema): boolean {
  const isNull = column.default?.startsWith('NULL::') ?? true
  return !isNull && readDefault(column) === undefined
}

function chooseForms(
  table: SampledTable,
  column: ColumnSchema,
  source: FieldSource,
): Field['inForm'] {
  if (source.isGenerated || automaticFields.has(source.name) || isComputed(column)) return 'none'
  if (isKey(table, column.name)) return 'create'
  const hasInput = source.type === 'Json' ? !source.isArray : source.type !== 'ByteArray'
  if (hasInput) return undefined
  return source.isOptional || source.isDefaulted || source.isArray ? 'none' : 'create'
}

const isRestricted = (
  { checks, foreignKeys, domains }: SampledTable,
  { name, sqlType }: ColumnSchema,
): boolean =>
  domains.has(sqlType) || [...checks, ...foreignKeys].some(({ columns }) => columns.includes(name))

interface ForeignKeyTarget {
  readonly model: Name
  /** The controller object of the target's pages; `undefined` if it has no pages. */
  readonly routes: string | undefined
}

/** Returns the fields of all columns in order. Omits a primary key that the database fills. */
export function tableFields(
  table: SampledTable,
  source: ModelSource,
  findTarget: (column: string) => ForeignKeyTarget | undefined,
): readonly Field[] {
  const unique = new Set(uniqueColumns(table, source))
  return source.fields.flatMap((own): Field[] => {
    const column = table.columns.find(({ name }) => name === own.column)!
    const inForm = chooseForms(table, column, own)
    if (isKey(table, own.column) && inForm === 'none') return []
    const sample = table.samples.get(own.column) ?? ''
    const target = findTarget(own.column)
    const isPlainInput = !own.isArray && inForm !== 'none'
    return [
      {
        name: new Name(own.name),
        type: columnType(table, column, own),
        isOptional: own.isOptional,
        sql: column.sqlType,
        maxLength: own.isArray ? undefined : own.maxLength,
        inForm,
        defaultText: isPlainInput ? readDefault(column) : undefined,
        uniqueCode: unique.has(own.column) ? uniqueValueCode(own, sample) : undefined,
        isRestricted: isRestricted(table, column),
        ...(target && {
          references: target.model,
          label: relationName(own.name),
          linksTo: target.routes,
        }),
      },
    ]
  })
}

/** The types of PostgreSQL that accept any text. */
const textTypes: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'citext', 'name'])

/**
 * Returns for each unique key a column whose sample can differ for each row, or `undefined` if there is none. Omits keys with a
 * column that the database computes or that references another table, because their values always differ.
 */
export function uniqueColumns(
  table: SampledTable,
  source: ModelSource,
): readonly (string | undefined)[] {
  const foreign = new Set(table.foreignKeys.flatMap(({ columns }) => columns))
  const differs = (name: string): boolean =>
    foreign.has(name) || isComputed(table.columns.find((column) => column.name === name)!)
  const canDiffer = (name: string): boolean => {
    const field = source.fields.find(({ column }) => column === name)
    const { type } = table.columns.find((column) => column.name === name)!
    if (field === undefined || (field.type === 'String' && !textTypes.has(type))) return false
    return uniqueValueCode(field, table.samples.get(name) ?? '') !== undefined
  }
  return [table.primaryKey, ...table.uniqueKeys, ...(table.conditionalKeys ?? [])]
    .filter((key) => key.length > 0 && !key.some(differs))
    .map((key) => key.find(canDiffer))
}

/** Derives a relation's name from its foreign key by removing the key's ending: `languageId` gives `language`. */
export const relationName = (field: string): Name =>
  new Name(new Name(field).snake.replace(/_(?:id|uuid|key|no|code)$/, ''))
