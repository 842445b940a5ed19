/** The contract of one connection to a database: what PostgreSQL and PGlite each fulfil. */

/** One SQL statement. A `name` has the server keep the parsed statement: the same name always means the same text. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly name?: string
}

/** What a statement answered: its rows, and how many rows it touched or returned. */
export interface StatementResult<Row = Record<string, unknown>> {
  readonly rows: Row[]
  readonly count: number
  /** First word of the command tag, such as `INSERT`; `ROLLBACK` where a COMMIT was refused. */
  readonly command: string
}

/** What a transaction sees of others, as PostgreSQL has it. */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** How a transaction begins. */
export interface TransactionMode {
  /** The server's default when absent. */
  readonly isolation?: Isolation
  readonly readOnly?: boolean
  /** Its statements have no time limit: for migrations. */
  readonly unlimited?: boolean
}

export interface Connection {
  /** True once it can answer no more: it is thrown away, never handed out again. */
  readonly broken: boolean
  /** Statements sent and not answered yet; they are answered in the order of sending. */
  readonly inFlight: number
  /** True when the session is inside BEGIN … COMMIT. */
  readonly inTransaction: boolean
  /** Called each time `inFlight` falls to zero, and once when the connection breaks. */
  onRest: () => void
  query<Row>(statement: Statement): Promise<StatementResult<Row>>
  /** Several statements in one text, without parameters. */
  script(sql: string): Promise<void>
  begin(mode: TransactionMode): Promise<void>
  /** Gives the command tag: `ROLLBACK` when the server rolled back instead. */
  commit(): Promise<string>
  rollback(): Promise<void>
  /** Stops what is in flight where the engine can: the connection is then broken. */
  interrupt(): void
  /** Ends at once. */
  destroy(): void
  /** A friendly end; what is in flight is awaited. */
  close(): Promise<void>
}

/** The BEGIN of a mode; its parts come from a closed list. */
export function beginSql(mode: TransactionMode): string {
  const isolation = mode.isolation ? ` isolation level ${mode.isolation}` : ''
  return `begin${isolation}${mode.readOnly ? ' read only' : ''}`
}
