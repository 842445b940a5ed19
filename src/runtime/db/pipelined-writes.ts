/** `PipelinedWrites`: the writes of a transaction whose results its caller did not wait for. */
import type { Connection, Statement, StatementResult } from './connection.ts'
import { InFlight } from './in-flight.ts'

/** The most writes in flight. The next one is waited for, because a loop without back-pressure would fill the memory. */
const maxInFlight = 64

interface Write {
  readonly connection: Connection
  readonly statement: Statement
  /** Converts the error; returns `undefined` if another statement is the reason. */
  readonly explain: (error: unknown) => unknown
  readonly end: () => void
}

interface FinalAndCommit<Row> {
  readonly result: Promise<StatementResult<Row>> | undefined
  readonly committed: Promise<string>
}

export class PipelinedWrites {
  /** The error of the first write that failed, if no other statement has failed before it. */
  failure: unknown
  readonly #inFlight = new InFlight()
  /** The last write, which waits for the next statement or COMMIT: the server answers it and COMMIT in one packet. */
  #unsent: Write | undefined

  get isFull(): boolean {
    return this.#inFlight.count >= maxInFlight
  }

  /** Sends a write that was not sent. Resolves when no write is in flight; returns undefined if none is. */
  flush(): Promise<void> | undefined {
    this.send()
    return this.#inFlight.ended
  }

  /** Adds a write, and returns the result for its caller, without rows. */
  add<Row>(
    connection: Connection,
    statement: Statement,
    explain: (error: unknown) => unknown,
  ): StatementResult<Row> {
    this.send()
    this.#unsent = { connection, statement, explain, end: this.#inFlight.begin() }
    if (connection.queryAndCommit === undefined) this.send()
    return { rows: [], count: 0, command: '' }
  }

  /** Runs another statement of the transaction, behind a write that was not sent. */
  query<Row>(connection: Connection, statement: Statement): Promise<StatementResult<Row>> {
    this.send()
    return connection.query<Row>(statement)
  }

  /** Sends a write that was not sent. Call this before the transaction uses the connection in another way. */
  send(): void {
    const write = this.#take()
    if (write !== undefined) this.#watch(write, write.connection.query(write.statement))
  }

  /** Forgets a write that was not sent, for a rollback. */
  drop(): void {
    this.#take()?.end()
  }

  /** Sends COMMIT, together with a write that was not sent and with `final`. Returns the result of `final` and the command tag. */
  commit<Row>(connection: Connection, final?: Statement): FinalAndCommit<Row> {
    const write = this.#take()
    if (connection.queryAndCommit === undefined || (write ?? final) === undefined)
      return { result: final && connection.query<Row>(final), committed: connection.commit() }
    const statements = [write?.statement, final].filter((one) => one !== undefined)
    const { results, committed } = connection.queryAndCommit(statements)
    if (write !== undefined) this.#watch(write, results[0]!)
    const result = final && (results.at(-1) as Promise<StatementResult<Row>>)
    return { result, committed }
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
