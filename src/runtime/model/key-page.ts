/** Keyset pagination: each page begins after or ends before a row, so that inserts move no row to another page. */
import { inspect } from 'node:util'
import type { ExpressionBuilder } from 'kysely'
import { loadKysely, QueryError } from '../db.ts'
import {
  attachRelations,
  compilerFor,
  compileSelect,
  nestedQuery,
  referenceOf,
  RowSelection,
  runSelect,
  visibleRows,
  whereField,
  type LooseBuilder,
  type LooseTables,
  type QueryState,
} from './compile-query.ts'
import { FoundRows } from './found-rows.ts'
import {
  type Comparison,
  type Condition,
  invalidCursor,
  invalidOrder,
  KeyOrder,
  type Position,
  type SortKey,
} from './key-order.ts'
import { countSql } from './model-sql.ts'
import type { Table } from './table.ts'

/** The request for a page after or before a row. */
export interface KeyPageRequest {
  /** The number of rows per page; numbers below 1 mean 1. */
  readonly size: number
  /** The cursor `next` of the previous page; an empty text requests the first page. */
  readonly after?: string | undefined
  /** The cursor `previous` of the following page; an empty text requests the last page. */
  readonly before?: string | undefined
  /** The sort key that replaces the order of the query. */
  readonly sort?: SortKey | undefined
  /** The values that fields of the rows must equal. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined
  /** The text that at least one of the fields must contain; letter case is ignored. */
  readonly search?: { readonly text: string; readonly fields: readonly string[] } | undefined
  /** The maximum for counting rows, so that a long list is not counted in full; default 10,000. `Infinity` counts all rows. */
  readonly countUpTo?: number | undefined
}

/** The rows of a page, and the cursors of the pages before and after it. */
export interface KeyPage<Row> {
  readonly rows: readonly Row[]
  /** The cursor of the next page, for `after`; `undefined` on the last page. */
  readonly next: string | undefined
  /** The cursor of the previous page, for `before`; `undefined` on the first page. */
  readonly previous: string | undefined
  /** The number of rows on all pages, at most `countUpTo`. */
  readonly total: number
  /** False if the list has more than `total` rows. */
  readonly isTotalExact: boolean
}

const defaultCount = 10_000

type AnyRow = Record<string, unknown>

/** At most `limit` rows that match the condition, after skipping `offset` rows. */
interface Slice {
  readonly keys: readonly SortKey[]
  readonly condition: Condition
  readonly limit: number
  readonly offset?: number
}

/** The rows of all pages. */
interface PageRows {
  select(slice: Slice): Promise<FoundRows>
  /** Counts rows up to `limit`, which may be infinite. */
  count(limit: number): Promise<number>
}

/** A query and the rows of all its pages. */
interface List extends PageRows, Pick<QueryState, 'order' | 'relations' | 'runner'> {
  readonly table: Table
}

/**
 * Returns the requested page of a query.
 * @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid`
 */
export async function findPageOf(
  state: QueryState,
  request: KeyPageRequest,
): Promise<KeyPage<AnyRow>> {
  const { filters, search, after, before, countUpTo = defaultCount } = request
  const { order, relations, isAllRows, isDistinct, runner } = state
  const { table } = runner
  const hasKey = table.has(table.primaryKey)
  if (isDistinct === true && !hasKey)
    throw invalidOrder(table, 'needs a primary key if its rows are distinct')
  const isPlain = isAllRows && hasKey && !filters && !search
  const began = performance.now()
  try {
    const rows = isPlain ? preparedRows(state) : queriedRows(state, request)
    const list = { ...rows, table, order, relations, runner }
    if (!hasKey) return await findPageWithoutKey(list, request)
    const [page, counted] = await Promise.all([
      findRows(list, request),
      // Count one row more, which reveals that the list has more than `countUpTo` rows.
      list.count(Math.max(0, Math.trunc(countUpTo)) + 1),
    ])
    const isTotalExact = counted <= countUpTo
    return createPage(page, isTotalExact ? counted : countUpTo, isTotalExact)
  } catch (error) {
    // A client may send a value that its column cannot store, such as an unknown enum label: respond with 400.
    const isSent = [filters, search, after, before].some((part) => part !== undefined)
    const isRefused = isSent && error instanceof QueryError && error.sqlState.startsWith('22')
    throw isRefused ? invalidCursor(error) : error
  } finally {
    const milliseconds = performance.now() - began
    if (hasKey && milliseconds > runner.database.slowQuery)
      logSlowPage(state, request, Math.round(milliseconds))
  }
}

/** A page whose rows are not created yet. */
interface FoundPage extends Pick<KeyPage<AnyRow>, 'next' | 'previous'> {
  readonly found: FoundRows
}

const foundRows: unique symbol = Symbol('found rows')

interface CreatedPage extends KeyPage<AnyRow> {
  readonly [foundRows]: FoundRows
}

/**
 * The properties with functions, which all pages share: `rows` creates the rows when they are first read, and `console.log` shows them.
 * V8 makes each object of a literal with a getter a dictionary instead, which takes more time and memory.
 */
const pageProperties: PropertyDescriptorMap & ThisType<CreatedPage> = {
  rows: {
    get() {
      return this[foundRows].rows
    },
    set(rows: AnyRow[]) {
      this[foundRows].rows = rows
    },
    enumerable: true,
    configurable: true,
  },
  [inspect.custom]: {
    value() {
      return { ...this }
    },
  },
}

/** Returns the page. Its rows are created when they are first read. */
function createPage(
  { found, next, previous }: FoundPage,
  total: number,
  isTotalExact: boolean,
): KeyPage<AnyRow> {
  const page = Object.defineProperties({} as KeyPage<AnyRow>, pageProperties)
  Object.assign(page, { next, previous, total, isTotalExact })
  // Not enumerable, so that a copy of the page with other rows does not have them.
  return Object.defineProperty(page, foundRows, { value: found })
}

/** Returns the rows of a page that `paginate` returned, without creating them; `undefined` for any other page. */
export const foundRowsOf = (page: object): FoundRows | undefined =>
  (page as { readonly [foundRows]?: FoundRows })[foundRows]

/**
 * Logs the index with which PostgreSQL reads only the rows of the page. Logs nothing if the query has other conditions, which
 * this index may not serve, and nothing for the order of the primary key, whose index exists.
 */
function logSlowPage(
  { order, runner, isAllRows }: QueryState,
  { filters = {}, search, sort }: KeyPageRequest,
  milliseconds: number,
): void {
  const { table, scope, database } = runner
  if (!isAllRows) return
  const equal = [...(scope === undefined ? [] : [scope.field]), ...Object.keys(filters)]
  const { keys } = new KeyOrder(table, sort === undefined ? order : [sort])
  const sorted = keys.filter(({ field }) => !equal.includes(field))
  if (search === undefined && equal.length === 0 && sorted[0]?.field === table.primaryKey) return
  // PostgreSQL reads an index in both directions, so only keys of different directions need them.
  const isMixed = sorted.some(({ direction }) => direction !== sorted[0]?.direction)
  const columns = [
    ...equal.map((field) => table.column(field)),
    ...sorted.map(({ field, direction }) =>
      isMixed && direction === 'desc' ? `${table.column(field)} desc` : table.column(field),
    ),
  ]
  const searched = search?.fields.map((field) => `${table.column(field)} gin_trgm_ops`)
  const index =
    searched === undefined
      ? `create index concurrently on ${table.quoted} (${columns.join(', ')})`
      : `create extension if not exists pg_trgm; create index concurrently on ${table.quoted} using gin (${searched.join(', ')})`
  database.logger.warn(
    { index, milliseconds },
    'slow page of a list: create this index if it is missing',
  )
}

/** Finds a page of rows without a primary key. Equal rows cannot be distinguished, so each cursor is a row offset. */
async function findPageWithoutKey(
  list: List,
  { sort, before, after, size }: KeyPageRequest,
): Promise<KeyPage<AnyRow>> {
  const total = await list.count(Infinity)
  const limit = Math.max(1, Math.trunc(size))
  const end = before === undefined ? Infinity : before === '' ? total : parseOffset(before)
  const first = before === undefined ? parseOffset(after ?? '') : Math.max(0, end - limit)
  const start = Math.min(first, total)
  const keys = sort === undefined ? list.order : [sort]
  const count = Math.max(0, Math.min(limit, end - start))
  const { rows } = await list.select({ keys, condition: [], limit: count, offset: start })
  const next = start + rows.length
  return {
    next: next < total ? String(next) : undefined,
    previous: start > 0 ? String(start) : undefined,
    total,
    isTotalExact: true,
    rows: await attachRelations(list, rows),
  }
}

function parseOffset(cursor: string): number {
  if (/^\d{0,15}$/.test(cursor)) return Number(cursor)
  throw invalidCursor()
}

async function findRows(
  list: List,
  { sort, before, after, size }: KeyPageRequest,
): Promise<FoundPage> {
  const order = new KeyOrder(list.table, sort === undefined ? list.order : [sort])
  const isBackward = before !== undefined
  const cursor = before ?? after ?? ''
  const keys = isBackward ? order.reversed() : order.keys
  const limit = Math.max(1, Math.trunc(size))
  const conditions =
    cursor === '' ? [[]] : order.conditionsAfter(await findPosition(list, order, cursor), keys)
  let all: FoundRows | undefined
  for (const condition of conditions) {
    const missing = limit + 1 - (all?.length ?? 0)
    if (missing <= 0) break
    const more = await list.select({ keys, condition, limit: missing })
    all = all?.concat(more) ?? more
  }
  // A position can have no rows after it, and then no conditions.
  all ??= new FoundRows([])
  const hasMore = all.length > limit
  const found = all.first(limit, isBackward)
  const hasNext = isBackward ? cursor !== '' : hasMore
  const hasPrevious = isBackward ? hasMore : cursor !== ''
  const cursorAt = (position: number) =>
    found.length === 0 ? '' : order.cursorOf(found.at(position))
  // Encode the cursors before attaching relations, which may replace a member of the rows.
  const next = hasNext ? cursorAt(found.length - 1) : undefined
  const previous = hasPrevious ? cursorAt(0) : undefined
  if (Object.keys(list.relations).length > 0) await attachRelations(list, found.rows)
  return { next, previous, found }
}

async function findPosition(list: List, order: KeyOrder, cursor: string): Promise<Position> {
  const parsed = order.parseCursor(cursor)
  if ('values' in parsed) return order.toParameters(parsed.values)
  const isRow = { fields: [list.table.primaryKey], operator: '=', values: [parsed.rowId] } as const
  const { rows } = await list.select({ keys: order.keys, condition: [isRow], limit: 1 })
  const [row] = rows
  if (row === undefined) throw invalidCursor()
  return order.toParameters(order.positionOf(row))
}

const countColumn = 'count(*) as "count"'

/** Returns the number of rows that a builder selects. */
export async function countRows(state: QueryState, builder: LooseBuilder): Promise<number> {
  const rows = await runSelect(state, compileSelect(state, builder, countColumn))
  return rows[0]!['count'] as number
}

/** Selects and counts the rows of the query that match the filters and the search of the request. */
function queriedRows(state: QueryState, { filters = {}, search }: KeyPageRequest): PageRows {
  const { table } = state.runner
  let rows = visibleRows(state).clearOrderBy().clearLimit().clearOffset()
  for (const [name, value] of Object.entries(filters))
    rows = whereField(rows, state, [name, '=', value])
  if (search !== undefined) {
    const pattern = `%${search.text.replace(/[\\%_]/g, '\\$&')}%`
    rows = rows.where((eb) =>
      eb.or(search.fields.map((field) => eb(referenceOf(table, field), 'ilike', pattern))),
    )
  }
  const selection = selectionOf(state)
  return {
    select: (slice) => selection.find(selection.compile(sliceOf(table, rows, slice))),
    count: (limit) => countRows(state, limit === Infinity ? rows : firstRows(table, rows, limit)),
  }
}

/** Selects and counts all rows of a model with prepared SQL, which is faster than to compile each query. */
function preparedRows(state: QueryState): PageRows {
  const { runner } = state
  const rows = () => visibleRows(state).clearOrderBy()
  return {
    select(slice) {
      const { keys, condition, limit } = slice
      const order = keys.map(({ field, direction }) => `${field} ${direction}`).join()
      const conditions = condition.map(({ fields, operator }) => `${fields.join()} ${operator}`)
      const statement = runner.prepare(
        `page ${order} ${conditions.join()}`,
        (table) => selectionOf(state).compile(sliceOf(table, rows(), slice)).sql,
      )
      const values = condition.flatMap((each) => each.values)
      return runner.findUnread(statement, [...runner.owner, ...values, limit], true)
    },
    async count(limit) {
      const isAll = limit === Infinity
      const statement = isAll
        ? runner.prepare('count', countSql)
        : runner.prepare(
            'count up to',
            (table) => compileSelect(state, firstRows(table, rows(), limit), countColumn).sql,
          )
      const values = isAll ? runner.owner : [...runner.owner, limit]
      const counted = await runner.run<{ count: number }>(statement, values, true)
      return counted.rows[0]!.count
    },
  }
}

/** The fields of the query's rows, with those that the cursors need. */
function selectionOf(state: QueryState): RowSelection {
  const { table } = state.runner
  const keys = [...state.order.map(({ field }) => field), table.primaryKey]
  return new RowSelection(state, ...keys.filter((field) => table.has(field)))
}

const firstRows = (table: Table, rows: LooseBuilder, limit: number): LooseBuilder => {
  const one = loadKysely().expressionBuilder().lit(1).as('one')
  const counted = nestedQuery(rows.select(one).limit(limit)).as('counted')
  return compilerFor(table).selectFrom(counted)
}

function sliceOf(
  table: Table,
  rows: LooseBuilder,
  { keys, condition, limit, offset = 0 }: Slice,
): LooseBuilder {
  let builder = offset === 0 ? rows.limit(limit) : rows.limit(limit).offset(offset)
  for (const each of condition) builder = builder.where((eb) => formatComparison(eb, table, each))
  for (const { field, direction } of keys)
    builder = builder.orderBy(referenceOf(table, field), direction)
  // Without a primary key, sort rows with equal sort values by the text of the whole row.
  return table.has(table.primaryKey)
    ? builder
    : builder.orderBy(loadKysely().sql.raw(`(${table.quoted}.*)::text`))
}

/** A cast for Kysely, whose types require tuples of a fixed length. */
type Pair = [never, never]

function formatComparison(
  eb: ExpressionBuilder<LooseTables, string>,
  table: Table,
  { fields, operator, values }: Comparison,
) {
  const columns = fields.map((field) => referenceOf(table, field))
  if (operator === 'is null' || operator === 'is not null')
    return eb(columns[0]!, operator === 'is null' ? 'is' : 'is not', null)
  if (columns.length === 1) return eb(columns[0]!, operator, values[0])
  const tuple = eb.refTuple(...(columns as never as Pair))
  return eb(tuple, operator, eb.tuple(...(values as never as Pair)) as never)
}
