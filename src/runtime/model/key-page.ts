/** Pages by key: each begins after or before a row, so that inserts move no row to another page. */
import type { SelectQueryBuilder } from 'kysely'
import { loadKysely, QueryError } from '../db.ts'
import {
  type Condition,
  invalidCursor,
  KeyOrder,
  type Position,
  type SortKey,
} from './key-order.ts'
import type { Table } from './table.ts'

export type LooseTables = Record<string, Record<string, unknown>>
export type LooseBuilder = SelectQueryBuilder<LooseTables, string, object>

/** A page of a list, by the row before or after it. */
export interface KeyPageRequest {
  /** Rows per page; smaller numbers than 1 mean 1. */
  readonly size: number
  /** `next` of the page before; an empty text for the first page. */
  readonly after?: string | undefined
  /** `previous` of the page after; an empty text for the last page. */
  readonly before?: string | undefined
  /** Replaces the order of the query. */
  readonly sort?: SortKey | undefined
  /** Only rows whose fields equal the values. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined
  /** Only rows with this text in one of the fields. */
  readonly search?: { readonly text: string; readonly fields: readonly string[] } | undefined
  /** The number up to which rows are counted, `Infinity` for all; default 10,000. */
  readonly countUpTo?: number | undefined
}

/** The rows of a page and its neighbours. */
export interface KeyPage<Row> {
  readonly rows: readonly Row[]
  /** The cursor for `after`; `undefined` on the last page. */
  readonly next: string | undefined
  /** The cursor for `before`; `undefined` on the first page. */
  readonly previous: string | undefined
  /** The number of rows, up to `countUpTo`. */
  readonly total: number
  /** False if there are more than `total` rows. */
  readonly isTotalExact: boolean
}

/** The number up to which rows are counted without a wish of the caller. */
export const defaultCount = 10_000

/** Rows with `text` in one of the fields, in any case. */
export const containsText =
  ({ text, fields }: NonNullable<KeyPageRequest['search']>): Condition =>
  (eb, reference) => {
    const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
    return eb.or(fields.map((field) => eb(reference(field), 'ilike', pattern)))
  }

/** What a page needs of its query. */
export interface KeyList<Row> {
  readonly table: Table
  readonly order: readonly SortKey[]
  readonly builder: LooseBuilder
  readonly reference: (field: string) => string
  compare(builder: LooseBuilder, field: string, value: unknown): LooseBuilder
  findRows(builder: LooseBuilder): Promise<Record<string, unknown>[]>
  attach(rows: Record<string, unknown>[]): Promise<Row[]>
  /** The query over the rows of another one. */
  wrap(builder: LooseBuilder): LooseBuilder
  count(builder: LooseBuilder): Promise<number>
}

/** @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid` */
export async function findKeyPage<Row>(
  list: KeyList<Row>,
  request: KeyPageRequest,
): Promise<KeyPage<Row>> {
  const { filters, search, after, before, countUpTo = defaultCount } = request
  const builder = restrict(list, request)
  try {
    const [page, counted] = await Promise.all([
      findRows(list, builder, request),
      countRows(list, builder, countUpTo),
    ])
    const isTotalExact = counted <= countUpTo
    return { ...page, total: isTotalExact ? counted : countUpTo, isTotalExact }
  } catch (error) {
    // A client may send a value that its column cannot have, such as an unknown label of an enum.
    const isSent = [filters, search, after, before].some((part) => part !== undefined)
    const isRefused = isSent && error instanceof QueryError && error.sqlState.startsWith('22')
    throw isRefused ? invalidCursor(error) : error
  }
}

/** The rows of the list, with the filters of the request, in no order. */
function restrict<Row>(list: KeyList<Row>, { filters = {}, search }: KeyPageRequest): LooseBuilder {
  let builder = list.builder.clearOrderBy().clearLimit().clearOffset()
  for (const [field, value] of Object.entries(filters))
    builder = list.compare(builder, field, value)
  return search === undefined ? builder : addCondition(list, builder, containsText(search))
}

const addCondition = <Row>(
  list: KeyList<Row>,
  builder: LooseBuilder,
  condition: Condition,
): LooseBuilder => builder.where((eb) => condition(eb, list.reference))

async function findRows<Row>(
  list: KeyList<Row>,
  builder: LooseBuilder,
  { sort, before, after, size }: KeyPageRequest,
): Promise<Pick<KeyPage<Row>, 'rows' | 'next' | 'previous'>> {
  const order = new KeyOrder(list.table, sort === undefined ? list.order : [sort])
  const isBackward = before !== undefined
  const cursor = before ?? after ?? ''
  const keys = isBackward ? order.reversed() : order.keys
  const limit = Math.max(1, Math.trunc(size))
  let ordered = builder
  for (const { field, direction } of keys)
    ordered = ordered.orderBy(list.reference(field), direction)
  const conditions =
    cursor === '' ? [anyRow] : order.conditionsAfter(await findPosition(list, order, cursor), keys)
  const found = await findAfter(list, ordered, conditions, limit)
  const hasMore = found.length > limit
  const rows = found.slice(0, limit)
  if (isBackward) rows.reverse()
  const hasNext = isBackward ? cursor !== '' : hasMore
  const hasPrevious = isBackward ? hasMore : cursor !== ''
  // Cursors first: relations may replace a member of the rows.
  const first = rows[0] === undefined ? '' : order.cursorOf(rows[0])
  const last = rows.length === 0 ? '' : order.cursorOf(rows.at(-1)!)
  return {
    next: hasNext ? last : undefined,
    previous: hasPrevious ? first : undefined,
    rows: await list.attach(rows),
  }
}

const anyRow: Condition = (eb) => eb.lit(true)

async function findPosition<Row>(
  list: KeyList<Row>,
  order: KeyOrder,
  cursor: string,
): Promise<Position> {
  const parsed = order.parseCursor(cursor)
  if ('values' in parsed) return parsed.values
  const [row] = await list.findRows(list.compare(list.builder, list.table.primaryKey, parsed.rowId))
  if (row === undefined) throw invalidCursor()
  return order.positionOf(row)
}

/** One row more than `limit`, if there are as many. */
async function findAfter<Row>(
  list: KeyList<Row>,
  ordered: LooseBuilder,
  conditions: readonly Condition[],
  limit: number,
): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for (const condition of conditions) {
    const missing = limit + 1 - found.length
    if (missing === 0) break
    const builder = addCondition(list, ordered, condition).limit(missing)
    found.push(...(await list.findRows(builder)))
  }
  return found
}

/** One more than `limit` if there are more rows, which reads no further. */
async function countRows<Row>(
  list: KeyList<Row>,
  builder: LooseBuilder,
  limit: number,
): Promise<number> {
  if (limit === Infinity) return list.count(builder)
  const { expressionBuilder } = loadKysely()
  const one = expressionBuilder().lit(1).as('one')
  const rows = builder.select(one).limit(Math.max(0, Math.trunc(limit)) + 1)
  return list.count(list.wrap(rows))
}
