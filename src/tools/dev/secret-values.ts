/** Replaces secrets by other values: the same ones in all columns that foreign keys connect, so that the references remain. */
import { redacted } from '../../runtime/base.ts'
import type { ColumnSchema, TableSchema } from '../../runtime/db.ts'
import { hidesValue } from './redact-stored.ts'

/** The longest recorded text in characters. Of bytes, it is the text form of PostgreSQL: `\x` and two characters for each byte. */
export const maxText = 2000

/** Columns that have the same values, because foreign keys connect them. */
interface ColumnGroup {
  readonly columns: ColumnSchema[]
  isSecret: boolean
  /** The new values by the old ones. */
  readonly replaced: Map<string, string>
}

/** Whether a column contains one text. */
export const isText = (column: ColumnSchema): boolean => !column.isArray && hasTexts(column)

/** Whether a column contains texts, one or an array. */
export const hasTexts = ({ type }: ColumnSchema): boolean =>
  ['text', 'varchar', 'bpchar', 'citext', 'name'].includes(type)

/** The new values of the secrets in tables. */
export class SecretValues {
  readonly #groups = new Map<ColumnSchema, ColumnGroup>()

  /** `find` returns the table of a foreign key. */
  constructor(tables: readonly TableSchema[], find: (name: string) => TableSchema | undefined) {
    for (const { columns, foreignKeys } of tables) {
      const keys = new Set(foreignKeys.flatMap((key) => key.columns))
      for (const column of columns) {
        // A number or UUID with the name of a secret is the key of a row that the test needs; a text would be the secret itself.
        const isSecret = hidesValue(column.name) && (isText(column) || !keys.has(column.name))
        this.#groups.set(column, { columns: [column], isSecret, replaced: new Map() })
      }
    }
    for (const table of tables)
      for (const { columns, table: name, references } of table.foreignKeys)
        columns.forEach((column, at) =>
          this.#connect(columnOf(table, column), columnOf(find(name), references[at]!)),
        )
  }

  #connect(one: ColumnSchema | undefined, other: ColumnSchema | undefined): void {
    const group = one && this.#groups.get(one)
    const joined = other && this.#groups.get(other)
    if (group === undefined || joined === undefined || group === joined) return
    group.columns.push(...joined.columns)
    group.isSecret ||= joined.isSecret
    for (const column of joined.columns) this.#groups.set(column, group)
  }

  /** Whether the values of a column are secrets. */
  isSecret(column: ColumnSchema): boolean {
    return this.#groups.get(column)?.isSecret === true
  }

  /**
   * Returns a replacement of the column's type. Different secrets get different texts, numbers, UUIDs and bytes, because these may be
   * unique. Returns `undefined` for a type that has no replacement, such as a composite type.
   */
  replace(column: ColumnSchema, text: string): string | undefined {
    const replaced = this.#groups.get(column)?.replaced
    const known = replaced?.get(text)
    if (known !== undefined) return known
    const shown = createValue(column, text, (replaced?.size ?? 0) + 1)
    if (shown !== undefined) replaced?.set(text, shown)
    return shown
  }
}

const columnOf = (table: TableSchema | undefined, name: string): ColumnSchema | undefined =>
  table?.columns.find((column) => column.name === name)

/** Types whose values are not secrets, even in a column with a secret name such as `token_sent_at`. */
const harmless = /^(?:bool|date|interval|time|timetz|timestamp|timestamptz)$/

/**
 * Returns a value for a secret: text, numbers, UUIDs and bytes contain `number`, so that they are unique; JSON and arrays become
 * empty. Returns `text` for harmless types and enums, and `undefined` for other types.
 */
function createValue(column: ColumnSchema, text: string, number: number): string | undefined {
  const { type, length, labels } = column
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
  if (['hstore', 'tsvector', 'xml'].includes(type)) return ''
  const bytes = Math.min(text.length, maxText) / 2 - 1
  if (type === 'bytea')
    return `\\x${number
      .toString(16)
      .padStart(8, '0')
      .padEnd(bytes * 2, '0')}`
  return harmless.test(type) || labels !== undefined ? text : undefined
}
