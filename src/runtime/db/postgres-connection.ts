/** `PostgresConnection`: a connection to a PostgreSQL server, with the driver pg and with pipelining. */
import type { Socket } from 'node:net'
import type pg from 'pg'
import { endClient } from './connect-server.ts'
import { currentRequest, outsideRequests } from '../base.ts'
import { beginSql, isEncoded } from './connection.ts'
import type {
  Connection,
  EncodedStatement,
  QueriesAndCommit,
  Statement,
  StatementResult,
  TransactionMode,
} from './connection.ts'
import { AppliedSettings, type LocalSettings } from './local-settings.ts'
import {
  pgInternals,
  sendCopy,
  type CancelOutcome,
  type QueryCallback,
  type PendingQuery,
} from './pg-internals.ts'
import { isOutdatedStatement, PreparedNames, type SchemaVersion } from './prepared-names.ts'
import {
  isConnectionLoss,
  isReadOnlyServer,
  isSchemaChange,
  refusesTransaction,
  schemaChangedError,
  toQueryError,
} from './query-error.ts'
import type { ServerAddress } from './server-address.ts'
import type { CompletePostgresSettings } from './settings.ts'
import { StatementBatch, type SlowStatements } from './statement-batch.ts'
import { slowQueryReporter, type SlowQueryReporter } from './statement-log.ts'
import { type Encoded, encodeAll } from './values.ts'

/** The settings of the server, and the state that the connections of a pool share. */
export type PostgresOptions = CompletePostgresSettings & {
  readonly address: ServerAddress
  readonly schema: SchemaVersion
  readonly slowStatements: SlowStatements
}

/** A statement as `#send` passes it to pg, with encoded values. */
interface PgStatement {
  readonly text: string
  /** What logs and errors show instead of the text, whose values may be personal data. */
  readonly label?: string
  readonly values?: readonly Encoded[]
  /** The rows of a `copy … from stdin`. */
  readonly rows?: string | undefined
  /** The beginning of the name under which the server caches the parsed statement. */
  readonly base?: string | undefined
  readonly asArrays?: boolean | undefined
  /** The key of a read in `SlowStatements`. */
  readonly readKey?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** True if the server answers together with COMMIT, so that only the time of both is known. */
  readonly isTimedWithCommit?: boolean
}

/** The milliseconds after the server's time limit of a statement at which the client closes the connection. */
const responseGrace = 2000
/** How often a named statement is sent at most if schema changes make the prepared statement outdated. */
const maxRuns = 4
/** The milliseconds until a cancelled statement must have ended: TCP resends a lost SYN after one second and after three. */
const cancelGrace = 5000
/**
 * The pause in milliseconds before a cancel request is repeated, which had no effect if it came before its statement. It
 * doubles after each request that ended no statement.
 */
const cancelPause = 50
/** The milliseconds after which a sent statement has surely reached the server. */
const cancelAgainAfter = 500
/** The maximum number of short reads in flight on a connection that others can join. */
const maxBatchSize = 8
const settingsLabel = 'set local …'
const withoutLimits =
  'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0'

/** One connection to a PostgreSQL server. */
export class PostgresConnection implements Connection {
  readonly #client: pg.Client
  readonly #internals = pgInternals()
  readonly #socket: Socket
  readonly #options: PostgresOptions
  readonly #names: PreparedNames
  readonly #reportSlow: SlowQueryReporter
  readonly #usualTimeout: number
  #timeout: number
  #timer: NodeJS.Timeout | undefined
  #error: Error | undefined
  #batch: StatementBatch | undefined
  /** Whether all statements in flight are short reads. */
  #hasShortReads = false
  #isReadOnly = false
  #isBegun = false
  readonly #applied = new AppliedSettings()
  /** True while `#send` must not count statements in `inFlight`. */
  #isUncounted = false
  #onResponse: (() => void) | undefined
  defaultIsolation: string | undefined
  /** The SQL that each transaction begins with behind a pooler, whose sessions have other settings. */
  serverSettings: string | undefined
  inFlight = 0
  statementTime = 0
  lastSent = performance.now()
  #lastResponse = 0
  /** The number of statements in flight whose signals are aborted. */
  #abandoned = 0
  onIdle: () => void = () => {}
  onReadOnly: () => void = () => {}
  onAbandoned: () => void = () => {}

  constructor(client: pg.Client, socket: Socket, options: PostgresOptions) {
    this.#client = client
    this.#socket = socket
    this.#options = options
    this.#names = new PreparedNames(options.schema)
    this.#reportSlow = slowQueryReporter(options.slowQueries)
    const { statementTimeout } = options
    this.#usualTimeout = statementTimeout > 0 ? statementTimeout + responseGrace : 0
    this.#timeout = this.#usualTimeout
    client.on('error', (error: Error) => this.#break(error))
    client.on('end', () => this.#break(new Error('the server ended the connection')))
  }

  get broken(): boolean {
    return this.#error !== undefined
  }

  get inTransaction(): boolean {
    const status = this.#client.getTransactionStatus()
    return status === 'T' || status === 'E'
  }

  query<Row>(statement: Statement, signal?: AbortSignal): Promise<StatementResult<Row>> {
    let sent: PgStatement
    try {
      sent = this.#encode(statement, signal)
    } catch (error) {
      if (error instanceof Error) return Promise.reject(error)
      throw error
    }
    const { readKey } = sent
    if (this.#isBegun) {
      const change = this.#applied.change(statement)
      if (change !== undefined) return this.#sendAfter<Row>(change, sent)
    } else {
      const own = statement.localSettings?.sql ?? ''
      if (own !== '' || this.serverSettings !== undefined) {
        const settings = [this.serverSettings, own].filter(Boolean).join('; ')
        return this.#sendWithSettings<Row>(settings, sent, own !== '')
      }
    }
    const hasShortReads = (this.inFlight === 0 || this.#hasShortReads) && this.#isShort(readKey)
    const result = this.#send<Row>(sent)
    this.#hasShortReads = hasShortReads
    return result
  }

  #encode(statement: Statement, signal?: AbortSignal): PgStatement {
    const { sql: text, parameters, name, asArrays } = statement
    const values = isEncoded(statement) ? statement.parameters : encodeAll(parameters)
    const base = this.#options.prepare ? name : undefined
    return { text, values, base, asArrays, readKey: readKeyOf(statement), signal }
  }

  queryAndCommit(statements: readonly EncodedStatement[]): QueriesAndCommit {
    if (statements.every((statement) => this.#applied.isApplied(statement)))
      return this.#sendWithCommit(statements.map((statement) => this.#encode(statement)))
    const results = statements.map((statement) => this.query(statement))
    return { results, committed: this.commit() }
  }

  #sendWithCommit(sent: readonly PgStatement[]): QueriesAndCommit {
    const queries: PendingQuery[] = []
    const results = sent.map((one) =>
      this.#track({ ...one, isTimedWithCommit: true }, (query) => queries.push(query)),
    )
    this.#resetTransaction()
    const label = [...sent.map(({ text }) => text), 'commit'].join('; ')
    const values = sent.flatMap((one) => one.values ?? [])
    const committed = this.#track({ text: 'commit', label, values }, ({ callback }) =>
      this.#internals.sendWithCommit(this.#client, queries, callback),
    )
    return { results, committed: committed.then(({ command }) => command) }
  }

  canJoin(statement: Statement): boolean {
    return (
      this.#hasShortReads &&
      this.inFlight < maxBatchSize &&
      this.#batch?.isSent === false &&
      this.#isShort(readKeyOf(statement)) &&
      (statement.localSettings?.sql ?? '') === ''
    )
  }

  #isShort(readKey: string | undefined): boolean {
    return readKey !== undefined && !this.#options.slowStatements.has(readKey)
  }

  /**
   * Sends BEGIN with the settings, the statement and COMMIT in one batch: the settings apply only to this statement. If
   * `mustApply` is false, a statement that refuses transactions runs without the settings.
   */
  async #sendWithSettings<Row>(
    settings: string,
    sent: PgStatement,
    mustApply: boolean,
    runs = maxRuns,
  ): Promise<StatementResult<Row>> {
    this.#isUncounted = true
    const begun = this.#send({ text: `begin; ${settings}`, label: `begin; ${settingsLabel}` })
    const running = this.#send<Row>({ ...sent, signal: undefined })
    this.#isUncounted = false
    const committed = this.#send({ text: 'commit', signal: sent.signal })
    const [result, ...others] = await Promise.allSettled([running, begun, committed])
    if (result.status === 'rejected') {
      // The settings were refused, so that the statement found an aborted transaction.
      if (others[0].status === 'rejected') throw others[0].reason
      const canRepeat = runs > 1 && isSchemaChange(result.reason) && !this.broken
      if (canRepeat) return this.#sendWithSettings(settings, sent, mustApply, runs - 1)
      if (mustApply || !refusesTransaction(result.reason)) throw result.reason
      return this.#send<Row>(sent)
    }
    for (const other of others) if (other.status === 'rejected') throw other.reason
    return result.value
  }

  /** Sends settings and then a statement of the open transaction. */
  async #sendAfter<Row>(settings: string, sent: PgStatement): Promise<StatementResult<Row>> {
    const changed = this.#send({ text: settings, label: settingsLabel })
    const [result, change] = await Promise.allSettled([this.#send<Row>(sent), changed])
    if (change.status === 'rejected') throw change.reason
    if (result.status === 'rejected') throw result.reason
    return result.value
  }

  async script(sql: string, rows?: string, localSettings?: LocalSettings): Promise<void> {
    const change = this.#applied.change({ sql, localSettings })
    this.#applied.forget()
    // Without parameters pg uses the simple protocol, which accepts several statements.
    const sent: PgStatement = { text: sql, rows }
    await (change === undefined ? this.#send(sent) : this.#sendAfter(change, sent))
  }

  async setUnlimited(): Promise<void> {
    this.#timeout = 0
    // Behind a pooler, set nothing: the setting would remain on a server connection that other clients use.
    if (this.#options.prepare) await this.#send({ text: 'set statement_timeout = 0' })
  }

  async begin(mode: TransactionMode): Promise<void> {
    const parts = [beginSql(mode), this.beginSettings(mode)]
    this.#timeout = mode.unlimited ? 0 : this.#usualTimeout
    this.#isReadOnly = mode.readOnly === true
    this.#isBegun = true
    this.#applied.clear()
    await this.#send({ text: parts.filter(Boolean).join('; ') })
  }

  beginSettings({ unlimited }: TransactionMode): string | undefined {
    const parts = [this.serverSettings, unlimited === true ? withoutLimits : undefined]
    return parts.filter(Boolean).join('; ') || undefined
  }

  async commit(): Promise<string> {
    this.#resetTransaction()
    return (await this.#send({ text: 'commit' })).command
  }

  async rollback(): Promise<void> {
    this.#resetTransaction()
    await this.#send({ text: 'rollback' })
  }

  /** Resets what applies to the transaction alone. Call it when COMMIT or ROLLBACK is sent. */
  #resetTransaction(): void {
    this.#timeout = this.#usualTimeout
    this.#isReadOnly = this.#isBegun = false
    this.#applied.clear()
  }

  async cancel(): Promise<void> {
    const end = performance.now() + cancelGrace
    let pause = cancelPause
    while (this.inFlight > 0 && !this.broken) {
      const { inFlight } = this
      const outcome = await this.#requestCancel()
      // Break the connection, because the cancel request may still arrive and would cancel a later statement.
      if (outcome === undefined || outcome === 'unknown') return this.interrupt()
      if (this.inFlight === inFlight)
        await this.#responseWithin(Math.min(pause, end - performance.now()))
      pause = this.inFlight < inFlight ? cancelPause : pause * 2
      if (this.inFlight > 0 && performance.now() > end) this.interrupt()
    }
  }

  /** Cancels the statements in flight and closes the connection, so that the cancel request cannot affect later statements. */
  interrupt(): void {
    if (this.inFlight > 0 && !this.broken) {
      void this.#requestCancel()
      // Repeat the request: the server may receive it before a statement that was just sent, and ignore it.
      if (performance.now() - this.lastSent < cancelAgainAfter)
        setTimeout(() => void this.#requestCancel(), cancelAgainAfter).unref()
    }
    this.destroy()
  }

  #requestCancel(): Promise<CancelOutcome> | undefined {
    return this.#internals.requestCancel(this.#client, this.#socket, cancelGrace)
  }

  /** Resolves when a statement in flight ends, or after the given milliseconds. */
  #responseWithin(milliseconds: number): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve()
    return new Promise((resolve) => {
      // Wait for one more event-loop turn: after a stall the timer fires before Node reads the response.
      const timer = setTimeout(() => setImmediate(resolve), milliseconds)
      this.#onResponse = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  destroy(): void {
    this.#break(new Error('this process closed the connection'))
    this.#socket.destroy()
  }

  async close(): Promise<void> {
    await endClient(this.#client, this.#socket)
  }

  #send<Row>(sent: PgStatement, runs = maxRuns): Promise<StatementResult<Row>> {
    const { rows } = sent
    const send = ({ parts, callback }: PendingQuery): void => {
      if (rows !== undefined) sendCopy(this.#client, parts.text, rows, callback)
      else this.#internals.sendQuery(this.#client, parts, callback)
    }
    return this.#track(sent, send, runs)
  }

  /**
   * Counts and times a statement, and returns its result. `send` gets the statement and the callback for the response, and must
   * send the statement in this turn, or collect it for `sendWithCommit`.
   */
  #track<Row>(
    sent: PgStatement,
    send: (query: PendingQuery) => void,
    runs = 1,
  ): Promise<StatementResult<Row>> {
    const { text, label = text, values, base, asArrays = false, readKey, signal } = sent
    const name = base === undefined ? undefined : this.#findName(base)
    const start = (this.lastSent = performance.now())
    const counted = this.#isUncounted ? 0 : 1
    this.inFlight += counted
    this.#restartTimer()
    this.#hasShortReads = false
    const isReadOnly = this.#isReadOnly
    const batch = this.#openBatch()
    const request = currentRequest()
    let isAbandoned = false
    const abandon = (): void => {
      isAbandoned = true
      this.#abandoned++
      this.#checkAbandoned()
    }
    // A repeated statement may be aborted already.
    if (signal?.aborted === true) abandon()
    else signal?.addEventListener('abort', abandon)
    return new Promise((resolve, reject) => {
      const callback: QueryCallback = (error, result) => {
        this.inFlight -= counted
        signal?.removeEventListener('abort', abandon)
        if (isAbandoned) this.#abandoned--
        if (this.inFlight > 0) this.#restartTimer()
        const now = performance.now()
        if (sent.isTimedWithCommit !== true) {
          this.#measure(now - Math.max(start, this.#lastResponse))
          this.#reportSlow(label, values, now - start, request)
        }
        if (batch !== undefined && readKey !== undefined)
          this.#options.slowStatements.record(readKey, batch.provenWait(this.#lastResponse, now))
        this.#lastResponse = now
        if (!error) resolve(toResult(result))
        else if (name !== undefined && isOutdatedStatement(error)) {
          this.#names.renew(base!, name, error)
          // Repeating is safe, because the server refuses an outdated prepared statement before running it.
          const canRepeat = runs > 1 && !this.inTransaction && !this.broken
          if (canRepeat) resolve(this.#send(sent, runs - 1))
          else reject(schemaChangedError(error, label))
        } else {
          if (isConnectionLoss(error)) this.#break(error)
          else if (isReadOnlyServer(error) && !isReadOnly) this.onReadOnly()
          reject(toQueryError(error, label))
        }
        this.#onResponse?.()
        if (this.inFlight === 0) this.onIdle()
        else this.#checkAbandoned()
      }
      send({ parts: { text, values, name, asArrays }, callback })
    })
  }

  #checkAbandoned(): void {
    if (this.#abandoned === this.inFlight) this.onAbandoned()
  }

  /** Updates the average duration. A pipelined statement is measured from the response to the previous statement. */
  #measure(millis: number): void {
    const { statementTime } = this
    this.statementTime = statementTime === 0 ? millis : statementTime + (millis - statementTime) / 8
  }

  #findName(base: string): string {
    if (this.#names.outdated) {
      this.#send({ text: 'deallocate all' }).catch(() => {})
      this.#internals.forgetColumns()
    }
    return this.#names.find(base)
  }

  /** Returns the batch in which the statements of this turn of the event loop are sent in one write. */
  #openBatch(): StatementBatch | undefined {
    if (this.#batch?.isSent === false) return this.#batch
    const stream = this.#internals.batchedStream(this.#client)
    return (this.#batch = stream && new StatementBatch(stream))
  }

  /** Restarts the timer, as each statement and each response does; it fires if the server stops responding. */
  #restartTimer(): void {
    if (this.#timeout === 0) return
    if (this.#timer) this.#timer.refresh()
    else this.#timer = outsideRequests(this.#startTimer)
  }

  readonly #startTimer = (): NodeJS.Timeout =>
    setTimeout(() => this.#onTimeout(), this.#timeout).unref()

  #onTimeout(): void {
    if (this.inFlight > 0 && this.#timeout > 0) this.destroy()
  }

  #break(error: Error): void {
    if (this.#error) return
    this.#error = error
    clearTimeout(this.#timer)
    this.#onResponse?.()
    this.onIdle()
  }
}

const readKeyOf = ({ isRead, name, sql }: Statement): string | undefined =>
  isRead === true ? (name ?? sql) : undefined

function toResult<Row>(result: pg.QueryResult | pg.QueryResult[]): StatementResult<Row> {
  const last = Array.isArray(result) ? result.at(-1)! : result
  return { rows: last.rows as Row[], count: last.rowCount ?? 0, command: last.command ?? '' }
}
