/** What a transaction is begun with, what it needs of its database, and what it gives of itself. */
import type { Logger } from '../base.ts'
import type { TransactionMode } from './connection.ts'
import type { ConnectionPool } from './pool.ts'

/** What cuts a transaction short; read when its first query is sent, so that a request can make its signal then. */
export interface Abortable {
  /** Aborted: the running statement is cancelled, the transaction rolled back, the next query refused. A COMMIT goes on. */
  readonly signal?: AbortSignal
}

/** How a transaction begins, and what cuts it short. */
export interface TransactionOptions extends TransactionMode, Abortable {}

/** What a transaction needs of its database. */
export interface TransactionHost {
  readonly pool: ConnectionPool
  readonly logger: Logger
}

/** A point inside a transaction to go back to. */
export interface Savepoint {
  /** @throws FwError `db.commit-failed` where a statement since then failed */
  release(): Promise<void>
  undo(): Promise<void>
}
