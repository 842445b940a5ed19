/** Reads the rows of a query in batches through a database cursor, so that a large result needs little memory. */
import { FwError } from '../base.ts'
import { controlStatement, runInTransaction, Transaction, type Statement } from '../db.ts'
import { attachRelations, orderedRows, RowSelection, type QueryState } from './compile-query.ts'

/** The options of a database cursor. */
export interface CursorOptions {
  /** The number of rows that the cursor reads at once; default 1000. */
  readonly batchSize?: number
}

let cursors = 0

/**
 * Yields rows from one snapshot. On a server, the cursor begins a transaction on its own connection, unless a transaction is
 * current. The embedded database has only one connection, which other statements need meanwhile, so all rows are read first.
 */
export async function* readRows(
  state: QueryState,
  { batchSize = 1000 }: CursorOptions,
): AsyncGenerator<Record<string, unknown>, void, undefined> {
  if (!Number.isSafeInteger(batchSize) || batchSize < 1)
    throw new FwError('model.query-invalid', `The batchSize ${batchSize} is no positive integer.`)
  const { database } = state.runner
  const selection = new RowSelection(state)
  const compiled = selection.compile(orderedRows(state))
  const current = database.currentTransaction()
  if (current === undefined && database.engine === 'pglite') {
    const { rows } = await selection.find(compiled)
    for (let at = 0; at < rows.length; at += batchSize)
      yield* await attachRelations(state, rows.slice(at, at + batchSize))
    return
  }
  const transaction = current ?? new Transaction(database, { readOnly: true })
  const run = (statement: Statement) =>
    runInTransaction(transaction, () => database.query<Record<string, unknown>>(statement))
  const name = `fw_cursor_${++cursors}`
  try {
    const sql = `declare ${name} no scroll cursor for ${compiled.sql}`
    await run({ sql, parameters: compiled.parameters })
    for (let count = batchSize; count === batchSize;) {
      const { rows } = await run({
        sql: `fetch ${batchSize} from ${name}`,
        parameters: [],
        asArrays: compiled.isWhole,
      })
      count = rows.length
      yield* await attachRelations(state, selection.convert(rows, compiled.isWhole).rows)
    }
  } finally {
    if (current === undefined) await transaction.rollback()
    else if (current.active) await closeCursor(current, name)
  }
}

/** Closes the cursor and ignores errors: after a failed statement the transaction rejects CLOSE, and its end closes it. */
const closeCursor = (transaction: Transaction, name: string): Promise<unknown> =>
  transaction.query(controlStatement(`close ${name}`)).catch(() => undefined)
