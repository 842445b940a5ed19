/** Converts a recorded row to values that a test can insert, without secrets. */
import { isSecretName, redacted } from '../../runtime/base.ts'
import type { ColumnSchema, TableSchema } from '../../runtime/db.ts'

/** The values of a row: numbers and booleans as such, other types in the text form of PostgreSQL. */
export type Cells = Readonly<Record<string, string | number | boolean | null>>
/** A row whose values are in the text form of PostgreSQL. */
export type TextRow = Readonly<Record<string, string | null>>

/** How many characters of a text or bytes are recorded. */
const maxText = 2000

/** Generated columns have no value in an INSERT; identity columns have. */
export const isWritable = (column: ColumnSchema): boolean =>
  !column.isGenerated || column.default === 'identity'

/**
 * Returns the values of a row, without NULL in columns whose default it is. `number` is the number of the row in the table: secrets
 * become different texts, because they may be unique. Appends the columns of secrets and of shortened values to `left`.
 */
export function toCells(table: TableSchema, row: TextRow, number: number, left: string[]): Cells {
  const keys = new Set(table.foreignKeys.flatMap(({ columns }) => columns))
  const cells: [string, Cells[string]][] = []
  for (const column of table.columns.filter(isWritable)) {
    const { name } = column
    const text = row[name] ?? null
    if (text === null && column.default !== undefined) cells.push([name, null])
    if (text === null) continue
    // A number or UUID with the name of a secret is the key of a row that the test needs; a text would be the secret itself.
    const isSecret = isSecretName(name) && (isText(column) || !keys.has(name))
    const shown = isSecret ? replaceSecret(column, text, number) : withoutSecrets(column, text)
    if (shown !== text) note(left, `column ${table.name}.${name}`)
    cells.push([name, toCell(column, shown)])
  }
  return Object.fromEntries(cells)
}

function note(left: string[], text: string): void {
  if (!left.includes(text)) left.push(text)
}

const isText = ({ type, isArray }: ColumnSchema): boolean =>
  !isArray && ['text', 'varchar', 'bpchar', 'citext', 'name'].includes(type)

/** Returns another value of the column's type. Times, booleans and enums stay, because they are no secrets even with such a name. */
function replaceSecret(column: ColumnSchema, text: string, number: number): string {
  const { type, length } = column
  if (column.isArray) return '{}'
  if (isText(column)) {
    const shown = `${redacted.slice(0, -1)} ${number}]`
    return length === undefined || shown.length <= length
      ? shown
      : String(number).padStart(length, '*')
  }
  if (/^(?:int\d|numeric|float\d)$/.test(type)) return String(number)
  if (type === 'uuid') return `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`
  if (type === 'json' || type === 'jsonb') return '{}'
  const bytes = Math.min(text.length / 2 - 1, maxText)
  if (type === 'bytea')
    return `\\x${number
      .toString(16)
      .padStart(8, '0')
      .padEnd(bytes * 2, '0')}`
  return text
}

function withoutSecrets(column: ColumnSchema, text: string): string {
  const isJson = !column.isArray && (column.type === 'json' || column.type === 'jsonb')
  return isJson ? withoutSecretMembers(text) : shorten(column, text)
}

/** Replaces the members of JSON that have the name of a secret. */
function withoutSecretMembers(text: string): string {
  let isChanged = false
  const value: unknown = JSON.parse(text, (key, member: unknown) => {
    if (member === null || !isSecretName(key)) return member
    isChanged = true
    return redacted
  })
  return isChanged ? JSON.stringify(value) : text
}

function shorten(column: ColumnSchema, text: string): string {
  if (text.length <= maxText) return text
  // Two digits are one byte.
  return isText(column) || column.type === 'bytea' ? text.slice(0, maxText) : text
}

function toCell({ type, isArray }: ColumnSchema, text: string): string | number | boolean {
  if (isArray) return text
  if (type === 'bool') return text === 'true'
  const isNumber = /^int\d$/.test(type) && Number.isSafeInteger(Number(text))
  return isNumber ? Number(text) : text
}
