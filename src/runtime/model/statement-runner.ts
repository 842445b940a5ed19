/** Runs the statements of a model with prepared SQL, and converts rows to the types of the fields. */
import { addCallSite, currentDatabase, type Database, type StatementResult } from '../db.ts'
import { type PreparedSql, SqlCache } from './model-sql.ts'
import type { Table } from './table.ts'

type AnyRow = Record<string, unknown>

export class StatementRunner {
  readonly table: Table
  /** The name of the model's database. */
  readonly databaseName: string
  /** The cached SQL by shape, which is a kind of statement with its fields. */
  readonly sql: SqlCache

  constructor(table: Table, databaseName: string) {
    this.table = table
    this.databaseName = databaseName
    this.sql = new SqlCache(table.name)
  }

  get database(): Database {
    return currentDatabase(this.databaseName)
  }

  /** Runs a statement that selects all fields of the model, and returns its rows. */
  async find(
    { sql, name }: PreparedSql,
    parameters: readonly unknown[],
    isRead: boolean,
  ): Promise<AnyRow[]> {
    const { database } = this
    try {
      const statement = { sql, name, parameters, isRead, asArrays: true }
      return this.table.createRows((await database.query<unknown[]>(statement)).rows)
    } catch (error) {
      throw addCallSite(error)
    }
  }

  async run<R = AnyRow>(
    { sql, name }: PreparedSql,
    parameters: readonly unknown[],
    isRead = false,
    asArrays = false,
  ): Promise<StatementResult<R>> {
    const { database } = this
    try {
      return await database.query<R>({ sql, name, parameters, isRead, asArrays })
    } catch (error) {
      throw addCallSite(error)
    }
  }

  /** Runs `work` in the current transaction, or else in a new one. */
  inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
    const { database } = this
    return database.currentTransaction() === undefined ? database.transaction(work) : work()
  }
}
