/** A transaction, and the functions that run queries in it. */
import { addCallSite } from './call-site.ts'
import { changesRows, type Connection, type Statement, type StatementResult } from './connection.ts'
import { CommitCallbacks } from './commit-callbacks.ts'
import { controlStatement, withCurrentSettings } from './local-settings.ts'
import type { Caller, ConnectionPool } from './pool.ts'
import {
  abortedError,
  abortsTransaction,
  addFailure,
  commitFailedError,
  commitOutcomeUnknownError,
  isOutcomeUnknown,
  isSchemaChange,
  transactionEndedError,
} from './query-error.ts'
import { InFlight } from './in-flight.ts'
import { PipelinedWrites } from './pipelined-writes.ts'
import { beginAgain, rollBack } from './roll-back.ts'
import { resetSettings } from './session-settings.ts'
import { isEnclosed, runNested, type Savepoint, type Scope } from './transaction-scope.ts'
import type { SignalSource, TransactionHost, TransactionOptions } from './transaction-options.ts'
import { UnavailableError } from './unavailable-error.ts'

type State = 'open' | 'committing' | 'committed' | 'rolled back'

/**
 * A transaction. Its first query (with `beginsAtWrite`: the first that may write) sends BEGIN and reserves a connection until
 * the end. Pass it to `runInTransaction`, then call `commit` or `rollback`; `database.transaction` does all of this.
 */
export class Transaction implements Caller {
  /** True once it has had a connection: then the pool serves it before others. */
  hadConnection = false
  readonly database: TransactionHost
  readonly #mode: TransactionOptions
  readonly #signalSource: SignalSource
  #state: State = 'open'
  #opening: Promise<Connection> | undefined
  #connection: Connection | undefined
  /** The pool of the replica on which the transaction runs; undefined on the primary. */
  #replica: ConnectionPool | undefined
  #signal: AbortSignal | undefined
  /** The first error since the last savepoint. After an error PostgreSQL answers COMMIT with a rollback. */
  #failure: unknown
  #rollbackOnly = false
  #hasWritten = false
  /** The number of statements since BEGIN. */
  #statements = 0
  /** The number of reads in flight on shared connections. */
  #reads: InFlight | undefined
  #rollingBack: Promise<void> | undefined
  #knownPipelined: PipelinedWrites | undefined
  #afterCommit: CommitCallbacks | undefined
  #savepoints = 0
  #savepointsInUse: InFlight | undefined
  #queue: Pick<Scope, 'last'> | undefined
  /** The COMMIT that was sent with the final statement. */
  #committing: Promise<void> | undefined
  /** True once only the session of the request remains to be saved: COMMIT is then sent with its final statement. */
  isEnding = false

  constructor(
    database: TransactionHost,
    options: TransactionOptions = {},
    signalSource: SignalSource = options,
  ) {
    this.database = database
    this.#mode = options
    this.#signalSource = signalSource
  }

  /** Created at the first use: most transactions only read, and each open stream keeps its transaction in memory. */
  get #pipelined(): PipelinedWrites {
    return (this.#knownPipelined ??= new PipelinedWrites())
  }

  /** True until the commit or rollback. */
  get active(): boolean {
    return this.#state === 'open'
  }

  /** True if the calling code runs in this transaction, or outside it in a call of `outsideTransaction`. */
  get encloses(): boolean {
    return isEnclosed(this)
  }

  /** True after the first query that requires BEGIN; until then there is nothing to commit. */
  get begun(): boolean {
    return this.#opening !== undefined
  }

  /** True for a read-only transaction: the database refuses its writes. */
  get isReadOnly(): boolean {
    return this.#mode.readOnly === true
  }

  /** True above `read committed`: its statements do not see what others commit after the first of them. */
  get hasSnapshot(): boolean {
    return (this.#mode.isolation ?? this.database.pool.defaultIsolation) !== 'read committed'
  }

  /** True after a statement that changes rows. */
  get hasWritten(): boolean {
    return this.#hasWritten
  }

  /** True if the transaction has begun on a replica. */
  get usesReplica(): boolean {
    return this.#replica !== undefined
  }

  /** True after a successful commit, also of a transaction that sent nothing. */
  get committed(): boolean {
    return this.#state === 'committed'
  }

  /** Whether the connection is in a transaction: false before BEGIN, and after a script that contained COMMIT or ROLLBACK. */
  get inTransaction(): boolean {
    return this.#connection?.inTransaction === true
  }

  /** Runs a statement with the local settings of the async context. @throws FwError `db.transaction-ended` after the end */
  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return this.#canRunOutside(statement) ? this.#runOutside(statement) : this.#runInside(statement)
  }

  async #runInside<Row>(given: Statement): Promise<StatementResult<Row>> {
    const statement = withCurrentSettings(given)
    const connection = this.#connection ?? (await this.#begin(statement.sql))
    this.#checkOpen()
    const isFirst = this.#statements++ === 0
    const { isFinal, explainLate } = statement
    try {
      if (explainLate !== undefined && !isFirst && this.#canPipeline())
        return this.#pipeline<Row>(connection, statement, explainLate)
      const isLast = isFinal === true && !isFirst && this.#canCommit(connection)
      const result = await (isLast
        ? this.#runAndCommit<Row>(connection, statement)
        : this.#pipelined.query<Row>(connection, statement))
      if (changesRows(result)) this.#hasWritten = true
      return result
    } catch (error) {
      if (isFirst && isSchemaChange(error) && this.#canBeginAgain(connection))
        return this.#beginAgain<Row>(connection, statement)
      // The server may have run both the statement and COMMIT.
      if (connection.broken) await this.#committing
      throw await this.#pipelined.reasonOf(this.#failed(error))
    }
  }

  /** Whether the caller may continue before the result of a write. `suspend` and savepoints must have all failures before them. */
  #canPipeline(): boolean {
    if (this.isReadOnly || this.#failure !== undefined) return false
    return !this.#savepointsInUse?.count && !this.#pipelined.isFull
  }

  #pipeline<Row>(
    connection: Connection,
    statement: Statement,
    explainLate: (error: unknown) => unknown,
  ): StatementResult<Row> {
    const result = this.#pipelined.add<Row>(connection, statement, (error) => {
      const isCause = this.#failure === undefined
      this.#failure ??= error
      return isCause ? explainLate(this.#failed(error)) : undefined
    })
    this.#hasWritten = true
    return result
  }

  /** Whether COMMIT can be sent with the final statement: then only a failed statement prevents the commit. */
  #canCommit({ broken }: Connection): boolean {
    if (!this.isEnding || this.#rollbackOnly || this.#failure !== undefined || broken) return false
    return !this.#savepointsInUse?.count && this.#mode.beginsAtWrite === true
  }

  #runAndCommit<Row>(connection: Connection, final: Statement): Promise<StatementResult<Row>> {
    const { result, committed } = this.#pipelined.queryAndCommit<Row>(connection, final)
    this.#state = 'committing'
    this.#committing = this.#confirmCommit(connection, committed)
    // `commit` reports a failure; that of the statement is reported by itself.
    this.#committing.catch(() => {})
    return result
  }

  #canBeginAgain({ broken }: Connection): boolean {
    return this.#statements === 1 && this.#state === 'open' && !broken && !this.#signal?.aborted
  }

  async #beginAgain<Row>(connection: Connection, statement: Statement) {
    try {
      const result = await beginAgain<Row>(connection, this.#mode, statement)
      if (changesRows(result)) this.#hasWritten = true
      return result
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** Runs a text of several statements, which cannot have parameters; or one `copy … from stdin` with its rows. */
  script(sql: string, rows?: string): Promise<void> {
    return this.#script({ sql, parameters: [] }, rows)
  }

  async #script(given: Statement, rows?: string): Promise<void> {
    const { sql, localSettings } = withCurrentSettings(given)
    const connection = this.#connection ?? (await this.#begin(sql))
    this.#checkOpen()
    this.#statements++
    this.#pipelined.send()
    try {
      await connection.script(sql, rows, localSettings)
    } catch (error) {
      throw await this.#pipelined.reasonOf(this.#failed(error))
    }
  }

  /** Undoes settings, temporary tables and advisory locks of a script, and sets again what BEGIN has set. */
  async resetSettings(): Promise<void> {
    await this.#script(controlStatement(resetSettings(this.database.engine)))
    await this.#setBeginSettings()
  }

  async #setBeginSettings(): Promise<void> {
    const settings = this.#connection?.beginSettings?.(this.#mode)
    if (settings !== undefined) await this.#script(controlStatement(settings))
  }

  /** Whether BEGIN can be delayed until the first write. */
  #canWait(): boolean {
    const { beginsAtWrite, isolation, readOnly, unlimited } = this.#mode
    if (beginsAtWrite !== true || this.begun || readOnly || unlimited) return false
    return (isolation ?? this.database.pool.defaultIsolation) === 'read committed'
  }

  #canRunOutside({ isRead, isLastWrite }: Statement): boolean {
    // A single statement has the default level of the server.
    if (this.database.pool.defaultIsolation !== 'read committed' || !this.#canWait()) return false
    return isRead === true || (isLastWrite === true && !this.#reads?.count && !this.#rollbackOnly)
  }

  async #runOutside<Row>(given: Statement): Promise<StatementResult<Row>> {
    const statement = withCurrentSettings(given)
    const signal = (this.#signal ??= this.#signalSource.signal)
    this.#checkUsable(statement.sql)
    const end = (this.#reads ??= new InFlight()).begin()
    try {
      const result = await this.database.pool.query<Row>(statement, signal, this)
      if (changesRows(result)) this.#hasWritten = true
      signal?.throwIfAborted()
      return result
    } catch (error) {
      throw this.#failed(error)
    } finally {
      end()
    }
  }

  /** Throws if an earlier read has failed before BEGIN, because after BEGIN that failure would have aborted the transaction. */
  #checkUsable(sql: string): void {
    this.#checkOpen()
    if (this.#failure !== undefined) throw abortedError(this.#failure, sql)
  }

  /** Throws if the transaction has ended, possibly while the caller waited for a connection. */
  #checkOpen(): void {
    this.#signal?.throwIfAborted()
    if (this.#state !== 'open') throw transactionEndedError(this.#state)
  }

  /** Stores the failure of a statement, and returns the error for the caller to throw. */
  #failed(error: unknown): unknown {
    if (abortsTransaction(error)) this.#failure ??= error
    addFailure(error, this.#failure)
    if (this.#replica !== undefined && error instanceof UnavailableError)
      this.#mode.replicas?.fail(this.#replica, error)
    return this.#signal?.aborted ? this.#signal.reason : addCallSite(error)
  }

  /** Ends a transaction that has nothing to commit, roll back or report. Returns false if the caller must call `commit`. */
  commitUnused(): boolean {
    const hasWork = this.begun || this.#reads?.count || this.#afterCommit?.count
    const hasFailed = this.#failure !== undefined || this.#signal?.aborted === true
    const isUnused = this.active && !hasWork && !hasFailed
    if (isUnused) this.#state = this.#rollbackOnly ? 'rolled back' : 'committed'
    return isUnused
  }

  /**
   * Commits, and resolves when the database has confirmed. Sends nothing if BEGIN was not sent; after `rollbackOnly`, rolls back.
   * @throws FwError `db.commit-failed` if all was rolled back; `db.commit-outcome-unknown` if the connection or the server
   * failed during COMMIT; the error of a write with `explainLate`
   */
  async commit(): Promise<void> {
    if (this.#committing !== undefined) return this.#committing.then(() => this.#committed())
    if (this.#reads?.ended !== undefined) await this.#reads.ended
    const connection = await this.#opening?.catch(() => undefined)
    // Before BEGIN no listener reacts to the signal, so check it now.
    if (this.#signal?.aborted) await this.rollback()
    if (this.#state !== 'open') throw transactionEndedError(this.#state)
    if (this.#rollbackOnly) return this.rollback()
    if (!connection && this.#failure === undefined) return this.#committed()
    if (!connection || this.#failure !== undefined || connection.broken) {
      // On a lost connection, the unsent write fails with the reason.
      this.#pipelined.send()
      await this.rollback()
      throw await this.#pipelined.reasonOf(commitFailedError(this.#failure))
    }
    this.#state = 'committing'
    await this.#confirmCommit(connection, this.#pipelined.commit(connection))
    await this.#committed()
  }

  /** Rolls back; does nothing after the end. Never throws: if ROLLBACK fails, the connection is closed. */
  async rollback(): Promise<void> {
    if (this.#state === 'open') {
      this.#state = 'rolled back'
      this.#knownPipelined?.drop()
      this.#afterCommit?.clear()
      if (this.#opening !== undefined) this.#rollingBack = this.#rollBack(this.#opening)
    }
    await this.#rollingBack
    // The final statement has failed, so that the server answers its COMMIT with a rollback.
    await this.#committing?.catch(() => {})
  }

  async #rollBack(opening: Promise<Connection>): Promise<void> {
    const connection = await opening.catch(() => undefined)
    if (!connection) return
    await rollBack(connection, this.#signal?.aborted === true)
    await this.#release(connection)
  }

  /**
   * Ends a read-only transaction on the server, so that work outside it gets the only connection, such as the write of a session.
   * The next statement begins another one, which sees what has been committed meanwhile.
   */
  suspend(): void {
    const connection = this.#connection
    if (connection === undefined || this.#failure !== undefined) return
    if (!this.isReadOnly || !this.active || this.#mode.unlimited === true) return
    if (this.#savepointsInUse?.count) return
    this.#opening = undefined
    this.#statements = 0
    const pool = this.#pool
    const release = (): void => pool.release(connection)
    this.#forget()
    connection.commit().then(release, release)
  }

  /** Makes a later `commit` roll back without an error. */
  rollbackOnly(): void {
    this.#rollbackOnly = true
  }

  /** Runs `work` after the COMMIT, in order, outside the transaction; errors are logged. A failed savepoint drops its own work. */
  afterCommit(work: () => unknown): void {
    if (this.#state !== 'open') throw transactionEndedError(this.#state)
    ;(this.#afterCommit ??= new CommitCallbacks()).add(work)
  }

  /** Runs `work` in a savepoint: an error undoes only the writes of `work`. Calls of one nesting level run one by one. */
  nested<T>(work: () => Promise<T>): Promise<T> {
    return runNested(this, (this.#queue ??= {}), work)
  }

  /**
   * Sets a savepoint, which the caller must release or undo; `nested` does so automatically. Before BEGIN no savepoint is
   * needed: `undo` then rolls the whole transaction back and begins it again. `undo` drops the callbacks of `scope`; without a
   * scope, all callbacks that were registered after the savepoint.
   */
  async savepoint(scope?: Scope): Promise<Savepoint> {
    const isStart = this.#canWait()
    const name = `fw_${++this.#savepoints}`
    const callbacks = this.#afterCommit?.count ?? 0
    const run = (sql: string) => this.query(controlStatement(sql))
    // A failed release is followed by `undo`.
    const close = (this.#savepointsInUse ??= new InFlight()).begin()
    try {
      await this.#pipelined.flush()
      if (isStart) this.#checkUsable('savepoint')
      else await run(`savepoint ${name}`)
    } catch (error) {
      close()
      throw error
    }
    return {
      release: async () => {
        close()
        if (this.#failure !== undefined) throw commitFailedError(this.#failure)
        if (!isStart) await run(`release savepoint ${name}`)
      },
      undo: async () => {
        close()
        this.#afterCommit?.drop(scope, callbacks)
        if (this.#reads?.ended !== undefined) await this.#reads.ended
        if (!isStart) await run(`rollback to savepoint ${name}`)
        else if (this.begun) {
          await run('rollback and chain')
          await this.#setBeginSettings()
        }
        // A pipelined write was sent before the savepoint, so this rollback does not undo its failure.
        this.#failure = this.#pipelined.failure
      },
    }
  }

  #begin(sql: string): Promise<Connection> {
    if (this.#opening !== undefined) return this.#opening
    try {
      this.#signal ??= this.#signalSource.signal
      this.#checkUsable(sql)
    } catch (error) {
      this.#failure ??= error
      return Promise.resolve().then(() => {
        throw error
      })
    }
    const opening = this.#open(sql).catch((error: unknown) => {
      this.#failure ??= error
      throw error
    })
    this.#opening = opening
    // Set by the first reaction of the promise, immediately before those of the statements that wait for it: a later statement
    // then cannot be sent between them.
    opening.then((connection) => (this.#connection = connection)).catch(() => {})
    return opening
  }

  async #open(sql: string): Promise<Connection> {
    const signal = this.#signal
    if (this.#reads?.ended !== undefined) await this.#reads.ended
    if (this.#failure !== undefined) {
      this.#opening = undefined
      throw abortedError(this.#failure, sql)
    }
    const connection = await this.#reserve()
    const { isolation = 'read committed', readOnly } = this.#mode
    try {
      signal?.throwIfAborted()
      const begun = connection.begin(this.#mode)
      // Do not await BEGIN in `read committed`: it fails only if the connection fails, so the first query can be sent at once.
      // That of a shared embedded database also fails if another process has the only connection.
      if (isolation !== 'read committed' || readOnly || this.database.engine === 'pglite')
        await begun
      else begun.catch((error: unknown) => (this.#failure ??= error))
    } catch (error) {
      this.#pool.release(connection)
      throw error
    }
    signal?.addEventListener('abort', this.#abort)
    return connection
  }

  /** Rolls back at an abort; a sent COMMIT continues. A field: V8 frees a closure of BEGIN only in a major collection. */
  readonly #abort = (): void => void this.rollback()

  /** Returns a promise only for `unlimited`, whose connection is reset or closed first. */
  #release(connection: Connection): Promise<void> | undefined {
    this.#forget()
    if (this.#mode.unlimited) return this.#pool.discard(connection)
    this.#pool.release(connection)
    return undefined
  }

  #forget(): void {
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#connection = undefined
  }

  get #pool(): ConnectionPool {
    return this.#replica ?? this.database.pool
  }

  async #reserve(): Promise<Connection> {
    const lease = await this.#mode.replicas?.reserve(this)
    this.#replica = lease?.pool
    return lease?.connection ?? this.database.pool.reserve(this)
  }

  async #confirmCommit(connection: Connection, committed: Promise<string>): Promise<void> {
    let failure: unknown
    try {
      if ((await committed) !== 'ROLLBACK') return
    } catch (error) {
      if (connection.broken || isOutcomeUnknown(error)) throw commitOutcomeUnknownError(error)
      failure = error
    } finally {
      const discarded = this.#release(connection)
      if (discarded !== undefined) await discarded
    }
    this.#state = 'rolled back'
    throw await this.#pipelined.reasonOf(commitFailedError(failure))
  }

  async #committed(): Promise<void> {
    this.#state = 'committed'
    await this.#afterCommit?.run(this.database.logger)
  }
}
