/** An open database, and functions that find the database of the running code. */
import type { Kysely } from 'kysely'
import { FwError, type Logger } from '../base.ts'
import { ApplicationScope } from '../config.ts'
import type { EngineName, Statement, StatementResult } from './connection.ts'
import { createKysely } from './kysely-dialect.ts'
import { Notifications, type ConnectListener } from './notifications.ts'
import type { LocalSettings } from './local-settings.ts'
import { PolicyCheck } from './policy-check.ts'
import type { ConnectionPool, PoolState } from './pool.ts'
import type { Replicas } from './replicas.ts'
import { sendStatement } from './statement-event.ts'
import { currentTransaction, runInTransaction } from './current-transaction.ts'
import { Transaction } from './transaction.ts'
import type { TransactionHost, TransactionOptions } from './transaction-options.ts'

/** The type of tables whose columns are unknown; `kysely.withTables<{ members: … }>()` declares their types. */
export type AnyTables = Record<string, Record<string, unknown>>

/** An open database. Inside a transaction of this database, its queries run in that transaction. */
export class Database implements TransactionHost {
  readonly engine: EngineName
  readonly pool: ConnectionPool
  readonly logger: Logger
  /** The read replicas for read-only requests; undefined without the setting `replicas`. */
  replicas: Replicas | undefined
  /** Whether each statement gets an SQL comment that names the request. */
  commentsStatements = false
  /** The milliseconds after which a page of a list is logged as slow. The setting `slowQuery`, which also applies to statements. */
  slowQuery = Infinity
  /** The milliseconds that a migration waits for a lock. */
  lockTimeout = 2000
  /** Opens the connection for `listen`; absent for the embedded engine and tests, whose notifications stay in this process. */
  connectListener: ConnectListener | undefined
  #kysely: Kysely<AnyTables> | undefined
  #notifications: Notifications | undefined
  #policyCheck: PolicyCheck | undefined

  constructor(engine: EngineName, pool: ConnectionPool, logger: Logger) {
    this.engine = engine
    this.pool = pool
    this.logger = logger
  }

  /** Kysely's query builder. Its results contain `null` for SQL NULL. Its nested transactions are savepoints. */
  get kysely(): Kysely<AnyTables> {
    return (this.#kysely ??= createKysely<AnyTables>(this))
  }

  /** The numbers of open connections, of connections in transactions, and of waiting callers. */
  get state(): PoolState {
    return this.pool.state
  }

  /**
   * Runs one statement, whose parameters are `$1`, `$2` and so on.
   * @throws QueryError `db.query-failed`; HttpError 503 `db.unavailable`, `db.pool-exhausted`, `db.statement-timeout`
   */
  query<Row = Record<string, unknown>>(statement: Statement): Promise<StatementResult<Row>> {
    return sendStatement<Row>(this.currentTransaction() ?? this.pool, statement, this)
  }

  /**
   * Runs `work` in a transaction, or inside another in a savepoint: commits when `work` returns, rolls back when it throws.
   * @throws FwError `db.commit-failed`, `db.commit-outcome-unknown`
   */
  async transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T> {
    const outer = this.currentTransaction()
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

  /**
   * Notifies the listeners of a channel in all processes; with the embedded engine, those of this process. In a transaction,
   * they are notified after the commit. PostgreSQL limits the channel's name to 63 bytes and the payload to 8000.
   */
  async notify(channel: string, payload = ''): Promise<void> {
    await this.query({ sql: 'select pg_notify($1, $2)', parameters: [channel, payload] })
    if (this.connectListener !== undefined) return
    const deliver = (): void => this.#notifications?.deliver(channel, payload)
    const transaction = this.currentTransaction()
    if (transaction === undefined) deliver()
    else transaction.afterCommit(deliver)
  }

  /**
   * Yields the payloads of a channel until the signal is aborted or the database closes. Yields an empty text once listening
   * has begun, and again whenever notifications may have been lost: read the data then. Equal payloads that are still unread
   * are merged. All listeners of a process share one connection outside the pool.
   * @throws FwError `db.listen-pooled` if the setting `prepare` is false; `db.parameter-invalid` for an invalid channel name
   */
  listen(channel: string, signal?: AbortSignal): AsyncGenerator<string, void> {
    return this.#openNotifications().listen(channel, signal)
  }

  #openNotifications(): Notifications {
    return (this.#notifications ??= new Notifications(this.connectListener, this.logger))
  }

  /** Returns the transaction of this database in the current async context, if any. */
  currentTransaction(): Transaction | undefined {
    const transaction = currentTransaction()
    return transaction?.database === this ? transaction : undefined
  }

  /** Logs a warning once if row-level security does not restrict statements with these settings. Returns at once. */
  checkPolicies(settings: LocalSettings): void {
    ;(this.#policyCheck ??= new PolicyCheck(this)).begin(settings)
  }

  /** Checks the connection with a query. @throws HttpError 503 if the database does not respond */
  async ping(): Promise<void> {
    // A check must not wait behind the callers of an overload: load balancers would stop using the node.
    await this.pool.query({ sql: 'select 1', parameters: [] }, undefined, { hadConnection: true })
  }

  /** Closes the database after at most five seconds for running queries. A second call does nothing. */
  async close(): Promise<void> {
    // Create and close the notifications even if unused, so that a later `listen` does not connect.
    await this.#openNotifications().close()
    await Promise.all([this.pool.close(), this.replicas?.close()])
  }
}

const databases = new Map<string, Database>()

/** Registers a database under a name for the models and sessions of this process; `undefined` removes the registered one. */
export function useDatabase(database: Database | undefined, name = 'default'): void {
  if (database) databases.set(name, database)
  else databases.delete(name)
}

/** The databases that `useDatabase` has registered, by name. */
export const registeredDatabases = (): ReadonlyMap<string, Database> => databases

/** The database that `useDatabase` registered under this name, if any. */
export const registeredDatabase = (name: string): Database | undefined => databases.get(name)

/**
 * The database of the running application, else the registered one. Its queries run in the current transaction, if any.
 * @throws FwError `db.not-configured`
 */
export function currentDatabase(name = 'default'): Database {
  const own = ApplicationScope.current?.databases.get(name)
  const database = own instanceof Database ? own : databases.get(name)
  if (database) return database
  const setting = name === 'default' ? 'DATABASE_URL or db.default.url' : `db.${name}.url`
  throw new FwError(
    'db.not-configured',
    `No database '${name}' is open. Give ${setting}, or open one with openDatabase and useDatabase.`,
  )
}
