/** Names and columns in a migration. */
import type { Field } from './field.ts'

// PostgreSQL's reserved words that a table or a column is likely to be called.
const reserved = new Set(
  (
    'all analyse analyze and any array as asc both case cast check collate column constraint create default desc ' +
    'distinct do else end except false fetch for foreign from grant group having in initially intersect into ' +
    'lateral leading limit not null offset on only or order placing primary references returning select some ' +
    'symmetric table then to trailing true union unique user using variadic when where window with'
  ).split(' '),
)

/** A name, in quotes where the database needs them. */
export const tableSql = (name: string): string =>
  reserved.has(name) || /[^a-z\d_.]/.test(name) ? `"${name}"` : name

/** `name varchar(64) not null`; with `target`, the key that the column points to. */
export function columnSql(
  { name, sql, isOptional }: Field,
  target?: { readonly table: string; readonly column: string },
): string {
  const parts = [tableSql(name.snake), sql]
  if (!isOptional) parts.push('not null')
  if (target !== undefined)
    parts.push(`references ${tableSql(target.table)} (${tableSql(target.column)})`)
  return parts.join(' ')
}
