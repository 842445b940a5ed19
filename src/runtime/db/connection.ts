/** The contract of a database connection, implemented for PostgreSQL and for PGlite. */

/** One SQL statement. With a `name` the server caches the parsed statement; a name always has the same text. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly name?: string | undefined
  /**
   * True for a statement that neither writes, locks nor calls a function that may. A request's transaction that has not
   * begun runs it on a shared connection.
   */
  readonly isRead?: boolean | undefined
  /**
   * True for a write after which its request sends no other one. A request's transaction that has not begun runs it without
   * BEGIN and COMMIT: the statement is a transaction of its own.
   */
  readonly isLastWrite?: boolean | undefined
  /** Rows are arrays of the columns' values, and dates are unread. For models, which name the values themselves. */
  readonly asArrays?: boolean | undefined
}

/** Rows and command tag of a statement. */
export interface StatementResult<Row = Record<string, unknown>> {
  readonly rows: Row[]
  /** Number of rows returned or changed. */
  readonly count: number
  /** First word of the command tag, such as `INSERT`; `ROLLBACK` for a refused COMMIT. */
  readonly command: string
}

/** Isolation levels, from the weakest to the strongest. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** The mode with which a transaction begins. */
export interface TransactionMode {
  /** The server's default when absent. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /** Lifts the time limit of statements, for migrations. */
  readonly unlimited?: boolean
}

export interface Connection {
  /** True after the connection has failed: the pool discards it. */
  readonly broken: boolean
  /** Statements that were sent and not answered yet; responses arrive in the order of sending. */
  readonly inFlight: number
  /** True between BEGIN and COMMIT or ROLLBACK. */
  readonly inTransaction: boolean
  /** The isolation of a plain BEGIN. Absent for a connection on which a transaction must begin with its first statement. */
  readonly defaultIsolation?: string | undefined
  /** SQL that follows each BEGIN, behind a pooler. */
  readonly localSettings?: string | undefined
  /** Milliseconds of a statement, on average over the last ones; absent for an engine in this process. */
  readonly statementTime?: number
  /** The `performance.now()` of the last statement. */
  readonly lastSent?: number
  /** Called whenever `inFlight` falls to zero, and once when the connection breaks. */
  onIdle: () => void
  /** Called when the server refuses a write because it is read-only, unless the transaction is. */
  onReadOnly?: () => void
  query<Row>(statement: Statement): Promise<StatementResult<Row>>
  /** Runs several statements in one text, without parameters. */
  script(sql: string): Promise<void>
  /** Lifts the time limits of statements outside transactions, or restores them. */
  setUnlimited(isUnlimited: boolean): Promise<void>
  begin(mode: TransactionMode): Promise<void>
  /** Returns the command tag: `ROLLBACK` when the server rolled back instead. */
  commit(): Promise<string>
  rollback(): Promise<void>
  /**
   * Cancels statements in flight, if the engine can, and resolves when they have ended. Breaks the connection if they do not end
   * in time. Send nothing meanwhile.
   */
  cancel(): Promise<void>
  /** Cancels statements in flight if the engine can; the connection is broken afterwards. */
  interrupt(): void
  /** Closes without waiting. */
  destroy(): void
  /** Waits for statements in flight, then closes. */
  close(): Promise<void>
}

/** The isolation that the server, database, role or URL sets for a plain BEGIN. */
export async function readDefaultIsolation(connection: Connection): Promise<string | undefined> {
  const name = 'default_transaction_isolation'
  const { rows } = await connection.query<Record<string, string>>({
    sql: `show ${name}`,
    parameters: [],
  })
  return rows[0]?.[name]
}

/** Safe as SQL text, because the type of each part is a closed list. */
export function beginSql(mode: TransactionMode): string {
  const isolation = mode.isolation ? ` isolation level ${mode.isolation}` : ''
  return `begin${isolation}${mode.readOnly ? ' read only' : ''}`
}
