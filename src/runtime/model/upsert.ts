/** Upserts and conditional inserts by a unique key. Each is one statement, so that concurrent requests cannot race. */
import type { Columns } from './column.ts'
import { clockColumns, insertParts } from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { Attributes, Table } from './table.ts'

export interface UniqueKey<C extends Columns> {
  /** The field or fields of a primary key or unique constraint. */
  readonly by: (keyof C & string) | readonly (keyof C & string)[]
}

export interface UpsertOptions<C extends Columns> extends UniqueKey<C> {
  /**
   * The fields that are updated in an existing row. By default these are all written fields except those of `by`, `createdAt`
   * and the lock version, which Fw increments itself.
   */
  readonly update?: readonly (keyof C & string)[]
}

type AnyOptions = { readonly by: string | readonly string[]; readonly update?: readonly string[] }
type AnyRow = Record<string, unknown>

export function upsertRow(
  runner: StatementRunner,
  { fields, values, shape }: Attributes,
  options: AnyOptions,
): Promise<AnyRow[]> {
  const { table } = runner
  const key = keyFields(table, options)
  const kept = [...key, 'createdAt', table.lockVersion]
  const updated =
    options.update?.map((name) => table.fieldOf(name)) ??
    fields.filter((field) => !kept.includes(field))
  const whole = `upsert${shape} by ${key.join(' ')} set ${updated.join(' ')}`
  return runner.find(runner.prepare(whole, upsertSql, { key, fields, updated }), values, false)
}

interface Upsert {
  readonly key: readonly string[]
  readonly fields: readonly string[]
  readonly updated: readonly string[]
}

function upsertSql(table: Table, { key, fields, updated }: Upsert): string {
  const sets = updated.map((field) => `${table.column(field)} = excluded.${table.column(field)}`)
  for (const column of clockColumns(table, ['updatedAt'], updated))
    sets.push(`${column} = clock_timestamp()`)
  if (table.lockVersion !== undefined) {
    const version = table.column(table.lockVersion)
    sets.push(`${version} = ${table.quoted}.${version} + 1`)
  }
  return conflictSql(table, { key, fields }, sets.length > 0 ? sets : [unchanged(table, key)])
}

/**
 * Inserts a row, unless a row with the same key exists; returns the inserted or existing row. On a conflict, the statement
 * updates the existing row without changing it, because `do nothing` would return no row. A separate SELECT might not see a row
 * that a concurrent transaction inserted.
 */
export async function insertUnlessThere(
  runner: StatementRunner,
  { fields, values, shape }: Attributes,
  options: AnyOptions,
): Promise<{ readonly row: AnyRow; readonly isNew: boolean }> {
  const { table } = runner
  const key = keyFields(table, options)
  const whole = `unless there${shape} by ${key.join(' ')}`
  const statement = runner.prepare(whole, unlessThereSql, { key, fields })
  const { rows } = await runner.run<unknown[]>(statement, values, false, true)
  const isNew = rows[0]!.pop() === true
  return { row: table.createRows(rows)[0]!, isNew }
}

/** The last column is true for an inserted row and false for an existing row. */
const unlessThereSql = (table: Table, insert: Pick<Upsert, 'key' | 'fields'>): string =>
  `${conflictSql(table, insert, [unchanged(table, insert.key)])}, (xmax = 0) as "fw_is_new"`

function unchanged(table: Table, [field]: readonly string[]): string {
  const column = table.column(field!)
  return `${column} = ${table.quoted}.${column}`
}

const keyFields = (table: Table, { by }: AnyOptions): string[] =>
  (typeof by === 'string' ? [by] : by).map((name) => table.fieldOf(name))

/** Returns the upsert SQL. A softly deleted row with the key counts as absent: it gets all values and is restored. */
function conflictSql(
  table: Table,
  { key, fields }: Pick<Upsert, 'key' | 'fields'>,
  sets: readonly string[],
): string {
  const columns = key.map((field) => table.column(field)).join(', ')
  const all = table.softDelete === undefined ? sets : reviveSets(table, fields, sets)
  const conflict = ` on conflict (${columns}) do update set ${all.join(', ')}`
  return `${insertParts(table, fields)}${conflict} returning ${table.selection}`
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
