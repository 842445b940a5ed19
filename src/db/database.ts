/** An open database: queries, transactions, Kysely, and its end. */
import { Kysely } from 'kysely'
import type { Logger } from '../base.ts'
import type { Statement, StatementResult } from './connection.ts'
import { ambientDialect } from './kysely-dialect.ts'
import type { ConnectionPool, PoolState } from './pool.ts'
import { currentScope, runInTransaction } from './scope.ts'
import { logged } from './statement-log.ts'
import { Transaction } from './transaction.ts'
import type { TransactionHost, TransactionOptions } from './transaction-options.ts'

/** `pglite` is PostgreSQL inside this process. */
export type EngineName = 'postgres' | 'pglite'

/** Tables that nobody described yet; `kysely.withTables<{ members: … }>()` describes them. */
export type AnyTables = Record<string, Record<string, unknown>>

/** Everything asked of it inside a transaction of its own goes through that transaction. */
export class Database implements TransactionHost {
  readonly engine: EngineName
  readonly pool: ConnectionPool
  readonly logger: Logger
  #kysely: Kysely<AnyTables> | undefined

  constructor(engine: EngineName, pool: ConnectionPool, logger: Logger) {
    this.engine = engine
    this.pool = pool
    this.logger = logger
  }

  /** Kysely's builder; SQL NULL is `null` here, as its types say. Its transactions nest as savepoints. */
  get kysely(): Kysely<AnyTables> {
    return (this.#kysely ??= new Kysely<AnyTables>({ dialect: ambientDialect(this) }))
  }

  /** Open connections, those inside transactions, and callers that wait for one. */
  get state(): PoolState {
    return this.pool.state
  }

  /**
   * One statement with `$1`, `$2` … for its parameters.
   * @throws QueryError `db.query-failed`; HttpError 503 `db.unavailable`, `db.pool-exhausted`, `db.statement-timeout`
   */
  query<Row = Record<string, unknown>>(statement: Statement): Promise<StatementResult<Row>> {
    const transaction = this.transactionHere()
    return transaction
      ? transaction.query<Row>(statement)
      : logged(statement, this.pool.query<Row>(statement))
  }

  /**
   * Commits what `work` did when it returns, rolls back when it throws. Inside another transaction it is a savepoint.
   * @throws FwError `db.commit-failed`, `db.commit-outcome-unknown`
   */
  async transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T> {
    const outer = this.transactionHere()
    if (outer) return outer.nested(work)
    const transaction = new Transaction(this, options)
    try {
      const result = await runInTransaction(transaction, work)
      await transaction.commit()
      return result
    } catch (error) {
      await transaction.rollback()
      throw error
    }
  }

  /** The transaction of this database that the running work is inside of. */
  transactionHere(): Transaction | undefined {
    const transaction = currentScope()?.transaction
    return transaction instanceof Transaction && transaction.database === this
      ? transaction
      : undefined
  }

  /** Returns when the database has answered, else throws HttpError 503. */
  async ping(): Promise<void> {
    await this.pool.query({ sql: 'select 1', parameters: [] })
  }

  /** Waits for what runs, at most five seconds. Closing again does nothing. */
  close(): Promise<void> {
    return this.pool.close()
  }
}
