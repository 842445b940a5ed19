/** The one connection of an embedded PostgreSQL (PGlite), in a folder or in memory. */
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'
import { beginSql } from './connection.ts'
import type { EmbeddedEngine } from './embedded-engine.ts'
import { bytesText, encode } from './encode.ts'
import { isConnectionLoss, queryError } from './query-error.ts'
import type { SlowReport } from './slow-report.ts'

/** `end` closes the engine: it runs once, when the connection ends. */
export const pgliteConnection = (
  engine: EmbeddedEngine,
  slow: SlowReport,
  end: () => Promise<void>,
): Connection => new PgliteConnection(engine, slow, end)

function parameter(value: unknown): string | null {
  const encoded = encode(value)
  return encoded instanceof Uint8Array ? bytesText(encoded) : encoded
}

class PgliteConnection implements Connection {
  readonly #engine: EmbeddedEngine
  readonly #slow: SlowReport
  readonly #end: () => Promise<void>
  #closed: Promise<void> | undefined
  broken = false
  inFlight = 0
  onRest: () => void = () => {}

  constructor(engine: EmbeddedEngine, slow: SlowReport, end: () => Promise<void>) {
    this.#engine = engine
    this.#slow = slow
    this.#end = end
  }

  get inTransaction(): boolean {
    return !this.#engine.closed && this.#engine.isInTransaction()
  }

  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return this.#send<Row>(statement.sql, statement.parameters)
  }

  async script(sql: string): Promise<void> {
    await this.#track(sql, undefined, () => this.#engine.exec(sql))
  }

  async begin(mode: TransactionMode): Promise<void> {
    await this.#send(beginSql(mode), [])
  }

  async commit(): Promise<string> {
    return (await this.#send('commit', [])).command
  }

  async rollback(): Promise<void> {
    await this.#send('rollback', [])
  }

  interrupt(): void {}

  /** A statement inside the engine cannot be stopped; the engine goes when it is done. */
  destroy(): void {
    this.broken = true
    void this.close().catch(() => {})
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #send<Row>(sql: string, parameters: readonly unknown[]): Promise<StatementResult<Row>> {
    const values = parameters.map(parameter)
    const { rows, command, rowCount } = await this.#track(sql, values, () =>
      this.#engine.query<Row>(sql, values),
    )
    return { rows, count: rowCount ?? 0, command: command ?? '' }
  }

  async #track<T>(
    text: string,
    values: readonly unknown[] | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const started = performance.now()
    this.inFlight++
    try {
      return await work()
    } catch (error) {
      if (isConnectionLoss(error)) this.broken = true
      throw queryError(error, text)
    } finally {
      this.#slow(text, values, performance.now() - started)
      if (--this.inFlight === 0) this.onRest()
    }
  }
}
