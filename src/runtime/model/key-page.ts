/** Keyset pagination: each page begins after or ends before a row, so that inserts move no row to another page. */
import { QueryError } from '../db.ts'
import {
  type Condition,
  invalidCursor,
  KeyOrder,
  type Position,
  type SortKey,
} from './key-order.ts'
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

/** The default of `countUpTo`. */
const defaultCount = 10_000

/** The source of a page's rows. */
export interface KeyList<Row> {
  readonly table: Table
  readonly order: readonly SortKey[]
  /** Returns at most `limit` rows that match the condition, after skipping `offset` rows. */
  select(
    keys: readonly SortKey[],
    condition: Condition,
    limit: number,
    offset?: number,
  ): Promise<Record<string, unknown>[]>
  /** Counts rows up to `limit`, which may be infinite. */
  count(limit: number): Promise<number>
  readonly attach: (rows: Record<string, unknown>[]) => Promise<Row[]>
}

/**
 * Returns the requested page of the list.
 * @throws HttpError 400 `model.cursor-invalid`; FwError `model.order-invalid`
 */
export async function findKeyPage<Row>(
  list: KeyList<Row>,
  request: KeyPageRequest,
): Promise<KeyPage<Row>> {
  const { filters, search, after, before, countUpTo = defaultCount } = request
  try {
    if (!list.table.has(list.table.primaryKey)) return await findPageWithoutKey(list, request)
    const [page, counted] = await Promise.all([
      findRows(list, request),
      // Count one row more, which reveals that the list has more than `countUpTo` rows.
      list.count(Math.max(0, Math.trunc(countUpTo)) + 1),
    ])
    const isTotalExact = counted <= countUpTo
    return { ...page, total: isTotalExact ? counted : countUpTo, isTotalExact }
  } catch (error) {
    // A client may send a value that its column cannot store, such as an unknown enum label: respond with 400.
    const isSent = [filters, search, after, before].some((part) => part !== undefined)
    const isRefused = isSent && error instanceof QueryError && error.sqlState.startsWith('22')
    throw isRefused ? invalidCursor(error) : error
  }
}

/** Finds a page of rows without a primary key. Equal rows cannot be distinguished, so each cursor is a row offset. */
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
  // Encode the cursors before attaching relations, which may replace a member of the rows.
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
