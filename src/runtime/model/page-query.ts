/** Keyset pagination of a model's query. */
import {
  attachRelations,
  compilerFor,
  compileSelect,
  nestedQuery,
  referenceOf,
  RowSelection,
  runSelect,
  visibleRows,
  type LooseBuilder,
  type QueryState,
} from './compile-query.ts'
import { keyListOf } from './key-list-query.ts'
import { invalidOrder } from './key-order.ts'
import { findKeyPage, type KeyList, type KeyPageRequest } from './key-page.ts'
import { plainKeyList } from './plain-key-list.ts'
import { compare } from './query-conditions.ts'

/** Returns the number of rows that a builder selects. */
export async function countRows(state: QueryState, builder: LooseBuilder): Promise<number> {
  const rows = await runSelect(state, compileSelect(state, builder, 'count(*) as "count"'))
  return rows[0]!['count'] as number
}

/** Returns a page by key. A query without conditions uses prepared SQL, which is faster than Kysely. */
export async function findPageOf(state: QueryState, request: KeyPageRequest): Promise<unknown> {
  const { runner, order, relations, isAllRows, isDistinct } = state
  const hasKey = runner.table.has(runner.table.primaryKey)
  if (isDistinct === true && !hasKey)
    throw invalidOrder(runner.table, 'needs a primary key if its rows are distinct')
  const isPlain = isAllRows && hasKey && !request.filters && !request.search
  const list = isPlain ? plainKeyList(runner, order, relations) : keyList(state, request)
  return findKeyPage(list as KeyList<unknown>, request)
}

function keyList(state: QueryState, request: KeyPageRequest) {
  const { table } = state.runner
  const fields = [...state.order.map(({ field }) => field), table.primaryKey]
  const keys = fields.filter((field) => table.has(field))
  const selection = new RowSelection(state, ...keys)
  const query = {
    table,
    order: state.order,
    builder: visibleRows(state),
    reference: (field: string) => referenceOf(table, field),
    compare: (builder: LooseBuilder, name: string, value: unknown) =>
      compare(builder, state, { name, operator: '=', value }),
    findRows: (builder: LooseBuilder) => selection.find(selection.compile(builder)),
    attach: async (rows: Record<string, unknown>[]) => {
      await attachRelations(state.relations, rows)
      return rows
    },
    wrap: (builder: LooseBuilder) =>
      compilerFor(table).selectFrom(nestedQuery(builder).as('counted')) as LooseBuilder,
    count: (builder: LooseBuilder) => countRows(state, builder),
  }
  return keyListOf(query, request)
}
