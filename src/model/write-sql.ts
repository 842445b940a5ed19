/** The SQL of a model's insert and update. */
import type { Table } from './table.ts'

/** Parameters are the fields' values, in order. Gives the primary key as `id`, where there is one. */
export function insertSql(table: Table, fields: readonly string[]): string {
  const columns = fields.map((field) => table.column(field))
  const values = fields.map((_, at) => `$${at + 1}`)
  for (const filled of clocks(table, ['createdAt', 'updatedAt'], fields)) {
    columns.push(filled)
    values.push('clock_timestamp()')
  }
  const returning = table.has(table.primaryKey) ? ` returning ${table.column(table.primaryKey)} as "id"` : ''
  if (columns.length === 0) return `insert into ${table.quoted} default values${returning}`
  return `insert into ${table.quoted} (${columns.join(', ')}) values (${values.join(', ')})${returning}`
}

/** Parameters are the id, the fields' values in order, then the lock version when `locked`. */
export function updateSql(table: Table, fields: readonly string[], locked: boolean, living: string): string {
  const sets = fields.map((field, at) => `${table.column(field)} = $${at + 2}`)
  for (const filled of clocks(table, ['updatedAt'], fields)) sets.push(`${filled} = clock_timestamp()`)
  const version = table.lockVersion === undefined ? undefined : table.column(table.lockVersion)
  if (version) sets.push(`${version} = ${version} + 1`)
  const key = table.column(table.primaryKey)
  if (sets.length === 0) sets.push(`${key} = ${key}`)
  const lock = locked ? ` and ${version} = $${fields.length + 2}` : ''
  return `update ${table.quoted} set ${sets.join(', ')} where ${key} = $1${living}${lock}`
}

function clocks(table: Table, filled: readonly string[], given: readonly string[]): string[] {
  return filled.filter((field) => table.has(field) && !given.includes(field)).map((field) => table.column(field))
}
