/** The one connection of an embedded PostgreSQL (PGlite), in a folder or in memory. */
import type { PGlite } from '@electric-sql/pglite'
import type { Connection, Statement, StatementResult, TransactionMode } from './connection.ts'
import { beginSql } from './connection.ts'
import { decoders } from './decode.ts'
import { bytesText, encode } from './encode.ts'
import { isConnectionLoss, queryError } from './query-error.ts'
import type { SlowReport } from './slow-report.ts'

/** `ended` runs once the engine is closed: it gives the folder free. */
export function pgliteConnection(pglite: PGlite, slow: SlowReport, ended: () => void): Connection {
  // The default parsers and serialisers depend on the process's time zone; ours do not.
  pglite.parsers = { ...decoders }
  pglite.serializers = {}
  return new PgliteConnection(pglite, slow, ended)
}

function parameter(value: unknown): string | null {
  const encoded = encode(value)
  return encoded instanceof Uint8Array ? bytesText(encoded) : encoded
}

class PgliteConnection implements Connection {
  readonly #pglite: PGlite
  readonly #slow: SlowReport
  readonly #ended: () => void
  #closed: Promise<void> | undefined
  broken = false
  inFlight = 0
  onRest: () => void = () => {}

  constructor(pglite: PGlite, slow: SlowReport, ended: () => void) {
    this.#pglite = pglite
    this.#slow = slow
    this.#ended = ended
  }

  get inTransaction(): boolean {
    return !this.#pglite.closed && this.#pglite.isInTransaction()
  }

  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    return this.#send<Row>(statement.sql, statement.parameters)
  }

  async script(sql: string): Promise<void> {
    await this.#track(sql, undefined, () => this.#pglite.exec(sql))
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
    return (this.#closed ??= (
      this.#pglite.closed ? Promise.resolve() : this.#pglite.close()
    ).finally(this.#ended))
  }

  async #send<Row>(sql: string, parameters: readonly unknown[]): Promise<StatementResult<Row>> {
    const values = parameters.map(parameter)
    const { rows, command, rowCount } = await this.#track(sql, values, () =>
      this.#pglite.query<Row>(sql, values),
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
