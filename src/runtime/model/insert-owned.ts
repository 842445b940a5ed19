/** `insertOwned`: inserts a row that belongs to another one, under conditions that the same statement checks. */
import { clockColumns } from './model-sql.ts'
import { runnerOf } from './statement-runner.ts'
import type { Table } from './table.ts'

/** To which row the new one belongs. */
interface Owner {
  /** The model of the owners. */
  readonly owners: object
  /** The field that references the owner. */
  readonly field: string
  /** A model whose row with the same owner prevents the insertion. */
  readonly unless?: object | undefined
}

/** A text field of the new row, and its value. */
interface TextValue {
  readonly field: string
  readonly value: string
}

interface Parts {
  readonly owners: Table
  readonly field: string
  readonly unless: Table | undefined
  readonly text: string
}

/**
 * Inserts a row with its owner and one text, and returns its primary key. Returns undefined if the owner does not exist, or a row of
 * `unless` does. Calls no hooks.
 */
export async function insertOwned<Id>(
  model: object,
  { owners, field, unless }: Owner,
  owner: unknown,
  { field: text, value }: TextValue,
): Promise<Id | undefined> {
  const runner = runnerOf(model)
  const parts = { owners: tableOf(owners), field, unless: unless && tableOf(unless), text }
  const others = [parts.owners.quoted, field, text, parts.unless?.quoted ?? '']
  const shape = `insert owned ${others.join(' ')}`
  const statement = runner.prepare(shape, insertOwnedSql, parts)
  return (await runner.run<{ readonly id: Id }>(statement, [owner, value])).rows[0]?.id
}

const tableOf = (model: object): Table => runnerOf(model).table

function insertOwnedSql(table: Table, { owners, field, unless, text }: Parts): string {
  const clock = clockColumns(table, ['createdAt', 'updatedAt'], [])
  const key = owners.column(owners.primaryKey)
  const columns = [table.column(field), table.column(text), ...clock]
  const values = [key, '$2', ...clock.map(() => 'clock_timestamp()')]
  const condition =
    unless &&
    ` and not exists (select from ${unless.quoted} where ${unless.column(field)} = $1${unless.visible(2)})`
  return `insert into ${table.quoted} (${columns.join(', ')}) select ${values.join(', ')} from ${owners.quoted} where ${key} = $1${owners.visible(2)}${condition ?? ''} returning ${table.column(table.primaryKey)} as "id"`
}
