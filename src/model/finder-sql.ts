/** The SQL of a model's finders. */
import type { Table } from './table.ts'

function select(table: Table): string {
  return `select ${table.selection} from ${table.quoted} where true${table.living}`
}

/** By primary key, where there is one. */
function order(table: Table): string {
  return table.has(table.primaryKey) ? ` order by ${table.column(table.primaryKey)}` : ''
}

export function allSql(table: Table): string {
  return select(table) + order(table)
}

export function byIdSql(table: Table): string {
  return `${select(table)} and ${table.column(table.primaryKey)} = $1`
}

export function lockByIdSql(table: Table): string {
  return `${byIdSql(table)} for update`
}

/** A parameter for each value that is not `undefined`, in order. */
export function firstBySql(table: Table, values: object): string {
  let parameter = 0
  const conditions = Object.entries(values).map(([key, value]) => {
    const column = table.column(table.fieldOf(key))
    return value === undefined ? ` and ${column} is null` : ` and ${column} = $${++parameter}`
  })
  return `${select(table)}${conditions.join('')}${order(table)} limit 1`
}

export function byAnySql(table: Table, field: string): string {
  return `${select(table)} and ${table.column(field)} = any($1)${order(table)}`
}

export function pageSql(table: Table): string {
  return `${allSql(table)} limit $1 offset $2`
}

export function countSql(table: Table): string {
  return `select count(*) as "count" from ${table.quoted} where true${table.living}`
}
