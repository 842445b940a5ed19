/** The SQL of a model's finders and writes, composed once per set of fields. */
import type { Condition, SortKey } from './key-order.ts'
import type { Table } from './table.ts'

/** SQL of one shape. */
export interface PreparedSql {
  readonly sql: string
  /** The name of the prepared statement; absent above the limit. */
  readonly name: string | undefined
}

/** Permit lists of the application define the shapes, but a PATCH may send any part of one, so the number is limited. */
const maxShapes = 200

let models = 0

/** A model's SQL by shape, such as `insert name birthday`. */
export class SqlCache {
  readonly #prepared = new Map<string, PreparedSql>()
  readonly #prefix: string

  constructor(table: string) {
    this.#prefix = `fw_${++models}_${table.slice(0, 30)}`
  }

  get(shape: string): PreparedSql | undefined {
    return this.#prepared.get(shape)
  }

  add(shape: string, sql: string): PreparedSql {
    const { size } = this.#prepared
    if (size >= maxShapes) return { sql, name: undefined }
    const prepared = { sql, name: `${this.#prefix}_${size}` }
    this.#prepared.set(shape, prepared)
    return prepared
  }
}

const selectSql = (table: Table): string =>
  `select ${table.selection} from ${table.quoted} where true${table.notDeleted}`

/** Empty for a table without a primary key. */
const orderSql = (table: Table): string =>
  table.has(table.primaryKey) ? ` order by ${table.column(table.primaryKey)}` : ''

export const allSql = (table: Table): string => selectSql(table) + orderSql(table)

export const byIdSql = (table: Table): string =>
  `${selectSql(table)} and ${table.column(table.primaryKey)} = $1`

export const lockByIdSql = (table: Table): string => `${byIdSql(table)} for update`

/** One parameter per value that is not `null`, in order. */
export function firstBySql(table: Table, values: object): string {
  let parameter = 0
  const conditions = Object.entries(values).map(([key, value]) => {
    const column = table.column(table.fieldOf(key))
    return value === null ? ` and ${column} is null` : ` and ${column} = $${++parameter}`
  })
  return `${selectSql(table)}${conditions.join('')}${orderSql(table)} limit 1`
}

export const byAnySql = (table: Table, field: string): string =>
  `${selectSql(table)} and ${table.column(field)} = any($1)${orderSql(table)}`

export const pageSql = (table: Table): string => `${allSql(table)} limit $1 offset $2`

/** Parameters are the values of the condition in order, then the limit. */
export function keyPageSql(table: Table, keys: readonly SortKey[], condition: Condition): string {
  let parameter = 0
  const conditions = condition.map(({ fields, operator, values }) => {
    const columns = fields.map((field) => table.column(field)).join(', ')
    const parameters = values.map(() => `$${++parameter}`).join(', ')
    return values.length === 0
      ? ` and ${columns} ${operator}`
      : ` and (${columns}) ${operator} (${parameters})`
  })
  const order = keys.map(({ field, direction }) => `${table.column(field)} ${direction}`)
  return `${selectSql(table)}${conditions.join('')} order by ${order.join(', ')} limit $${parameter + 1}`
}

/** The parameter is the limit. */
export const countUpToSql = (table: Table): string =>
  `select count(*) as "count" from (select 1 from ${table.quoted} where true${table.notDeleted} limit $1) as "counted"`

export const countSql = (table: Table): string =>
  `select count(*) as "count" from ${table.quoted} where true${table.notDeleted}`

/** `insert into … values (…)` without RETURNING; parameters are the values of the fields, in order. */
export function insertParts(table: Table, fields: readonly string[]): string {
  const columns = fields.map((field) => table.column(field))
  const values = fields.map((_, at) => `$${at + 1}`)
  for (const column of clockColumns(table, ['createdAt', 'updatedAt'], fields)) {
    columns.push(column)
    values.push('clock_timestamp()')
  }
  if (columns.length === 0) return `insert into ${table.quoted} default values`
  return `insert into ${table.quoted} (${columns.join(', ')}) values (${values.join(', ')})`
}

/** Returns the primary key as `id`, if the table has one. */
export function insertSql(table: Table, fields: readonly string[]): string {
  const key = table.primaryKey
  const returning = table.has(key) ? ` returning ${table.column(key)} as "id"` : ''
  return insertParts(table, fields) + returning
}

/** Returns the row. */
export const insertRowSql = (table: Table, fields: readonly string[]): string =>
  `${insertParts(table, fields)} returning ${table.selection}`

/** Several rows: `fields` are those of any row, `rows` those of each; an absent one gets its default. Returns the rows. */
export function insertRowsSql(
  table: Table,
  fields: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const clock = clockColumns(table, ['createdAt', 'updatedAt'], fields)
  const listed = fields.length + clock.length === 0 ? [table.fields[0]!] : fields
  const columns = listed.map((field) => table.column(field))
  let parameter = 0
  const lists = rows.map((own) => {
    const numbers = new Map(own.map((field) => [field, ++parameter] as const))
    const values = listed.map((field) =>
      numbers.has(field) ? `$${numbers.get(field)}` : 'default',
    )
    return `(${[...values, ...clock.map(() => 'clock_timestamp()')].join(', ')})`
  })
  const names = [...columns, ...clock].join(', ')
  return `insert into ${table.quoted} (${names}) values ${lists.join(', ')} returning ${table.selection}`
}

/** The parameters are the id and the number to add. Returns the new value as `value`. */
export function incrementSql(table: Table, field: string): string {
  const column = table.column(field)
  const key = table.column(table.primaryKey)
  return `update ${table.quoted} set ${column} = coalesce(${column}, 0) + $2 where ${key} = $1${table.notDeleted} returning ${column} as "value"`
}

/** The parameter is the id. */
export const touchSql = (table: Table): string =>
  `update ${table.quoted} set ${table.column('updatedAt')} = clock_timestamp() where ${table.column(table.primaryKey)} = $1${table.notDeleted}`

/** Parameters are the id, the values of the fields in order, then the lock version when `isLocked`. */
export function updateSql(
  table: Table,
  fields: readonly string[],
  { isLocked, returning = '' }: { readonly isLocked: boolean; readonly returning?: string },
): string {
  const sets = fields.map((field, at) => `${table.column(field)} = $${at + 2}`)
  for (const column of clockColumns(table, ['updatedAt'], fields))
    sets.push(`${column} = clock_timestamp()`)
  const version = table.lockVersion === undefined ? undefined : table.column(table.lockVersion)
  if (version) sets.push(`${version} = ${version} + 1`)
  const key = table.column(table.primaryKey)
  if (sets.length === 0) sets.push(`${key} = ${key}`)
  const lock = isLocked ? ` and ${version} = $${fields.length + 2}` : ''
  return `update ${table.quoted} set ${sets.join(', ')} where ${key} = $1${table.notDeleted}${lock}${returning}`
}

/** The parameter is the id. With `softDelete` it marks the row. */
export function deleteSql(table: Table): string {
  const key = `${table.column(table.primaryKey)} = $1`
  if (table.softDelete === undefined) return `delete from ${table.quoted} where ${key}`
  const mark = `${table.column(table.softDelete)} = clock_timestamp()`
  return `update ${table.quoted} set ${mark} where ${key}${table.notDeleted}`
}

/** The columns that the database's clock fills, because the write does not. */
export const clockColumns = (table: Table, fields: readonly string[], written: readonly string[]) =>
  fields
    .filter((field) => table.has(field) && !written.includes(field))
    .map((field) => table.column(field))
