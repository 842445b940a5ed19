/** The SQL of a model's finders and writes, composed once per shape, which is a kind of statement with its fields. */
import type { Table } from './table.ts'

/** Returns a SELECT of the rows that statements reach. `parameters` is the number of parameters before the owner. */
const selectSql = (table: Table, parameters: number): string =>
  `select ${table.selection} from ${table.quoted} where true${table.visible(parameters + 1)}`

/** Returns the ORDER BY clause; empty for a table without a primary key. */
const orderSql = (table: Table): string =>
  table.has(table.primaryKey) ? ` order by ${table.column(table.primaryKey)}` : ''

export const allSql = (table: Table): string => selectSql(table, 0) + orderSql(table)

export const byIdSql = (table: Table): string =>
  `${selectSql(table, 1)} and ${table.column(table.primaryKey)} = $1`

export const lockByIdSql = (table: Table): string => `${byIdSql(table)} for update`

/** Returns SQL that writes a row again without a change, and returns it. The parameter is the id. */
export function rewriteSql(table: Table): string {
  const key = table.column(table.primaryKey)
  const others = table.fields.filter((field) => field !== table.primaryKey)
  const column = table.column(table.has('updatedAt') ? 'updatedAt' : others[0]!)
  return `update ${table.quoted} set ${column} = ${column} where ${key} = $1${table.visible(2)} returning ${table.selection}`
}

/** Returns SQL that finds the first row with these values. Its parameters are the values that are not `null`, in order. */
export function firstBySql(table: Table, values: object): string {
  let parameter = 0
  const conditions = Object.entries(values).map(([key, value]) => {
    const column = table.column(table.fieldOf(key))
    return value === null ? ` and ${column} is null` : ` and ${column} = $${++parameter}`
  })
  return `${selectSql(table, parameter)}${conditions.join('')}${orderSql(table)} limit 1`
}

export const byAnySql = (table: Table, field: string): string =>
  `${selectSql(table, 1)} and ${table.column(field)} = any($1)${orderSql(table)}`

export const pageSql = (table: Table): string =>
  `${selectSql(table, 2)}${orderSql(table)} limit $1 offset $2`

export const countSql = (table: Table): string =>
  `select count(*) as "count" from ${table.quoted} where true${table.visible(1)}`

/**
 * Returns `insert into … values (…)` without RETURNING. `rows` has the fields of each row, `fields` their union; a field that a
 * row lacks gets its default. The parameters are the values of all rows, in order.
 */
export function insertParts(
  table: Table,
  fields: readonly string[],
  rows: readonly (readonly string[])[] = [fields],
): string {
  const clock = clockColumns(table, ['createdAt', 'updatedAt'], fields)
  // On a view, DEFAULT for a column that cannot be written fails.
  if (rows.length === 1 && fields.length + clock.length === 0)
    return `insert into ${table.quoted} default values`
  const listed = fields.length + clock.length === 0 ? [table.fields[0]!] : fields
  let parameter = 0
  const lists = rows.map((own) => {
    const numbers = new Map(own.map((field) => [field, ++parameter] as const))
    const values = listed.map((field) =>
      numbers.has(field) ? `$${numbers.get(field)}` : 'default',
    )
    return `(${[...values, ...clock.map(() => 'clock_timestamp()')].join(', ')})`
  })
  const columns = [...listed.map((field) => table.column(field)), ...clock].join(', ')
  return `insert into ${table.quoted} (${columns}) values ${lists.join(', ')}`
}

/** Returns SQL that inserts a row and returns its primary key as `id`, if the table has a primary key. */
export function insertSql(table: Table, fields: readonly string[]): string {
  const key = table.primaryKey
  const returning = table.has(key) ? ` returning ${table.column(key)} as "id"` : ''
  return insertParts(table, fields) + returning
}

/** Returns SQL that inserts rows and returns them. */
export const insertRowsSql = (
  table: Table,
  fields: readonly string[],
  rows?: readonly (readonly string[])[],
): string => `${insertParts(table, fields, rows)} returning ${table.selection}`

/** Returns SQL that adds to a number field and returns the new number as `value`. The parameters are the id and the summand. */
export function incrementSql(table: Table, field: string): string {
  const column = table.column(field)
  const key = table.column(table.primaryKey)
  return `update ${table.quoted} set ${column} = coalesce(${column}, 0) + $2 where ${key} = $1${table.visible(3)} returning ${column} as "value"`
}

/** Returns SQL that sets `updatedAt`. The parameter is the id. */
export const touchSql = (table: Table): string =>
  `update ${table.quoted} set ${table.column('updatedAt')} = ${nextTime(table.column('updatedAt'))} where ${table.column(table.primaryKey)} = $1${table.visible(2)}`

interface UpdateParts {
  readonly fields: readonly string[]
  readonly isLocked: boolean
  readonly returnsRow: boolean
}

/**
 * Returns SQL that updates a row. The parameters are the id, the values of the fields in order, and with `isLocked` the
 * expected lock version. As for all statements that read or change rows, the owner is the last parameter in a scope.
 */
export function updateSql(table: Table, { fields, isLocked, returnsRow }: UpdateParts): string {
  const key = table.column(table.primaryKey)
  const version = table.lockVersion === undefined ? undefined : table.column(table.lockVersion)
  const lock = isLocked ? ` and ${version} = $${fields.length + 2}` : ''
  const owner = fields.length + (isLocked ? 3 : 2)
  const condition = `where ${key} = $1${table.visible(owner)}${lock}`
  if (fields.length === 0) {
    const selection = returnsRow ? table.selection : key
    return `select ${selection} from ${table.quoted} ${condition}`
  }
  const sets = fields.map((field, at) => `${table.column(field)} = $${at + 2}`)
  for (const column of clockColumns(table, ['updatedAt'], fields))
    sets.push(`${column} = ${nextTime(column)}`)
  if (version) sets.push(`${version} = ${version} + 1`)
  const returning = returnsRow ? ` returning ${table.selection}` : ''
  return `update ${table.quoted} set ${sets.join(', ')} ${condition}${returning}`
}

/** Returns SQL that deletes a row, or marks it with `softDelete`. The parameter is the id. */
export function deleteSql(table: Table): string {
  const condition = `where ${table.column(table.primaryKey)} = $1${table.visible(2)}`
  if (table.softDelete === undefined) return `delete from ${table.quoted} ${condition}`
  const mark = `${table.column(table.softDelete)} = ${updateClock}`
  return `update ${table.quoted} set ${mark} ${condition}`
}

/**
 * The database's clock in an UPDATE. Unlike `now()`, it advances inside a transaction. `clock_timestamp()` is volatile, which Citus
 * refuses in updates of distributed tables.
 */
export const updateClock = 'statement_timestamp()'

/**
 * Returns SQL that adds a microsecond to a column. The sum is computed in UTC: `timestamptz + interval` depends on the time zone of the
 * connection, so it is STABLE, and Citus refuses STABLE functions of columns in updates of distributed tables. The cast of a column of the
 * type `timestamp` is STABLE, too, so that Citus still refuses such updates.
 */
export const addMicrosecond = (column: string): string =>
  `(${column}::timestamptz at time zone 'UTC' + interval '1 microsecond') at time zone 'UTC'`

/**
 * The database's clock in an UPDATE of a column, and always later than the row's last time: the clock is read before the
 * statement waits for another transaction that changes the row.
 */
export const nextTime = (column: string): string =>
  `greatest(${updateClock}, ${addMicrosecond(column)})`

/** Returns the timestamp columns that the write does not set, so that the database's clock sets them. */
export const clockColumns = (table: Table, fields: readonly string[], written: readonly string[]) =>
  fields
    .filter((field) => table.has(field) && !written.includes(field))
    .map((field) => table.column(field))
