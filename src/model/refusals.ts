/** Which fields of a row the database refused: PostgreSQL names the column of some errors, and only the constraint, or neither, of others. */
import { currentDatabase, refusalOf, type Refusal, type RefusalReason } from '../db.ts'
import type { PermittedValues } from '../params.ts'
import type { FieldRefusal } from './resource-model.ts'
import type { Table } from './table.ts'

/** A field and its value. */
type Given = readonly [field: string, value: unknown]

/** Why `values` were refused by this error, whose transaction goes on; `undefined` for a fault. */
export async function refusalsOf(
  table: Table,
  database: string,
  error: unknown,
  values: PermittedValues,
): Promise<readonly FieldRefusal[] | undefined> {
  const refusal = refusalOf(error)
  if (refusal === undefined) return undefined
  const { reason, limit } = refusal
  // What is permitted need not all be the table's own.
  const given = Object.entries(values)
    .filter(([key]) => table.knows(key))
    .map(([key, value]) => [table.fieldOf(key), value] as const)
  if (refusal.table === undefined) {
    const found = await unfitFields(table, database, given)
    return found.length > 0 ? found : [{ field: undefined, reason, limit }]
  }
  const named = refusal.columns.filter((column) => table.knows(column))
  if (refusal.table !== table.name.split('.').at(-1)) return elsewhere(table, refusal, named, given)
  // What an index is over, the error alone tells.
  const columns = reason === 'blank' ? [] : await constraintColumns(table, database, refusal)
  return told(table, reason, columns.length > 0 ? columns : named)
}

function told(table: Table, reason: RefusalReason, columns: readonly string[]): FieldRefusal[] {
  const known = columns.filter((column) => table.knows(column))
  return known.length === 0
    ? [{ field: undefined, reason }]
    : known.map((column) => ({ field: table.fieldOf(column), reason }))
}

/** A row of another table refers to this one by a key that is to change; or the write was about that table. */
function elsewhere(
  table: Table,
  { reason }: Refusal,
  named: readonly string[],
  given: readonly Given[],
): FieldRefusal[] {
  const isReference = reason === 'missing' || reason === 'used'
  const changes = named.filter((column) => given.some(([field]) => field === table.fieldOf(column)))
  return isReference && changes.length > 0
    ? told(table, 'used', changes)
    : [{ field: undefined, reason }]
}

async function constraintColumns(
  table: Table,
  database: string,
  { constraint }: Refusal,
): Promise<readonly string[]> {
  const { rows } = await currentDatabase(database).query<{ name: string }>({
    sql: `select a.attname as name from pg_constraint c
      join unnest(c.conkey) with ordinality k (number, at) on true
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number
      where c.conrelid = $1::text::regclass and c.conname = $2 order by k.at`,
    parameters: [table.quoted, constraint],
  })
  return rows.map(({ name }) => name)
}

/**
 * Asks for each field alone whether its column takes the value: an UPDATE of no row converts its parameter to the column's
 * type, as the write did.
 */
async function unfitFields(
  table: Table,
  name: string,
  given: readonly Given[],
): Promise<FieldRefusal[]> {
  const database = currentDatabase(name)
  const found: FieldRefusal[] = []
  for (const [field, value] of given) {
    const parameters = [table.parameter(field, value)]
    const sql = `update ${table.quoted} set ${table.column(field)} = $1 where false`
    try {
      await database.transaction(() => database.query({ sql, parameters }))
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal !== undefined) found.push({ field, reason: refusal.reason, limit: refusal.limit })
    }
  }
  return found
}
