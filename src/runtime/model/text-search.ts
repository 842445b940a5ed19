/** Full-text search by PostgreSQL, as a condition of a query. */
import { FwError } from '../base.ts'
import { loadKysely } from '../db.ts'
import type { LooseBuilder, QueryState } from './compile-query.ts'
import type { Table } from './table.ts'

/** The options of a full-text search. */
export interface SearchOptions {
  /** A PostgreSQL text search configuration, such as `english`; default `simple`, which does not reduce words to stems. */
  readonly language?: string
}

/** Returns the SQL expression of the searched document. It is immutable, so that an index can use it. */
function documentSql(table: Table, fields: readonly string[], language: string): string {
  const texts = fields.map(
    (field) => `coalesce(${table.quoted}.${table.column(table.fieldOf(field))}, '')`,
  )
  return `to_tsvector('${language}', ${texts.join(` || ' ' || `)})`
}

/**
 * Restricts the query to rows whose fields together contain the words of `text`, which has the syntax of web searches. The best
 * matches come first, unless the query has an order.
 */
export function searchRows(
  { runner: { table }, builder, isOrdered }: QueryState,
  fields: readonly string[],
  text: string,
  { language = 'simple' }: SearchOptions,
): LooseBuilder {
  if (fields.length === 0 || !/^[a-z_][a-z\d_]*$/.test(language))
    throw new FwError(
      'model.query-invalid',
      `A search needs fields and the name of a text search configuration, such as 'english': got [${fields.join(', ')}] and '${language}'.`,
    )
  const { sql } = loadKysely()
  // Write the configuration as a constant: an index on the expression does not match a parameter.
  const document = sql.raw(documentSql(table, fields, language))
  const query = sql`websearch_to_tsquery(${sql.raw(`'${language}'`)}, ${text})`
  const matching = builder.where(sql<boolean>`${document} @@ ${query}`)
  return isOrdered === true
    ? matching
    : matching.orderBy(sql`ts_rank(${document}, ${query})`, 'desc')
}
