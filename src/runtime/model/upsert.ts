/** Inserts that a unique key decides about, in one statement: the database excludes races. */
import type { Attributes } from './attributes.ts'
import type { Columns } from './column.ts'
import { clockColumns, insertParts } from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { Table } from './table.ts'

/** The unique key of `upsert` and `createUnlessThere`. */
export interface UniqueKey<C extends Columns> {
  /** The fields of a primary key or unique constraint. */
  readonly by: (keyof C & string) | readonly (keyof C & string)[]
}

/** Options of `upsert`. */
export interface UpsertOptions<C extends Columns> extends UniqueKey<C> {
  /** The fields that an existing row gets; default all written fields but those of `by` and `createdAt`. */
  readonly update?: readonly (keyof C & string)[]
}

interface AnyOptions {
  readonly by: string | readonly string[]
  readonly update?: readonly string[]
}

type AnyRow = Record<string, unknown>

/** The row after the insert, or after the update of the row with the same key. */
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

/** The name of the column that tells an inserted row from an existing one. */
const isNewColumn = 'fw_is_new'

/**
 * The inserted row, or the existing one with the same key. A conflict locks the existing row by an update that changes
 * nothing: `do nothing` would return no row, and a second statement might not see the row of a concurrent transaction.
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

/** A softly deleted row with the key counts as absent: it gets all values, and is no longer deleted. */
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
