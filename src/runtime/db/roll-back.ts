/** Ends the transaction of a connection by a rollback, or begins it again. */
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'

/** The milliseconds that a rollback waits for statements in flight before it cancels them. */
const rollbackGrace = 1000

/**
 * Sends ROLLBACK; if that fails, interrupts the connection. With `isAborted`, cancels the statements in flight at once, otherwise after
 * `rollbackGrace` milliseconds.
 */
export async function rollBack(connection: Connection, isAborted: boolean): Promise<void> {
  if (isAborted && connection.inFlight > 0) await connection.cancel?.()
  let cancelled: Promise<void> | undefined
  const timer = setTimeout(() => {
    cancelled = connection.cancel?.()
  }, rollbackGrace)
  try {
    if (!connection.broken) await connection.rollback()
  } catch {
    connection.interrupt?.()
  } finally {
    clearTimeout(timer)
    await cancelled
  }
}

/** Repeats the first statement in a new transaction. Sends all without an await, so that no other statement comes between. */
export async function beginAgain<Row>(
  connection: Connection,
  mode: TransactionMode,
  statement: Statement,
): Promise<StatementResult<Row>> {
  const ready = Promise.all([connection.rollback(), connection.begin(mode)])
  const repeated = connection.query<Row>(statement)
  const [result] = await Promise.all([repeated, ready])
  return result
}
