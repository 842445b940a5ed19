/** Selects and counts the rows of a Kysely query for keyset pagination. */
import type { ExpressionBuilder } from 'kysely'
import { loadKysely } from '../db.ts'
import type { LooseBuilder, LooseTables } from './compile-query.ts'
import type { Comparison } from './key-order.ts'
import type { KeyList, KeyPageRequest } from './key-page.ts'

type Builder = ExpressionBuilder<LooseTables, string>

/** A model's query and the functions that extend and run it. */
export interface QueryParts<Row> extends Pick<KeyList<Row>, 'table' | 'order' | 'attach'> {
  readonly builder: LooseBuilder
  readonly reference: (field: string) => string
  readonly compare: (builder: LooseBuilder, field: string, value: unknown) => LooseBuilder
  findRows(builder: LooseBuilder): Promise<Record<string, unknown>[]>
  /** Returns a query that selects from the rows of another query. */
  wrap(builder: LooseBuilder): LooseBuilder
  count(builder: LooseBuilder): Promise<number>
}

/** Returns the rows of the query that match the filters and the search of the request. */
export function keyListOf<Row>(
  query: QueryParts<Row>,
  { filters = {}, search }: KeyPageRequest,
): KeyList<Row> {
  const { table, order, reference, compare, attach } = query
  let rows = query.builder.clearOrderBy().clearLimit().clearOffset()
  for (const [field, value] of Object.entries(filters)) rows = compare(rows, field, value)
  if (search !== undefined) {
    const pattern = `%${search.text.replace(/[\\%_]/g, '\\$&')}%`
    rows = rows.where((eb) =>
      eb.or(search.fields.map((field) => eb(reference(field), 'ilike', pattern))),
    )
  }
  return {
    table,
    order,
    attach,
    select(keys, condition, limit, offset = 0) {
      let builder = offset === 0 ? rows.limit(limit) : rows.limit(limit).offset(offset)
      for (const each of condition)
        builder = builder.where((eb) => formatComparison(eb, each, reference))
      for (const { field, direction } of keys)
        builder = builder.orderBy(reference(field), direction)
      // Without a primary key, sort rows with equal sort values by the text of the whole row.
      if (!table.has(table.primaryKey))
        builder = builder.orderBy(loadKysely().sql.raw(`(${table.quoted}.*)::text`))
      return query.findRows(builder)
    },
    count(limit) {
      if (limit === Infinity) return query.count(rows)
      const one = loadKysely().expressionBuilder().lit(1).as('one')
      return query.count(query.wrap(rows.select(one).limit(limit)))
    },
  }
}

/** A cast for Kysely, whose types require tuples of a fixed length. */
type Pair = [never, never]

function formatComparison(
  eb: Builder,
  { fields, operator, values }: Comparison,
  reference: (field: string) => string,
) {
  const [column] = fields.map(reference)
  if (operator === 'is null') return eb(column!, 'is', null)
  if (operator === 'is not null') return eb(column!, 'is not', null)
  if (fields.length === 1) return eb(column!, operator, values[0])
  const columns = eb.refTuple(...(fields.map(reference) as never as Pair))
  return eb(columns, operator, eb.tuple(...(values as never as Pair)) as never)
}
