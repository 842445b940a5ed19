/** A database whose every write is undone at the end: one outer transaction, in which transactions are savepoints. */
import type { Connection, Statement, StatementResult } from './connection.ts'
import { Database } from './database.ts'
import { ConnectionPool } from './pool.ts'

/** A database for one test. */
export interface IsolatedDatabase {
  /** Behaves as the real one, on one connection; isolation levels and read-only are not kept. */
  readonly database: Database
  /** Rolls everything back. */
  end(): Promise<void>
}

/** For tests. `now()` stands still inside: the clock that moves is `clock_timestamp()`. */
export async function isolateDatabase(database: Database): Promise<IsolatedDatabase> {
  const connection = await database.pool.reserve()
  await connection.begin({})
  const broken = () => Promise.reject(new Error('its connection is gone'))
  const pool = new ConnectionPool(broken, { size: 1, acquireTimeout: 5000, queueLimit: 1000 })
  pool.add(new SavepointConnection(connection))
  return {
    database: new Database(database.engine, pool, database.logger),
    end: async () => {
      await pool.close()
      await connection.rollback().catch(() => connection.destroy())
      database.pool.release(connection)
    },
  }
}

class SavepointConnection implements Connection {
  readonly #outer: Connection
  /** Single statements follow one another, each with a savepoint, so that a failing one spoils nothing. */
  #tail: Promise<unknown> = Promise.resolve()
  inTransaction = false
  inFlight = 0
  onRest: () => void = () => {}

  constructor(outer: Connection) {
    this.#outer = outer
  }

  get broken(): boolean {
    return this.#outer.broken
  }

  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return this.#tracked(() => this.#outer.query<Row>(statement))
  }

  script(sql: string): Promise<void> {
    return this.#tracked(() => this.#outer.script(sql))
  }

  /** What is sent before this has been answered is inside already: it comes behind. */
  async begin(): Promise<void> {
    this.inTransaction = true
    await this.#outer.script('savepoint fw_begin')
  }

  /** Deferred constraints speak at COMMIT, so they are asked here. */
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

  interrupt(): void {}

  destroy(): void {}

  async close(): Promise<void> {}

  async #tracked<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight++
    try {
      return await (this.inTransaction ? work() : this.#alone(work))
    } finally {
      if (--this.inFlight === 0) this.onRest()
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => {
      await this.#outer.script('savepoint fw_alone')
      try {
        const result = await work()
        await this.#outer.script('release savepoint fw_alone')
        return result
      } catch (error) {
        await this.#outer.script('rollback to savepoint fw_alone; release savepoint fw_alone')
        throw error
      }
    })
    this.#tail = turn.catch(() => {})
    return turn
  }
}
