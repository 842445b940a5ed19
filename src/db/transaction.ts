/** One transaction: BEGIN goes with its first query, on a connection that is its own until COMMIT or ROLLBACK. */
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'
import { currentScope, newTurns, outsideTransaction, runInTransaction } from './scope.ts'
import { logged } from './statement-log.ts'
import { commitFailed, outcomeUnknown, spoils, transactionEnded } from './transaction-errors.ts'
import type {
  Abortable,
  Savepoint,
  TransactionHost,
  TransactionOptions,
} from './transaction-options.ts'

type State = 'open' | 'committed' | 'rolled back' | 'lost'

/** A rollback waits this long for statements in flight, then cuts the connection. */
const rollbackGrace = 1000

/** Used through `runInTransaction`, then `commit` or `rollback`; `database.transaction` does all of it. */
export class Transaction {
  /** The database whose queries go through it. */
  readonly database: TransactionHost
  readonly #mode: TransactionMode
  readonly #life: Abortable
  #state: State = 'open'
  #opening: Promise<Connection> | undefined
  #connection: Connection | undefined
  #signal: AbortSignal | undefined
  /** The first error since the last savepoint: PostgreSQL would turn COMMIT into ROLLBACK. */
  #failure: unknown
  #rollbackOnly = false
  #afterCommit: (() => unknown)[] = []
  #savepoints = 0
  readonly #turns = newTurns()

  constructor(
    database: TransactionHost,
    options: TransactionOptions = {},
    life: Abortable = options,
  ) {
    this.database = database
    this.#mode = options
    this.#life = life
  }

  /** True until it has been committed or rolled back. */
  get active(): boolean {
    return this.#state === 'open'
  }

  /** True once a query has been sent: before that there is nothing to commit. */
  get begun(): boolean {
    return this.#opening !== undefined
  }

  /**
   * Sends a statement; the first one begins the transaction.
   * @throws FwError `db.transaction-ended` after commit or rollback
   */
  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return logged(
      statement,
      this.use((connection) => connection.query<Row>(statement)),
    )
  }

  /** Several statements in one text, without parameters. */
  script(sql: string): Promise<void> {
    return this.use((connection) => connection.script(sql))
  }

  /** Runs `work` on its connection, and remembers a failure: a failed statement spoils the transaction. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = this.#connection ?? (await this.#begin())
    // Looked at after the wait: it may have ended meanwhile.
    this.#signal?.throwIfAborted()
    if (this.#state !== 'open') throw transactionEnded(this.#state === 'rolled back')
    try {
      return await work(connection)
    } catch (error) {
      if (spoils(error)) this.#failure ??= error
      throw this.#signal?.aborted ? this.#signal.reason : error
    }
  }

  /**
   * Returns once the database has confirmed. Nothing to do where no query was sent; rolls back after `rollbackOnly`.
   * @throws FwError `db.commit-failed`: nothing was kept; `db.commit-outcome-unknown`: the connection was lost meanwhile
   */
  async commit(): Promise<void> {
    if (this.#state !== 'open') throw transactionEnded(this.#state === 'rolled back')
    if (this.#rollbackOnly) return this.rollback()
    const connection = await this.#opening?.catch(() => undefined)
    if (!connection && this.#failure === undefined) return this.#committed()
    if (!connection || this.#failure !== undefined || connection.broken) {
      await this.rollback()
      throw commitFailed(this.#failure)
    }
    this.#state = 'lost'
    const command = await this.#sendCommit(connection)
    this.#release(connection)
    if (command === 'ROLLBACK') {
      this.#state = 'rolled back'
      throw commitFailed(undefined)
    }
    await this.#committed()
  }

  /** Does nothing where it has ended already. Never throws: what cannot be rolled back politely loses its connection. */
  async rollback(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'rolled back'
    this.#afterCommit = []
    const connection = await this.#opening?.catch(() => undefined)
    if (!connection) return
    const cut = setTimeout(() => connection.interrupt(), rollbackGrace)
    try {
      if (!connection.broken) await connection.rollback()
    } catch {
      connection.interrupt()
    } finally {
      clearTimeout(cut)
      this.#release(connection)
    }
  }

  /** The coming commit will roll back instead; the response stays as it is. */
  rollbackOnly(): void {
    this.#rollbackOnly = true
  }

  /** Runs after a successful COMMIT, in order of registration, outside the transaction; what it throws is logged. */
  afterCommit(work: () => unknown): void {
    if (this.#state !== 'open') throw transactionEnded(this.#state === 'rolled back')
    this.#afterCommit.push(work)
  }

  /**
   * Runs `work` inside a savepoint: what it throws undoes its own writes only. Two of one level run one after the other,
   * since savepoints cannot overlap.
   */
  nested<T>(work: () => Promise<T>): Promise<T> {
    const scope = currentScope()
    const turns = (scope?.transaction === this ? scope.turns : undefined) ?? this.#turns
    const turn = turns.last.then(() => this.#inSavepoint(work))
    turns.last = turn.catch(() => {})
    return turn
  }

  async #inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const savepoint = await this.savepoint()
    try {
      const result = await runInTransaction(this, work)
      await savepoint.release()
      return result
    } catch (error) {
      if (this.#state === 'open') await savepoint.undo()
      throw error
    }
  }

  /** A savepoint to be released or undone by hand; `nested` does so by itself. */
  async savepoint(): Promise<Savepoint> {
    const name = `fw_${++this.#savepoints}`
    const callbacks = this.#afterCommit.length
    await this.query(bare(`savepoint ${name}`))
    return {
      release: async () => {
        if (this.#failure !== undefined) throw commitFailed(this.#failure)
        await this.query(bare(`release savepoint ${name}`))
      },
      undo: async () => {
        this.#afterCommit.length = Math.min(this.#afterCommit.length, callbacks)
        await this.query(bare(`rollback to savepoint ${name}`))
        this.#failure = undefined
      },
    }
  }

  #begin(): Promise<Connection> {
    if (this.#signal?.aborted) return Promise.reject(this.#signal.reason as Error)
    if (this.#state !== 'open')
      return Promise.reject(transactionEnded(this.#state === 'rolled back'))
    return (this.#opening ??= this.#open().catch((error: unknown) => this.#fail(error)))
  }

  #fail(error: unknown): never {
    this.#failure ??= error
    throw error
  }

  async #open(): Promise<Connection> {
    const signal = (this.#signal = this.#life.signal)
    signal?.throwIfAborted()
    const connection = await this.database.pool.reserve()
    const { isolation, readOnly } = this.#mode
    try {
      signal?.throwIfAborted()
      const begun = connection.begin(this.#mode)
      // A plain BEGIN cannot be refused by a living connection: the first query travels with it.
      if (isolation || readOnly) await begun
      else begun.catch((error: unknown) => (this.#failure ??= error))
    } catch (error) {
      this.database.pool.release(connection)
      throw error
    }
    signal?.addEventListener('abort', this.#cutShort)
    this.#connection = connection
    return connection
  }

  /** Whoever is to end it may hang for ever: the connection is given back now. A COMMIT that was sent goes on. */
  readonly #cutShort = (): void => {
    if (this.#state !== 'open') return
    const connection = this.#connection
    if (connection && connection.inFlight > 0) connection.interrupt()
    void this.rollback()
  }

  #release(connection: Connection): void {
    this.#signal?.removeEventListener('abort', this.#cutShort)
    this.#connection = undefined
    this.database.pool.release(connection)
  }

  async #sendCommit(connection: Connection): Promise<string> {
    try {
      return await connection.commit()
    } catch (error) {
      this.#release(connection)
      if (connection.broken) throw outcomeUnknown(error)
      this.#state = 'rolled back'
      throw commitFailed(error)
    }
  }

  async #committed(): Promise<void> {
    this.#state = 'committed'
    for (const work of this.#afterCommit) {
      try {
        await outsideTransaction(work)
      } catch (error) {
        this.database.logger.error({ error }, 'a callback after commit failed; the commit stands')
      }
    }
  }
}

function bare(sql: string): Statement {
  return { sql, parameters: [] }
}
