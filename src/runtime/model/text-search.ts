/** PostgreSQL's full-text search as a condition of a query. */
import { FwError } from '../base.ts'
import { loadKysely } from '../db.ts'
import type { LooseBuilder } from './compile-query.ts'
import type { Table } from './table.ts'

/** How texts become words. */
export interface SearchOptions {
  /** A text search configuration of the database, such as `english`; default `simple`, which knows no word forms. */
  readonly language?: string
}

/** The document of the fields: immutable, so that an index can have it. */
function documentSql(table: Table, fields: readonly string[], language: string): string {
  const texts = fields.map(
    (field) => `coalesce(${table.quoted}.${table.column(table.fieldOf(field))}, '')`,
  )
  return `to_tsvector('${language}', ${texts.join(` || ' ' || `)})`
}

/**
 * Restricts to rows whose fields together have the words of `text`, which has the syntax of web searches. The best matches
 * come first, unless the query has an order.
 */
export function searchRows(
  table: Table,
  builder: LooseBuilder,
  {
    fields,
    text,
    language = 'simple',
    isOrdered,
  }: SearchOptions & {
    readonly fields: readonly string[]
    readonly text: string
    readonly isOrdered: boolean
  },
): LooseBuilder {
  if (fields.length === 0 || !/^[a-z_][a-z\d_]*$/.test(language))
    throw new FwError(
      'model.query-invalid',
      `A search needs fields and the name of a text search configuration, such as 'english': got [${fields.join(', ')}] and '${language}'.`,
    )
  const { sql } = loadKysely()
  // The configuration is a constant of the SQL: an index would not match a parameter.
  const document = sql.raw(documentSql(table, fields, language))
  const query = sql`websearch_to_tsquery(${sql.raw(`'${language}'`)}, ${text})`
  const matching = builder.where(sql<boolean>`${document} @@ ${query}`)
  return isOrdered ? matching : matching.orderBy(sql`ts_rank(${document}, ${query})`, 'desc')
}
