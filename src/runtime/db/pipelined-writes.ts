/** `PipelinedWrites`: sends the writes of a transaction whose callers continue before the database has responded. */
import type { Connection, EncodedStatement, Statement, StatementResult } from './connection.ts'
import { InFlight } from './in-flight.ts'
import { encodeAll } from './values.ts'

/** The maximum number of writes in flight. The caller of the next write waits for its result, which limits the memory of a loop. */
const maxInFlight = 64

interface Write {
  readonly connection: Connection
  readonly statement: EncodedStatement
  /** Converts the error; returns `undefined` if another statement is the reason. */
  readonly explain: (error: unknown) => unknown
  readonly end: () => void
}

/** The result of a final statement, and the command tag of COMMIT. */
interface FinalAndCommit<Row> {
  readonly result: Promise<StatementResult<Row>>
  readonly committed: Promise<string>
}

export class PipelinedWrites {
  /** The error of the first write that failed; `undefined` if another statement had failed before it. */
  failure: unknown
  readonly #inFlight = new InFlight()
  /** The newest write. It waits for the next statement or COMMIT of this turn: a write and COMMIT with one Sync are answered in one packet. */
  #unsent: Write | undefined

  /** True if the caller of the next write must wait for its result. */
  get isFull(): boolean {
    return this.#inFlight.count >= maxInFlight
  }

  /** Sends the unsent write. Resolves when no write is in flight; returns undefined if none is. */
  flush(): Promise<void> | undefined {
    this.send()
    return this.#inFlight.ended
  }

  /** Adds a write, and returns the result for its caller, without rows. @throws FwError `db.parameter-invalid` */
  add<Row>(
    connection: Connection,
    statement: Statement,
    explain: (error: unknown) => unknown,
  ): StatementResult<Row> {
    const copy = copyParameters(statement)
    this.send()
    const write = { connection, statement: copy, explain, end: this.#inFlight.begin() }
    this.#unsent = write
    const sendUnsent = (): void => {
      if (this.#unsent === write) this.send()
    }
    // Wait no longer than this turn of the event loop: a write may read the time of the server.
    if (connection.queryAndCommit === undefined) sendUnsent()
    else setImmediate(sendUnsent)
    return { rows: [], count: 0, command: '' }
  }

  /** Sends the unsent write, then another statement of the transaction. */
  query<Row>(connection: Connection, statement: Statement): Promise<StatementResult<Row>> {
    this.send()
    return connection.query<Row>(statement)
  }

  /** Sends the unsent write. Call this before the transaction uses the connection by itself. */
  send(): void {
    const write = this.#take()
    if (write !== undefined) this.#watch(write, write.connection.query(write.statement))
  }

  /** Drops the unsent write, because the transaction is rolled back. */
  drop(): void {
    this.#take()?.end()
  }

  /** Sends the unsent write and COMMIT together. Returns the command tag of COMMIT. */
  commit(connection: Connection): Promise<string> {
    const write = this.#take()
    if (write === undefined || connection.queryAndCommit === undefined) return connection.commit()
    const { results, committed } = connection.queryAndCommit([write.statement])
    this.#watch(write, results[0]!)
    return committed
  }

  /**
   * Sends the unsent write, `final` and COMMIT together.
   * @throws FwError `db.parameter-invalid`; then nothing is sent
   */
  queryAndCommit<Row>(connection: Connection, final: Statement): FinalAndCommit<Row> {
    const encoded = encodeParameters(final)
    if (connection.queryAndCommit === undefined)
      return { result: connection.query<Row>(encoded), committed: connection.commit() }
    const write = this.#take()
    const statements = write === undefined ? [encoded] : [write.statement, encoded]
    const { results, committed } = connection.queryAndCommit(statements)
    if (write !== undefined) this.#watch(write, results[0]!)
    return { result: results.at(-1) as Promise<StatementResult<Row>>, committed }
  }

  #take(): Write | undefined {
    const write = this.#unsent
    this.#unsent = undefined
    return write
  }

  #watch({ explain, end }: Write, result: Promise<unknown>): void {
    const fail = (error: unknown): void => {
      this.failure ??= error
    }
    result
      .catch((error: unknown) => fail(explain(error)))
      .catch(fail)
      .finally(end)
  }

  /** Returns the error of the first write that failed, which is the reason of the given one; without it, the given error. */
  async reasonOf(error: unknown): Promise<unknown> {
    await this.flush()
    return this.failure ?? error
  }
}

/** Encodes the parameters, so that an invalid value throws before anything is sent. */
const encodeParameters = (statement: Statement): EncodedStatement => ({
  ...statement,
  parameters: encodeAll(statement.parameters),
  isEncoded: true,
})

/** Encodes the parameters and copies their bytes, because the caller may change its objects before the statement is sent. */
function copyParameters(statement: Statement): EncodedStatement {
  const encoded = encodeParameters(statement)
  const parameters = encoded.parameters.map((value) =>
    value instanceof Buffer ? Buffer.from(value) : value,
  )
  return { ...encoded, parameters }
}
