/** Inserts complete rows of any table for a test. */
import { currentDatabase, type Database } from '../../runtime/db.ts'
import { quoteName, quoteTableName } from '../../runtime/model.ts'

/** Implements `TestApp.insertRows`. */
export async function insertRows(
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0) return
  const parameters: unknown[] = []
  const lists = rows.map((row) => {
    const values = columns.map((name) => {
      const value = row[name]
      return value === undefined ? 'default' : `$${parameters.push(value)}`
    })
    return `(${values.join(', ')})`
  })
  const name = quoteTableName(table)
  const names = columns.map(quoteName).join(', ')
  const sql = `insert into ${name} (${names}) overriding system value values ${lists.join(', ')}`
  const database = currentDatabase()
  await database.query({ sql, parameters })
  await advanceSequences(database, name, columns)
}

/** Lets the sequences of these columns continue behind the greatest value. */
async function advanceSequences(
  database: Database,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const owned = `select attname as "column", pg_get_serial_sequence($1, attname) as sequence from pg_attribute
    where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname = any($2)`
  const { rows } = await database.query<{ column: string; sequence: string | null }>({
    sql: `select * from (${owned}) as owned where sequence is not null`,
    parameters: [table, columns],
  })
  for (const { column, sequence } of rows)
    await database.query({
      sql: `select setval($1::regclass, greatest(pg_sequence_last_value($1::regclass), (select max(${quoteName(column)}) from ${table})))`,
      parameters: [sequence],
    })
}
