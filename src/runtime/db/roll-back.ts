/** `rollBack`: ends the transaction of a connection. */
import type { Connection } from './connection.ts'

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
