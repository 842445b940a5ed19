/** Finds the fields whose values the database rejected. Its error names the column, only the constraint, or neither. */
import { parseRefusal, type Refusal, type RefusalReason } from '../db.ts'
import type { PermittedValues } from '../params.ts'
import type { FieldRefusal } from './resource-model.ts'
import type { StatementRunner } from './statement-runner.ts'
import type { Table } from './table.ts'

type FieldValue = readonly [field: string, value: unknown]

/** Returns the rejected fields of a write that failed with `error`; `undefined` for other failures. */
export async function findRefusals(
  runner: StatementRunner,
  error: unknown,
  values: PermittedValues,
): Promise<readonly FieldRefusal[] | undefined> {
  const { table } = runner
  const refusal = parseRefusal(error)
  if (refusal === undefined) return undefined
  const { reason, limit } = refusal
  // Skip keys that are not columns of this table, because permitted values may contain them.
  const written = Object.entries(values)
    .filter(([key]) => table.knows(key))
    .map(([key, value]) => [table.fieldOf(key), value] as const)
  if (refusal.table === undefined && refusal.columns.length > 0 && keyReasons.has(reason))
    return refusalsOfShard(table, refusal, written)
  if (refusal.table === undefined) {
    const unfit = await findUnfitFields(runner, written)
    return unfit.length > 0 ? unfit : [{ field: undefined, reason, limit }]
  }
  const named = refusal.columns.filter((column) => table.knows(column))
  if (refusal.table !== table.path.at(-1))
    return refusalsOfOtherTable(table, refusal, named, written)
  // For an expression index, the catalog has no columns, so fall back to the columns in the error.
  const columns = reason === 'blank' ? [] : await constraintColumns(runner, refusal)
  return toFieldRefusals(table, reason, columns.length > 0 ? columns : named)
}

/** The reasons whose detail names the columns of a key; that of others contains values of the row. */
const keyReasons: ReadonlySet<RefusalReason> = new Set(['taken', 'missing', 'used', 'overlapping'])

/**
 * Returns the refusals for an error of a shard, for which Citus names neither table nor constraint. Another row references this one
 * unless the write sets one of the columns.
 */
function refusalsOfShard(
  table: Table,
  { reason, columns }: Refusal,
  written: readonly FieldValue[],
): FieldRefusal[] {
  const refusals = toFieldRefusals(table, reason, columns)
  const isWritten = refusals.some(({ field }) => written.some(([name]) => name === field))
  return reason !== 'missing' || isWritten
    ? refusals
    : refusals.map((refusal) => ({ ...refusal, reason: 'used' }))
}

function toFieldRefusals(
  table: Table,
  reason: RefusalReason,
  columns: readonly string[],
): FieldRefusal[] {
  const known = columns.filter((column) => table.knows(column))
  return known.length === 0
    ? [{ field: undefined, reason }]
    : known.map((column) => ({ field: table.fieldOf(column), reason }))
}

/**
 * Returns the refusals for an error that names another table. Either a row of that table references a key that the write
 * changes, or a write of that table failed.
 */
function refusalsOfOtherTable(
  table: Table,
  { reason }: Refusal,
  named: readonly string[],
  written: readonly FieldValue[],
): FieldRefusal[] {
  const isReference = reason === 'missing' || reason === 'used'
  const changes = named.filter((column) =>
    written.some(([field]) => field === table.fieldOf(column)),
  )
  return isReference && changes.length > 0
    ? toFieldRefusals(table, 'used', changes)
    : [{ field: undefined, reason }]
}

async function constraintColumns(
  { database, table }: StatementRunner,
  { constraint }: Refusal,
): Promise<readonly string[]> {
  const { rows } = await database.query<{ name: string }>({
    sql: `select a.attname as name from pg_constraint c
      join unnest(c.conkey) with ordinality k (number, at) on true
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
      where c.conrelid = $1::text::regclass and c.conname = $2 order by k.at`,
    parameters: [table.quoted, constraint],
  })
  return rows.map(({ name }) => name)
}

/**
 * Finds the fields whose values do not fit their columns. For each field, an UPDATE of no rows converts the value to the
 * column's type, as the failed write did.
 */
async function findUnfitFields(
  { database, table }: StatementRunner,
  written: readonly FieldValue[],
): Promise<FieldRefusal[]> {
  const refusals: FieldRefusal[] = []
  for (const [field, value] of written) {
    const parameters = [table.toParameter(field, value)]
    const sql = `update ${table.quoted} set ${table.column(field)} = $1 where false`
    try {
      await database.transaction(() => database.query({ sql, parameters }))
    } catch (error) {
      const refusal = parseRefusal(error)
      if (refusal !== undefined)
        refusals.push({ field, reason: refusal.reason, limit: refusal.limit })
    }
  }
  return refusals
}
