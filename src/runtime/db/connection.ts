/** The interface of a database connection, implemented for PostgreSQL and for PGlite. */

import type { LocalSettings } from './local-settings.ts'
import type { Encoded } from './values.ts'

/** The database engine: `postgres` is a PostgreSQL server, `pglite` is PostgreSQL inside this process. */
export type EngineName = 'postgres' | 'pglite'

/** One SQL statement. With a `name`, the server caches the parsed statement: a name must always have the same SQL. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The name under which the server keeps the parsed statement. Not for `fetch`, whose columns may differ at each execution. */
  readonly name?: string | undefined
  /** True for a statement that cannot write or lock: before BEGIN, a request's transaction runs it on a shared connection. */
  readonly isRead?: boolean | undefined
  /** True for a request's last write: without an earlier BEGIN it needs none, because one statement is a transaction. */
  readonly isLastWrite?: boolean | undefined
  /** True for a statement after which its transaction has no other one, whatever it returns: COMMIT can be sent with it. */
  readonly isFinal?: boolean | undefined
  /**
   * Present for a write without a result that its caller needs: in a transaction it may be sent with the next statement or with
   * COMMIT, which then gets its error. The function converts that error.
   */
  readonly explainLate?: ((error: unknown) => unknown) | undefined
  /** True returns each row as an array of values, with dates as `UnreadValue`. Models set it and assign the names themselves. */
  readonly asArrays?: boolean | undefined
  /** The settings that the statement has instead of those of its async context. */
  readonly localSettings?: LocalSettings | undefined
}

/** A statement that is sent later than its call, which has encoded the parameters. */
export interface EncodedStatement extends Statement {
  readonly parameters: readonly Encoded[]
  readonly isEncoded: true
}

export const isEncoded = (statement: Statement): statement is EncodedStatement =>
  'isEncoded' in statement

/** The rows and the command tag that the server returns for a statement. */
export interface StatementResult<Row = Record<string, unknown>> {
  readonly rows: Row[]
  /** The number of rows returned or changed. */
  readonly count: number
  /** The first word of the command tag, such as `INSERT`; `ROLLBACK` if the server rolled back instead of committing. */
  readonly command: string
}

const changingCommands: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** Returns whether a statement is one that inserts, updates or deletes rows. */
export const changesRows = ({ command }: Pick<StatementResult, 'command'>): boolean =>
  changingCommands.has(command)

/** The isolation levels of transactions, from the weakest to the strongest. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** The options of a BEGIN statement. */
export interface TransactionMode {
  /** The isolation level; when absent, the server's default. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /**
   * True removes the time limit of statements, and closes the connection at the end, because its settings may have changed: as
   * migrations need it.
   */
  readonly unlimited?: boolean
}

/** The results of statements that were sent with COMMIT, and the command tag of `Connection.commit`. */
export interface QueriesAndCommit {
  readonly results: readonly Promise<StatementResult<unknown>>[]
  readonly committed: Promise<string>
}

export interface Connection {
  /** True after the connection has failed; the pool discards failed connections. */
  readonly broken: boolean
  /** The number of sent statements without a response. Responses arrive in the order of the statements. */
  readonly inFlight: number
  /** True between BEGIN and COMMIT or ROLLBACK. */
  readonly inTransaction: boolean
  /** The isolation level of a BEGIN without a level; absent for connections on which BEGIN must precede even the first read. */
  readonly defaultIsolation?: string | undefined
  /** The average duration of the most recent statements, in milliseconds; absent for an engine in this process. */
  readonly statementTime?: number
  /** The time at which the newest statement was sent, from `performance.now()`. */
  readonly lastSent?: number
  /** Called whenever `inFlight` falls to zero, and once when the connection breaks. */
  onIdle: () => void
  /** Called when a read-only server refuses a write; not called when the transaction itself is read-only. */
  onReadOnly?: () => void
  /** Called when the callers of all statements in flight have aborted them. */
  onAbandoned?: () => void
  /**
   * Runs a statement. Aborting it does not cancel it: the connection calls `onAbandoned` when all statements in flight are
   * aborted.
   */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<StatementResult<Row>>
  /** Whether the statement is a short read that can share a write with short reads of this turn of the event loop. */
  canJoin?(statement: Statement): boolean
  /**
   * Runs a text of several statements, which cannot have parameters. With `rows`, the text is one `copy … from stdin`, which gets
   * these rows. With `localSettings`, the open transaction gets them before; without, it keeps those that it has.
   */
  script(sql: string, rows?: string, localSettings?: LocalSettings): Promise<void>
  /** Removes the time limit of statements outside transactions. */
  setUnlimited?(): Promise<void>
  /** Ends an open transaction and resets the settings of the session; absent for a connection that is closed instead. */
  resetSession?(): Promise<void>
  begin(mode: TransactionMode): Promise<void>
  /**
   * Returns the SQL with which `begin` sets what differs from the settings of the session: behind a pooler all settings, and the
   * time limits of `unlimited`. Returns undefined if nothing differs.
   */
  beginSettings?(mode: TransactionMode): string | undefined
  /** Sends COMMIT and returns the command tag: `COMMIT`, or `ROLLBACK` if the server rolled back instead. */
  commit(): Promise<string>
  /**
   * Sends statements of the open transaction and COMMIT in one write; with one Sync if all are prepared on this connection. If a statement
   * fails, the transaction is rolled back. Absent for the embedded engine.
   */
  queryAndCommit?(statements: readonly EncodedStatement[]): QueriesAndCommit
  rollback(): Promise<void>
  /**
   * Cancels the statements in flight, and resolves when they have ended. Breaks the connection if they do not end in time. Send
   * no statement before the promise resolves. Absent for an engine that cannot cancel a statement.
   */
  cancel?(): Promise<void>
  /** Cancels the statements in flight, and breaks the connection without waiting for them. */
  interrupt?(): void
  /** Closes the connection without waiting for the statements in flight. */
  destroy(): void
  /** Closes the connection, which has no statements in flight. Does not wait for a server that does not respond. */
  close(): Promise<void>
}

/** Reads the isolation level that the server, database, role or URL sets for a BEGIN without a level. */
export async function readDefaultIsolation(connection: Connection): Promise<string | undefined> {
  const sql = "select current_setting('default_transaction_isolation') as isolation"
  const { rows } = await connection.query<{ isolation: string }>({ sql, parameters: [] })
  return rows[0]?.isolation
}

/** Returns the BEGIN statement. No injection is possible: the mode contains only literals and booleans. */
export function beginSql(mode: TransactionMode): string {
  const isolation = mode.isolation ? ` isolation level ${mode.isolation}` : ''
  return `begin${isolation}${mode.readOnly ? ' read only' : ''}`
}
