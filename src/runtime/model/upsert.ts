/** Upserts and conditional inserts by a unique key. Each is one statement, so that concurrent requests cannot race. */
import type { Attributes } from './attributes.ts'
import type { Columns } from './column.ts'
import { clockColumns, insertParts } from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { Table } from './table.ts'

/** The unique key of `upsert` and `createUnlessThere`. */
export interface UniqueKey<C extends Columns> {
  /** The field or fields of a primary key or unique constraint. */
  readonly by: (keyof C & string) | readonly (keyof C & string)[]
}

/** Options of `upsert`. */
export interface UpsertOptions<C extends Columns> extends UniqueKey<C> {
  /** The fields that are updated in an existing row; default all written fields except those of `by` and `createdAt`. */
  readonly update?: readonly (keyof C & string)[]
}

interface AnyOptions {
  readonly by: string | readonly string[]
  readonly update?: readonly string[]
}

type AnyRow = Record<string, unknown>

/** Inserts a row, or updates the row with the same key; returns the row. */
export function upsertRow(
  runner: StatementRunner,
  attributes: Attributes,
  options: AnyOptions,
): Promise<AnyRow[]> {
  const { table } = runner
  const key = keyFields(table, options)
  const kept = [...key, 'createdAt', table.lockVersion]
  const updated = options.update?.map((name) => table.fieldOf(name))
  const fields = updated ?? attributes.fields.filter((field) => !kept.includes(field))
  const sets = fields.map((field) => `${table.column(field)} = excluded.${table.column(field)}`)
  for (const column of clockColumns(table, ['updatedAt'], fields))
    sets.push(`${column} = clock_timestamp()`)
  if (table.lockVersion !== undefined) {
    const version = table.column(table.lockVersion)
    sets.push(`${version} = ${table.quoted}.${version} + 1`)
  }
  if (sets.length === 0) sets.push(unchanged(table, key))
  const shape = `upsert${attributes.shape} by ${key.join(' ')} set ${fields.join(' ')}`
  const statement =
    runner.sql.get(shape) ??
    runner.sql.add(shape, conflictSql(table, attributes, { key, sets, returning: '' }))
  return runner.find(statement, attributes.values, false)
}

/** The name of the column that is true for an inserted row and false for an existing row. */
const isNewColumn = 'fw_is_new'

/**
 * Inserts a row, unless a row with the same key exists; returns the inserted or existing row. On a conflict, the statement
 * updates the existing row without changing it, because `do nothing` would return no row. A separate SELECT might not see a row
 * that a concurrent transaction inserted.
 */
export async function insertUnlessThere(
  runner: StatementRunner,
  attributes: Attributes,
  options: AnyOptions,
): Promise<{ readonly row: AnyRow; readonly isNew: boolean }> {
  const { table } = runner
  const key = keyFields(table, options)
  const sets = [unchanged(table, key)]
  const returning = `, (xmax = 0) as "${isNewColumn}"`
  const shape = `unless there${attributes.shape} by ${key.join(' ')}`
  const statement =
    runner.sql.get(shape) ??
    runner.sql.add(shape, conflictSql(table, attributes, { key, sets, returning }))
  const row = table.toRow<AnyRow>((await runner.run(statement, attributes.values)).rows[0]!)
  const isNew = row[isNewColumn] === true
  delete row[isNewColumn]
  return { row, isNew }
}

function unchanged(table: Table, [field]: readonly string[]): string {
  const column = table.column(field!)
  return `${column} = ${table.quoted}.${column}`
}

const keyFields = (table: Table, { by }: AnyOptions): string[] =>
  (typeof by === 'string' ? [by] : by).map((name) => table.fieldOf(name))

interface Conflict {
  readonly key: readonly string[]
  readonly sets: readonly string[]
  readonly returning: string
}

/** Returns the upsert SQL. A softly deleted row with the key counts as absent: it gets all values and is restored. */
function conflictSql(
  table: Table,
  { fields }: Attributes,
  { key, sets, returning }: Conflict,
): string {
  const columns = key.map((field) => table.column(field)).join(', ')
  const all = table.softDelete === undefined ? sets : reviveSets(table, fields, sets)
  const conflict = ` on conflict (${columns}) do update set ${all.join(', ')}`
  return `${insertParts(table, fields)}${conflict} returning ${table.selection}${returning}`
}

function reviveSets(table: Table, fields: readonly string[], sets: readonly string[]): string[] {
  const deleted = table.column(table.softDelete!)
  const wasDeleted = `${table.quoted}.${deleted} is not null`
  const revived = fields
    .filter((field) => !sets.some((set) => set.startsWith(`${table.column(field)} = `)))
    .map((field) => {
      const column = table.column(field)
      return `${column} = case when ${wasDeleted} then excluded.${column} else ${table.quoted}.${column} end`
    })
  return [...sets, ...revived, `${deleted} = null`]
}
