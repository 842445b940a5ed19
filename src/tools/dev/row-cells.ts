/** Converts a recorded row to values that a test can insert, without secrets. */
import { redacted } from '../../runtime/base.ts'
import type { ColumnSchema, TableSchema } from '../../runtime/db.ts'
import { mentionsSecret } from './redact-request.ts'
import { redactArray, redactStoredText } from './redact-stored.ts'
import { hasTexts, isText, maxText, type SecretValues } from './secret-values.ts'

/** The values of a row: numbers and booleans as such, other types in the text form of PostgreSQL. */
export type Cells = Readonly<Record<string, string | number | boolean | null>>
/** A row whose values are in the text form of PostgreSQL. */
export type TextRow = Readonly<Record<string, string | null>>

/** Generated columns have no value in an INSERT; identity columns have. */
export const isWritable = (column: ColumnSchema): boolean =>
  !column.isGenerated || column.default === 'identity'

/**
 * Returns the values of a row, without NULL in columns whose default it is. Appends the columns of secrets and of shortened values
 * to `omitted`.
 */
export function toCells(
  table: TableSchema,
  row: TextRow,
  secrets: SecretValues,
  omitted: string[],
): Cells {
  const cells: [string, Cells[string]][] = []
  for (const column of table.columns.filter(isWritable)) {
    const { name } = column
    const text = row[name] ?? null
    if (text === null && column.default !== undefined) cells.push([name, null])
    if (text === null) continue
    const shown = secrets.isSecret(column)
      ? secrets.replace(column, text)
      : withoutSecrets(column, text, secrets)
    if (shown !== text) note(omitted, `column ${table.name}.${name}`)
    if (shown !== undefined) cells.push([name, toCell(column, shown)])
  }
  return Object.fromEntries(cells)
}

function note(omitted: string[], text: string): void {
  if (!omitted.includes(text)) omitted.push(text)
}

/** Returns the value of a column whose name is not secret; `undefined` if it contains a secret and has no redacted form. */
function withoutSecrets(
  column: ColumnSchema,
  text: string,
  secrets: SecretValues,
): string | undefined {
  const { type, isArray, labels, length } = column
  if (labels !== undefined) return text
  const isJson = type === 'json' || type === 'jsonb'
  if (isArray && (isJson || hasTexts(column))) return redactArray(text)
  if (isJson) return redactStoredText(text)
  if (isText(column)) {
    const shown = redactStoredText(text)
    return shown === redacted
      ? secrets.replace(column, text)
      : shown.slice(0, Math.min(length ?? maxText, maxText))
  }
  if (mentionsSecret(text)) return secrets.replace(column, text)
  // Two digits are one byte.
  return type === 'bytea' ? text.slice(0, maxText) : text
}

function toCell({ type, isArray }: ColumnSchema, text: string): string | number | boolean {
  if (isArray) return text
  if (type === 'bool') return text === 'true'
  const isNumber = /^int\d$/.test(type) && Number.isSafeInteger(Number(text))
  return isNumber ? Number(text) : text
}
