/** A database for one test. An outer transaction is rolled back after the test; inner transactions are savepoints in it. */
import type { Connection, Statement, StatementResult } from './connection.ts'
import { Database } from './database.ts'
import type { LocalSettings } from './local-settings.ts'
import { ConnectionPool } from './pool.ts'

/** A database for one test; `end` rolls back its writes. */
export interface IsolatedDatabase {
  /** The database for the test. It uses one connection, and ignores isolation levels and read-only mode. */
  readonly database: Database
  /** Rolls back all writes. */
  end(): Promise<void>
}

/** Begins the outer transaction. SQL's `now()` is constant during the test; `clock_timestamp()` advances. */
export async function isolateDatabase(database: Database): Promise<IsolatedDatabase> {
  const connection = await database.pool.reserve()
  await connection.begin({})
  const fail = () => Promise.reject(new Error('the connection of the isolated database broke'))
  const pool = new ConnectionPool(fail, { size: 1, acquireTimeout: 5000, queueLimit: 1000 })
  pool.add(new SavepointConnection(connection))
  const isolated = new Database(database.engine, pool, database.logger)
  return {
    database: isolated,
    end: async () => {
      await isolated.close()
      await connection.rollback().catch(() => connection.destroy())
      database.pool.release(connection)
    },
  }
}

class SavepointConnection implements Connection {
  readonly #outer: Connection
  /** The newest single statement. Single statements run one by one, each in a savepoint, so that an error affects no others. */
  #last: Promise<unknown> = Promise.resolve()
  inTransaction = false
  inFlight = 0
  onIdle: () => void = () => {}

  constructor(outer: Connection) {
    this.#outer = outer
  }

  get broken(): boolean {
    return this.#outer.broken
  }

  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return this.#track(() => this.#outer.query<Row>(statement))
  }

  script(sql: string, rows?: string, localSettings?: LocalSettings): Promise<void> {
    return this.#track(() => this.#outer.script(sql, rows, localSettings))
  }

  /** Does nothing: the rollback of the outer transaction resets the settings. */
  async resetSession(): Promise<void> {}

  /** Sets `inTransaction` before the server has set the savepoint. Later statements are still sent after the savepoint. */
  async begin(): Promise<void> {
    this.inTransaction = true
    await this.#outer.script('savepoint fw_begin')
  }

  beginSettings(): string | undefined {
    return this.#outer.beginSettings?.({})
  }

  /** Checks the deferred constraints, as COMMIT would. */
  async commit(): Promise<string> {
    await this.#outer.script(
      'set constraints all immediate; set constraints all deferred; release savepoint fw_begin',
    )
    this.inTransaction = false
    return 'COMMIT'
  }

  async rollback(): Promise<void> {
    await this.#outer.script('rollback to savepoint fw_begin; release savepoint fw_begin')
    this.inTransaction = false
  }

  destroy(): void {}

  async close(): Promise<void> {}

  async #track<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight++
    try {
      return await (this.inTransaction ? work() : this.#inSavepoint(work))
    } finally {
      if (--this.inFlight === 0) this.onIdle()
    }
  }

  #inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      await this.#outer.script('savepoint fw_single')
      try {
        const value = await work()
        await this.#outer.script('release savepoint fw_single')
        return value
      } catch (error) {
        await this.#outer.script('rollback to savepoint fw_single; release savepoint fw_single')
        throw error
      }
    })
    this.#last = result.catch(() => {})
    return result
  }
}
