/** Upserts and conditional inserts by a unique key. Each is one statement, so that concurrent requests cannot race. */
import { FwError, HttpError } from '../base.ts'
import { QueryError } from '../db.ts'
import type { Columns } from './column.ts'
import { clockColumns, insertParts, nextTime } from './model-sql.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { Attributes, Table } from './table.ts'

export interface UniqueKey<C extends Columns> {
  /** The field or fields of a primary key or unique index; with soft deletion, also of an index of the rows that are not deleted. */
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

export async function upsertRow(
  runner: StatementRunner,
  { fields, values, shape }: Attributes,
  options: AnyOptions,
): Promise<AnyRow[]> {
  const { table } = runner
  const key = keyFields(table, options)
  const kept = [...key, 'createdAt', table.lockVersion]
  const chosen =
    options.update?.map((name) => table.fieldOf(name)) ??
    fields.filter((field) => !kept.includes(field))
  const updated = chosen.filter((field) => field !== table.scope)
  const whole = `upsert${shape} by ${key.join(' ')} set ${updated.join(' ')}`
  const statement = runner.prepare(whole, upsertSql, { key, fields, updated })
  const rows = await runner.find(statement, values, false).catch(explainKey(table, key))
  if (rows.length === 0) throw keyTaken()
  return rows
}

/** Only a row outside of the scope can prevent that the statement returns a row. */
const keyTaken = (): HttpError =>
  new HttpError(409, 'model.key-taken', 'Another record has this key.')

interface Upsert {
  readonly key: readonly string[]
  readonly fields: readonly string[]
  readonly updated: readonly string[]
}

function upsertSql(table: Table, { key, fields, updated }: Upsert): string {
  const sets = updated.map((field) => `${table.column(field)} = excluded.${table.column(field)}`)
  for (const column of clockColumns(table, ['updatedAt'], updated)) {
    const last = `${table.quoted}.${column}`
    // Here Citus refuses every function of the clock, so the time is that of the new row, unless the values contain one.
    const time = fields.includes('updatedAt')
      ? nextTime(last)
      : `greatest(excluded.${column}, ${last})`
    sets.push(`${column} = ${time}`)
  }
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
  const { rows } = await runner
    .run<unknown[]>(statement, values, false, true)
    .catch(explainKey(table, key))
  if (rows.length === 0) throw keyTaken()
  const isNew = rows[0]!.pop() === true
  return { row: table.foundRows(rows).rows[0]!, isNew }
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

/** Returns the handler of an error: it names the index that the key lacks. */
function explainKey(table: Table, key: readonly string[]) {
  return (error: unknown): never => {
    if (!(error instanceof QueryError) || error.sqlState !== '42P10') throw error
    const columns = `(${key.map((field) => table.column(field)).join(', ')})`
    const among =
      table.softDelete === undefined ? '' : ` where ${table.column(table.softDelete)} is null`
    throw new FwError(
      'model.key-not-unique',
      `The model of '${table.name}' has no unique index of ${columns}, so a row cannot be found by ${key.join(', ')}. ` +
        `Add one in a migration: create unique index on ${table.quoted} ${columns}${among}.`,
      { cause: error },
    )
  }
}

/**
 * Returns the upsert SQL. A softly deleted row with the key counts as absent: it gets all values and is restored, or a new row is
 * inserted if the index contains only rows that are not deleted.
 */
function conflictSql(
  table: Table,
  { key, fields }: Pick<Upsert, 'key' | 'fields'>,
  sets: readonly string[],
): string {
  const columns = key.map((field) => table.column(field)).join(', ')
  const all = table.softDelete === undefined ? sets : reviveSets(table, fields, sets)
  // PostgreSQL finds an index of all rows as well as one of the rows that are not deleted.
  const among =
    table.softDelete === undefined ? '' : ` where ${table.column(table.softDelete)} is null`
  const owner = table.scope === undefined ? undefined : table.column(table.scope)
  const owned = owner === undefined ? '' : ` where ${table.quoted}.${owner} = excluded.${owner}`
  const conflict = ` on conflict (${columns})${among} do update set ${all.join(', ')}${owned}`
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
