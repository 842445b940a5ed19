/** Pages by key: each begins after or before a row, so that inserts move no row to another page. */
import { QueryError } from '../db.ts'
import {
  type Condition,
  invalidCursor,
  KeyOrder,
  type Position,
  type SortKey,
} from './key-order.ts'
import type { Table } from './table.ts'

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
const defaultCount = 10_000

/** The rows from which a page is read. */
export interface KeyList<Row> {
  readonly table: Table
  readonly order: readonly SortKey[]
  /** The first `limit` rows to which the condition applies, after `offset` others. */
  select(
    keys: readonly SortKey[],
    condition: Condition,
    limit: number,
    offset?: number,
  ): Promise<Record<string, unknown>[]>
  /** The number of rows up to `limit`, which may be infinite. */
  count(limit: number): Promise<number>
  readonly attach: (rows: Record<string, unknown>[]) => Promise<Row[]>
}

/** @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid` */
export async function findKeyPage<Row>(
  list: KeyList<Row>,
  request: KeyPageRequest,
): Promise<KeyPage<Row>> {
  const { filters, search, after, before, countUpTo = defaultCount } = request
  try {
    if (!list.table.has(list.table.primaryKey)) return await findPageWithoutKey(list, request)
    const [page, counted] = await Promise.all([
      findRows(list, request),
      // One more, which shows that there are more.
      list.count(Math.max(0, Math.trunc(countUpTo)) + 1),
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

/** A cursor is the number of rows before a position, because rows without a primary key cannot be told apart. */
async function findPageWithoutKey<Row>(
  list: KeyList<Row>,
  { sort, before, after, size }: KeyPageRequest,
): Promise<KeyPage<Row>> {
  const total = await list.count(Infinity)
  const limit = Math.max(1, Math.trunc(size))
  const end = before === undefined ? Infinity : before === '' ? total : parseOffset(before)
  const first = before === undefined ? parseOffset(after ?? '') : Math.max(0, end - limit)
  const start = Math.min(first, total)
  const keys = sort === undefined ? list.order : [sort]
  const rows = await list.select(keys, [], Math.max(0, Math.min(limit, end - start)), start)
  const next = start + rows.length
  return {
    next: next < total ? String(next) : undefined,
    previous: start > 0 ? String(start) : undefined,
    total,
    isTotalExact: true,
    rows: await list.attach(rows),
  }
}

function parseOffset(cursor: string): number {
  if (/^\d{0,15}$/.test(cursor)) return Number(cursor)
  throw invalidCursor()
}

async function findRows<Row>(
  list: KeyList<Row>,
  { sort, before, after, size }: KeyPageRequest,
): Promise<Pick<KeyPage<Row>, 'rows' | 'next' | 'previous'>> {
  const order = new KeyOrder(list.table, sort === undefined ? list.order : [sort])
  const isBackward = before !== undefined
  const cursor = before ?? after ?? ''
  const keys = isBackward ? order.reversed() : order.keys
  const limit = Math.max(1, Math.trunc(size))
  const conditions =
    cursor === '' ? [[]] : order.conditionsAfter(await findPosition(list, order, cursor), keys)
  const found: Record<string, unknown>[] = []
  for (const condition of conditions) {
    const missing = limit + 1 - found.length
    if (missing > 0) found.push(...(await list.select(keys, condition, missing)))
  }
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

async function findPosition<Row>(
  list: KeyList<Row>,
  order: KeyOrder,
  cursor: string,
): Promise<Position> {
  const parsed = order.parseCursor(cursor)
  if ('values' in parsed) return parsed.values
  const fields = [list.table.primaryKey]
  const [row] = await list.select(
    order.keys,
    [{ fields, operator: '=', values: [parsed.rowId] }],
    1,
  )
  if (row === undefined) throw invalidCursor()
  return order.positionOf(row)
}
