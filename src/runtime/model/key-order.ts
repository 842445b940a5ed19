/** The order of rows in keyset pagination, its cursors, and the conditions for the rows after a cursor. */
import { FwError, HttpError } from '../base.ts'
import { formatText, isOptionalType, type ParamType, readText } from '../params.ts'
import type { Table } from './table.ts'

/** A field to sort by, and its direction. */
export interface SortKey {
  readonly field: string
  readonly direction: 'asc' | 'desc'
}

/** The values of a row's sort keys; `undefined` is NULL. */
export type Position = readonly unknown[]

/** The maximum length of a cursor. Proxies limit the length of URLs, which also contain a path and other parameters. */
const maxCursorLength = 2048

const isUnordered = ({ element, definition }: ParamType<unknown>): boolean =>
  element !== undefined || definition?.sql?.isSortable === false

/** The order of a page. Its last sort key is the primary key, so that the order is unambiguous. */
export class KeyOrder {
  readonly keys: readonly SortKey[]
  readonly #table: Table
  /** The order as text, such as `-birthday,-id`; a cursor with another order is rejected. */
  readonly #text: string

  /** @throws FwError `model.order-invalid`, `model.column-unknown` */
  constructor(table: Table, sorted: readonly SortKey[]) {
    this.#table = table
    const { primaryKey } = table
    const keys = sorted.map(({ field, direction }) => ({ field: table.fieldOf(field), direction }))
    const direction = keys.at(-1)?.direction ?? 'asc'
    const isUnique = keys.some(({ field }) => field === primaryKey)
    this.keys = isUnique ? keys : [...keys, { field: primaryKey, direction }]
    const strange = this.keys.find(({ field }) => isUnordered(table.columns[field]!))
    if (strange !== undefined)
      throw invalidOrder(table, `cannot sort by '${strange.field}', a list, JSON or bytes`)
    this.#text = this.keys.map((key) => (key.direction === 'desc' ? '-' : '') + key.field).join()
  }

  /** Returns the sort keys of the reverse order. NULL is last in ascending order and first in descending order. */
  reversed(): readonly SortKey[] {
    return this.keys.map(({ field, direction }) => ({
      field,
      direction: direction === 'asc' ? 'desc' : 'asc',
    }))
  }

  /**
   * Encodes the position of a row for a URL. The cursor contains the row's sort values, so that it stays valid after the row is
   * deleted. If the values are too long, the cursor contains the primary key.
   */
  cursorOf(row: Readonly<Record<string, unknown>>): string {
    const texts = this.keys.map(({ field }) => this.#format(row, field))
    const cursor = formatTexts([this.#text, ...texts])
    return cursor.length <= maxCursorLength
      ? cursor
      : formatTexts([rowMark + this.#text, this.#format(row, this.#table.primaryKey)])
  }

  #format(row: Readonly<Record<string, unknown>>, field: string): string | null {
    const value = row[field]
    return value === undefined ? null : formatText(this.#table.columns[field]!, value)
  }

  /**
   * Decodes a cursor to sort values or to a primary key.
   * @throws HttpError 400 `model.cursor-invalid`
   */
  parseCursor(cursor: string): { readonly values: Position } | { readonly rowId: unknown } {
    const [order, ...texts] = parseTexts(cursor) ?? []
    if (order === rowMark + this.#text) return { rowId: this.#parse(this.#table.primaryKey, texts) }
    if (order !== this.#text || texts.length !== this.keys.length) throw invalidCursor()
    return { values: this.keys.map(({ field }, at) => this.#parse(field, texts.slice(at))) }
  }

  #parse(field: string, [text]: readonly unknown[]): unknown {
    const type = this.#table.columns[field]!
    if (text === null && isOptionalType(type)) return undefined
    const value = typeof text === 'string' ? readText(type, text) : undefined
    if (value === undefined) throw invalidCursor()
    return value
  }

  positionOf(row: Readonly<Record<string, unknown>>): Position {
    return this.keys.map(({ field }) => row[field])
  }

  /** Converts the values of a position to parameters of a statement; NULL remains `undefined`. */
  toParameters(position: Position): Position {
    return position.map((value, at) =>
      value === undefined ? value : this.#table.toCondition(this.keys[at]!.field, value),
    )
  }

  /**
   * Returns the conditions whose rows together follow `position`. The rows of each condition precede those of the next one.
   * Each condition can use an index, and a full page skips the remaining conditions.
   */
  conditionsAfter(position: Position, keys: readonly SortKey[]): readonly Condition[] {
    const isOneTuple =
      keys.every(({ direction }) => direction === keys[0]!.direction) &&
      !position.includes(undefined) &&
      !keys.slice(1).some(({ field }) => isOptionalType(this.#table.columns[field]!))
    if (isOneTuple) return [[afterTuple(keys, position)], ...this.#nullsAfter(keys[0]!)]
    return keys
      .map((_key, depth) => keys.length - 1 - depth)
      .flatMap((depth) => {
        const equal = keys.slice(0, depth).map((key, at) => equalTo(key, position[at]))
        return this.#rowsAfter(keys[depth]!, position[depth]).map((last) => [...equal, ...last])
      })
  }

  /** Returns the condition for the rows with NULL in this field, if NULL is last in the order. */
  #nullsAfter({ field, direction }: SortKey): readonly Condition[] {
    const hasNulls = direction === 'asc' && isOptionalType(this.#table.columns[field]!)
    return hasNulls ? [[{ fields: [field], operator: 'is null', values: [] }]] : []
  }

  /** Returns the conditions for the rows that the order of one sort key places after `value`. */
  #rowsAfter(key: SortKey, value: unknown): readonly Condition[] {
    const { field, direction } = key
    if (value !== undefined) return [[afterTuple([key], [value])], ...this.#nullsAfter(key)]
    return direction === 'asc' ? [] : [[{ fields: [field], operator: 'is not null', values: [] }]]
  }
}

/** Compares a tuple of fields with a tuple of values, or one field with NULL. */
export interface Comparison {
  readonly fields: readonly string[]
  readonly operator: '=' | '>' | '<' | 'is null' | 'is not null'
  readonly values: readonly unknown[]
}

/** Comparisons that all apply to a matching row. */
export type Condition = readonly Comparison[]

/** Returns a comparison of tuples, such as `(name, id) > ('Ann', 7)`, which one index can answer. */
const afterTuple = (keys: readonly SortKey[], values: Position): Comparison => ({
  fields: keys.map(({ field }) => field),
  operator: keys[0]!.direction === 'asc' ? '>' : '<',
  values,
})

const equalTo = ({ field }: SortKey, value: unknown): Comparison =>
  value === undefined
    ? { fields: [field], operator: 'is null', values: [] }
    : { fields: [field], operator: '=', values: [value] }

const rowMark = '@'

const formatTexts = (texts: readonly (string | null)[]): string =>
  Buffer.from(JSON.stringify(texts)).toString('base64url')

function parseTexts(cursor: string): readonly unknown[] | undefined {
  if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) return undefined
  try {
    const texts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(texts) ? texts : undefined
  } catch {
    return undefined
  }
}

export const invalidOrder = (table: Table, problem: string): FwError =>
  new FwError('model.order-invalid', `A page by key of '${table.name}' ${problem}.`)

export const invalidCursor = (cause?: unknown): HttpError =>
  new HttpError(
    400,
    'model.cursor-invalid',
    'The cursor or a filter of this page is not valid, or the order has changed. Start again at the first page.',
    { cause },
  )
