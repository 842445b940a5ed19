/** What a transaction is created from: its options, and the database that it uses. */
import type { Logger } from '../base.ts'
import type { EngineName, TransactionMode } from './connection.ts'
import type { ConnectionPool } from './pool.ts'
import type { Replicas } from './replicas.ts'

/** Holds a signal: its abort cancels the running statement, rolls back and rejects further queries. A sent COMMIT continues. */
export interface SignalSource {
  /** The signal. It is read at the first query, so that a request can create it lazily. */
  readonly signal?: AbortSignal
}

/** The options of a transaction: its mode, and a signal that cancels it. */
export interface TransactionOptions extends TransactionMode, SignalSource {
  /**
   * True delays BEGIN until the first statement that may write; applies only to `read committed`. Earlier reads use shared
   * connections, with the same results: in `read committed` each statement has its own snapshot anyway.
   */
  readonly beginsAtWrite?: boolean
  /** The replicas on which a read-only transaction begins, if one is usable. */
  readonly replicas?: Replicas | undefined
}

/** The part of a database that a transaction uses. */
export interface TransactionHost {
  readonly engine: EngineName
  readonly pool: ConnectionPool
  readonly logger: Logger
}
