/** The columns of an existing table as the fields of its pages. */
import type { ColumnSchema } from '../db.ts'
import { modelSource, type FieldSource, type ModelSource } from '../model.ts'
import { columnType, distinctCode } from './column-type.ts'
import type { TableFacts } from './database-facts.ts'
import type { FieldType } from './field-type.ts'
import type { Field } from './field.ts'
import { Name } from './resource-names.ts'

/** Parameters of paths, texts beside the labels, and members that every object has. */
const avoided = 'format view flash constructor toString valueOf hasOwnProperty isPrototypeOf'
const filled: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])
const moments: ReadonlySet<string> = new Set(['date', 'timestamp', 'timestamptz'])
/** No form has an input for these. */
const formless: ReadonlySet<string> = new Set(['Json', 'ByteArray'])

const isKey = ({ primaryKey }: TableFacts, column: string): boolean =>
  primaryKey.length === 1 && primaryKey[0] === column

/** The definition, without the columns that only a search of texts reads. */
export function tableSource(table: TableFacts): ModelSource {
  const avoid = new Set(avoided.split(' '))
  if (!isKey(table, 'id')) avoid.add('id')
  for (const { name, type } of table.columns)
    if (/^(created|updated)_at$/.test(name) && !moments.has(type))
      avoid.add(name === 'created_at' ? 'createdAt' : 'updatedAt')
  return modelSource({ ...table, columns: table.columns.filter(isModelled) }, { avoid })
}

/** A document that is searched is made by the database, and nobody reads it. */
export const isModelled = ({ type }: ColumnSchema): boolean => type !== 'tsvector'

const literalText = /^'((?:[^']|'')*)'(?:::[\w ."[\]]+(?:\(\d+(?:,\d+)?\))?)?$/
const literalNumber = /^\(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[\w ."]+(?:\(\d+(?:,\d+)?\))?)?$/

/** The text of a default that is a value; `undefined` where it is computed. */
function fallbackOf({ default: sql }: ColumnSchema): string | undefined {
  if (sql === undefined) return undefined
  if (sql === 'true' || sql === 'false') return sql
  return literalNumber.exec(sql)?.[1] ?? literalText.exec(sql)?.[1]?.replaceAll("''", "'")
}

const isNull = ({ default: sql }: ColumnSchema): boolean => sql?.startsWith('NULL::') ?? true

function placeInForm(
  table: TableFacts,
  column: ColumnSchema,
  source: FieldSource,
): Field['inForm'] {
  const isComputed = !isNull(column) && fallbackOf(column) === undefined
  if (source.isGenerated || filled.has(source.name) || isComputed) return 'none'
  if (isKey(table, column.name)) return 'create'
  if (!formless.has(source.type)) return undefined
  return source.isOptional || source.isDefaulted || source.isArray ? 'none' : 'create'
}

function conditionsOf({ checks, domains }: TableFacts, { name, sqlType }: ColumnSchema) {
  const own = checks.filter(({ columns }) => columns.length === 1 && columns[0] === name)
  const domain = domains.get(sqlType)
  return [...own.map(({ sql }) => sql), ...(domain === undefined ? [] : [domain])]
}

/** A text left empty is NULL: an empty one is no label of an enum, and points to no row. */
function blankIsNull({ isOptional, isArray }: FieldSource, type: FieldType): FieldType {
  const isText = isOptional && !isArray && type.name === 'String'
  return isText ? { ...type, code: 'ParamType.NullableString' } : type
}

/** Where a foreign key leads, as far as the application has it. */
export interface Target {
  readonly model: Name
  /** The object of routes of its pages. */
  readonly routes: string | undefined
}

/** Every column but a key that fills itself, in their order. */
export function tableFields(
  table: TableFacts,
  source: ModelSource,
  targetOf: (column: string) => Target | undefined,
): readonly Field[] {
  const unique = new Set(distinctColumns(table, source))
  return source.fields.flatMap((own): Field[] => {
    const column = table.columns.find(({ name }) => name === own.column)!
    const inForm = placeInForm(table, column, own)
    if (isKey(table, own.column) && inForm === 'none') return []
    const sample = table.samples.get(own.column) ?? ''
    const target = targetOf(own.column)
    const fallback = fallbackOf(column)
    const distinct = unique.has(own.column) ? distinctCode(own, sample) : undefined
    return [
      {
        name: new Name(own.name),
        type: blankIsNull(
          own,
          columnType(column, own, { sample, conditions: conditionsOf(table, column) }),
        ),
        isOptional: own.isOptional,
        sql: column.sqlType,
        ...(own.maxLength === undefined || own.isArray ? {} : { maxLength: own.maxLength }),
        ...(inForm === undefined ? {} : { inForm }),
        ...(fallback === undefined || own.isArray || inForm === 'none' ? {} : { fallback }),
        ...(distinct === undefined ? {} : { distinct }),
        ...(target === undefined
          ? {}
          : { references: target.model, label: relationWords(own.name) }),
        ...(target?.routes === undefined ? {} : { linksTo: target.routes }),
      },
    ]
  })
}

/**
 * Of each key that no two rows may share, the column that makes them differ; where a part of it points elsewhere, or is
 * filled by the database, they differ by themselves. `undefined` stands for a key that nothing makes differ.
 */
export function distinctColumns(
  table: TableFacts,
  source: ModelSource,
): readonly (string | undefined)[] {
  const pointing = new Set(table.foreignKeys.flatMap(({ columns }) => columns))
  const isComputed = (name: string): boolean => {
    const column = table.columns.find((each) => each.name === name)!
    return !isNull(column) && fallbackOf(column) === undefined
  }
  const varies = (name: string): boolean => {
    const own = source.fields.find(({ column }) => column === name)
    return own !== undefined && distinctCode(own, table.samples.get(name) ?? '') !== undefined
  }
  return [table.primaryKey, ...table.uniqueKeys]
    .filter((key) => key.length > 0 && !key.some((name) => pointing.has(name) || isComputed(name)))
    .map((key) => key.find(varies))
}

/** `languageId` is the relation `language`: a field is called so without what says that it is a key. */
export const relationWords = (field: string): Name =>
  new Name(new Name(field).snake.replace(/_(?:id|uuid|key|no|code)$/, ''))
