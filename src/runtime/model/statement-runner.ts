/** Runs the statements of a model with prepared SQL, and converts rows to the types of the fields. */
import { addCallSite, currentDatabase, type Database, type StatementResult } from '../db.ts'
import type { Table } from './table.ts'

type AnyRow = Record<string, unknown>

/** An SQL text, and the name of its prepared statement; without a name, the statement is not prepared. */
export interface PreparedSql {
  readonly sql: string
  readonly name?: string | undefined
}

/** The maximum number of prepared shapes. Permit lists limit the fields of a write, but a PATCH may send any subset of a list. */
const maxShapes = 200

let models = 0

export class StatementRunner {
  readonly table: Table
  readonly #databaseName: string
  readonly #prepared = new Map<string, PreparedSql>()
  readonly #prefix: string

  constructor(table: Table, databaseName: string) {
    this.table = table
    this.#databaseName = databaseName
    this.#prefix = `fw_${++models}_${table.name.slice(0, 30)}`
  }

  get database(): Database {
    return currentDatabase(this.#databaseName)
  }

  /** Returns the SQL of a shape, which is a kind of statement with its fields. Composes it on the first call. */
  prepare<A = undefined>(
    shape: string,
    compose: (table: Table, parts: A) => string,
    parts?: A,
  ): PreparedSql {
    const known = this.#prepared.get(shape)
    if (known !== undefined) return known
    const sql = compose(this.table, parts as A)
    const { size } = this.#prepared
    if (size >= maxShapes) return { sql }
    const prepared = { sql, name: `${this.#prefix}_${size}` }
    this.#prepared.set(shape, prepared)
    return prepared
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
