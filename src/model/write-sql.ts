/** The SQL of a model's writes. */
import type { Table } from './table.ts'

/** Parameters are the fields' values, in order. Gives the primary key as `id`, where there is one. */
export function insertSql(table: Table, fields: readonly string[]): string {
  const columns = fields.map((field) => table.column(field))
  const values = fields.map((_, at) => `$${at + 1}`)
  for (const filled of clocks(table, ['createdAt', 'updatedAt'], fields)) {
    columns.push(filled)
    values.push('clock_timestamp()')
  }
  const key = table.primaryKey
  const returning = table.has(key) ? ` returning ${table.column(key)} as "id"` : ''
  if (columns.length === 0) return `insert into ${table.quoted} default values${returning}`
  return `insert into ${table.quoted} (${columns.join(', ')}) values (${values.join(', ')})${returning}`
}

/** Parameters are the id, the fields' values in order, then the lock version when `locked`. */
export function updateSql(table: Table, fields: readonly string[], locked: boolean): string {
  const sets = fields.map((field, at) => `${table.column(field)} = $${at + 2}`)
  for (const filled of clocks(table, ['updatedAt'], fields)) {
    sets.push(`${filled} = clock_timestamp()`)
  }
  const version = table.lockVersion === undefined ? undefined : table.column(table.lockVersion)
  if (version) sets.push(`${version} = ${version} + 1`)
  const key = table.column(table.primaryKey)
  if (sets.length === 0) sets.push(`${key} = ${key}`)
  const lock = locked ? ` and ${version} = $${fields.length + 2}` : ''
  return `update ${table.quoted} set ${sets.join(', ')} where ${key} = $1${table.living}${lock}`
}

/** Where the model deletes softly, the row is marked. The parameter is the id. */
export function deleteSql(table: Table): string {
  const key = `${table.column(table.primaryKey)} = $1`
  if (table.softDelete === undefined) return `delete from ${table.quoted} where ${key}`
  const mark = `${table.column(table.softDelete)} = clock_timestamp()`
  return `update ${table.quoted} set ${mark} where ${key}${table.living}`
}

function clocks(table: Table, filled: readonly string[], given: readonly string[]): string[] {
  return filled
    .filter((field) => table.has(field) && !given.includes(field))
    .map((field) => table.column(field))
}
