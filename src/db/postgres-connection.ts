/** One connection to a PostgreSQL server, through pg with pipelining. */
import pg from 'pg'
import type { ConnectionOptions } from 'node:tls'
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'
import { beginSql } from './connection.ts'
import { decoderOf } from './decode.ts'
import { encode, type Encoded } from './encode.ts'
import { isConnectionLoss, queryError, unavailable } from './query-error.ts'
import type { SlowReport } from './slow-report.ts'

export interface PostgresOptions {
  readonly url: string
  /** Absent: as the URL's `sslmode` says. */
  readonly tls: ConnectionOptions | boolean | undefined
  readonly connectTimeout: number
  /** Milliseconds; 0 is no limit. */
  readonly statementTimeout: number
  readonly applicationName: string
  /** False behind a pooler that gives each transaction another server connection. */
  readonly prepare: boolean
  readonly slow: SlowReport
}

/** What the client waits beyond the server's own limit before it gives the connection up. */
const answerGrace = 2000
/** After so many milliseconds a statement that was sent has arrived. */
const cancelAgain = 500
/** Values must look the same whatever the server's settings say. */
const session =
  '-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1 -c bytea_output=hex'

/** @throws HttpError 503 `db.unavailable` */
export async function connectPostgres(options: PostgresOptions): Promise<Connection> {
  const client = new pg.Client({
    connectionString: options.url,
    ...(options.tls === undefined ? {} : { ssl: options.tls }),
    ...(options.statementTimeout > 0 ? { statement_timeout: options.statementTimeout } : {}),
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeout,
    options: session,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: decoderOf },
  })
  const connection = new PostgresConnection(client, options)
  try {
    await client.connect()
  } catch (error) {
    connection.destroy()
    throw unavailable(error)
  }
  return connection
}

class PostgresConnection implements Connection {
  readonly #client: pg.Client
  readonly #options: PostgresOptions
  readonly #usualPatience: number
  #patience: number
  #watch: NodeJS.Timeout | undefined
  #broken: Error | undefined
  #gathering = false
  #lastSent = 0
  inFlight = 0
  onRest: () => void = () => {}

  constructor(client: pg.Client, options: PostgresOptions) {
    this.#client = client
    this.#options = options
    this.#usualPatience = options.statementTimeout > 0 ? options.statementTimeout + answerGrace : 0
    this.#patience = this.#usualPatience
    client.on('error', (error: Error) => this.#break(error))
    client.on('end', () => this.#break(new Error('the server ended the connection')))
  }

  get broken(): boolean {
    return this.#broken !== undefined
  }

  get inTransaction(): boolean {
    const status = this.#client.getTransactionStatus()
    return status === 'T' || status === 'E'
  }

  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    const { sql, parameters, name } = statement
    const values: Encoded[] = []
    try {
      for (let i = 0; i < parameters.length; i++) values.push(encode(parameters[i]))
    } catch (error) {
      if (error instanceof Error) return Promise.reject(error)
      throw error
    }
    return this.#send<Row>(sql, values, this.#options.prepare ? name : undefined)
  }

  async script(sql: string): Promise<void> {
    // Without parameters pg speaks the simple protocol, which takes several statements.
    await this.#send(sql)
  }

  async begin(mode: TransactionMode): Promise<void> {
    const begin = mode.unlimited
      ? `${beginSql(mode)}; set local statement_timeout = 0`
      : beginSql(mode)
    this.#patience = mode.unlimited ? 0 : this.#usualPatience
    await this.#send(begin)
  }

  async commit(): Promise<string> {
    this.#patience = this.#usualPatience
    const { command } = await this.#send('commit')
    return command
  }

  async rollback(): Promise<void> {
    this.#patience = this.#usualPatience
    await this.#send('rollback')
  }

  interrupt(): void {
    if (this.inFlight > 0 && !this.broken) {
      this.#cancel()
      // A statement sent just now may reach the server after its cancellation, and would then run to its end.
      if (performance.now() - this.#lastSent < cancelAgain)
        setTimeout(() => this.#cancel(), cancelAgain).unref()
    }
    this.destroy()
  }

  destroy(): void {
    this.#break(new Error('the connection was given up'))
    this.#client.connection.stream.destroy()
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  #send<Row>(text: string, values?: Encoded[], name?: string): Promise<StatementResult<Row>> {
    const started = (this.#lastSent = performance.now())
    this.inFlight++
    this.#watchOver()
    if (!this.#gathering) this.#gather()
    return new Promise((resolve, reject) => {
      const answered = (error: Error | null, result: Answer): void => {
        if (--this.inFlight > 0) this.#watchOver()
        this.#options.slow(text, values, performance.now() - started)
        if (error) {
          if (isConnectionLoss(error)) this.#break(error)
          reject(queryError(error, text))
        } else resolve(answer(result))
        if (this.inFlight === 0) this.onRest()
      }
      // A query made by hand, with a callback: pg copies a configuration slowly, and captures a stack for each promise.
      const query = new Query(text, values, answered)
      if (name !== undefined) query.name = name
      this.#client.query(query)
    })
  }

  /** What is sent while the loop turns once leaves in one write: a write costs more than a statement. */
  #gather(): void {
    this.#gathering = true
    this.#client.connection.stream.cork()
    setImmediate(this.#flush)
  }

  readonly #flush = (): void => {
    this.#gathering = false
    this.#client.connection.stream.uncork()
  }

  /** One timer a connection, moved on by each statement and each answer: a living server answers within its own limit. */
  #watchOver(): void {
    if (this.#patience === 0) return
    if (this.#watch) this.#watch.refresh()
    else this.#watch = setTimeout(() => this.#giveUp(), this.#patience).unref()
  }

  #giveUp(): void {
    if (this.inFlight > 0 && this.#patience > 0) this.destroy()
  }

  /** A cancel request travels on a connection of its own; this one is never used again, so it can hit no other's statement. */
  #cancel(): void {
    const { processID, secretKey } = this.#client as unknown as {
      processID: number
      secretKey: number
    }
    const courier = new pg.Client({ connectionString: this.#options.url }) as unknown as Courier
    courier.connection.on('error', () => {})
    courier.connection.on('connect', () => courier.connection.cancel(processID, secretKey))
    if (courier.host.startsWith('/'))
      courier.connection.connect(`${courier.host}/.s.PGSQL.${courier.port}`)
    else courier.connection.connect(courier.port, courier.host)
  }

  #break(error: Error): void {
    if (this.#broken) return
    this.#broken = error
    clearTimeout(this.#watch)
    this.onRest()
  }
}

interface Courier {
  readonly host: string
  readonly port: number
  readonly connection: {
    on(event: 'connect' | 'error', listener: () => void): void
    connect(portOrPath: number | string, host?: string): void
    cancel(processId: number, secretKey: number): void
  }
}

type Answer = pg.QueryResult | pg.QueryResult[]

/** The types know neither the callback nor the name. */
const Query = pg.Query as unknown as new (
  text: string,
  values: Encoded[] | undefined,
  callback: (error: Error | null, result: Answer) => void,
) => pg.Submittable & { name?: string }

function answer<Row>(result: Answer): StatementResult<Row> {
  const last = Array.isArray(result) ? result.at(-1)! : result
  return { rows: last.rows as Row[], count: last.rowCount ?? 0, command: last.command ?? '' }
}
