/** What a connection needs of an embedded engine: PGlite in this process is one, PGlite in the process above another. */

/** Rows are objects of decoded values. */
export interface EngineResult<Row> {
  readonly rows: Row[]
  readonly command?: string | undefined
  readonly rowCount?: number | null | undefined
}

/** Statements are answered in the order of sending; it throws what the server says of a statement, as it says it. */
export interface EmbeddedEngine {
  readonly closed: boolean
  isInTransaction(): boolean
  query<Row>(sql: string, values: (string | null)[]): Promise<EngineResult<Row>>
  exec(sql: string): Promise<unknown>
  close(): Promise<void>
}

/** What every session of an embedded engine begins with: texts of dates that do not depend on where it runs. */
export const sessionDefaults =
  "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres'"
