/** The connections of one database: single statements share them, a transaction reserves one. */
import { FwError, HttpError } from '../base.ts'
import type { Connection, Statement, StatementResult } from './connection.ts'
import { unavailableError } from './query-error.ts'

export interface PoolLimits {
  readonly size: number
  /** Milliseconds that a caller waits for a connection before `db.pool-exhausted`. */
  readonly acquireTimeout: number
  /** Maximum of waiting callers; a further one fails immediately. */
  readonly queueLimit: number
}

/** Numbers of open connections, of those in transactions, and of waiting callers. */
export interface PoolState {
  readonly open: number
  readonly reserved: number
  readonly waiting: number
}

interface Waiter {
  /** True for a reservation. */
  readonly exclusive: boolean
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const closeGrace = 5000

/**
 * First come, first served. A single statement uses an idle connection, else a new one, else the least busy shared one; a
 * transaction waits for an idle one.
 */
export class ConnectionPool {
  readonly #connect: () => Promise<Connection>
  readonly #limits: PoolLimits
  readonly #open = new Set<Connection>()
  /** Open connections that are not reserved. */
  readonly #shared: Connection[] = []
  readonly #waiting: Waiter[] = []
  #opening = 0
  #closing: Promise<void> | undefined
  #onEmpty: (() => void) | undefined
  readonly #ends: Promise<void>[] = []
  /** See `Connection.defaultIsolation`; absent before the first connection. */
  defaultIsolation: string | undefined

  constructor(connect: () => Promise<Connection>, limits: PoolLimits) {
    this.#connect = connect
    this.#limits = limits
  }

  get state(): PoolState {
    return {
      open: this.#open.size,
      reserved: this.#open.size - this.#shared.length,
      waiting: this.#waiting.length,
    }
  }

  /** An aborted signal cancels the statement, unless other statements share its connection. */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<StatementResult<Row>> {
    const connection = this.#waiting.length === 0 && !this.#closing && this.#findShareable()
    if (connection) return send(connection, statement, signal)
    return new Promise((resolve, reject) => {
      const onFree = (free: Connection): void => resolve(send<Row>(free, statement, signal))
      this.#wait(false, onFree, reject)
    })
  }

  /** A connection for the caller alone, until `release`. */
  reserve(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = this.#waiting.length === 0 && !this.#closing && this.#findIdle()
      if (connection) resolve(this.#take(connection))
      else this.#wait(true, resolve, reject)
    })
  }

  /** Rolls back a transaction that is still open before the connection is reused. */
  release(connection: Connection): void {
    if (connection.inTransaction && !connection.broken) {
      connection.rollback().then(
        () => this.#return(connection),
        () => this.#drop(connection),
      )
    } else this.#return(connection)
  }

  /** Adds a connection that is open already. */
  add(connection: Connection): void {
    this.#open.add(connection)
    this.defaultIsolation = connection.defaultIsolation
    connection.onIdle = () => this.#onIdle(connection)
    this.#return(connection)
  }

  /** Waits at most five seconds for running statements, then closes their connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    for (const waiter of this.#waiting.splice(0)) this.#reject(waiter, closedError())
    const emptied = new Promise<void>((resolve) => (this.#onEmpty = resolve))
    for (const connection of this.#shared.filter(({ inFlight }) => inFlight === 0))
      this.#end(connection)
    this.#checkEmpty()
    const timer = setTimeout(() => {
      for (const connection of this.#open) this.#drop(connection)
    }, closeGrace)
    await emptied
    clearTimeout(timer)
    await Promise.all(this.#ends)
  }

  #wait(exclusive: boolean, resolve: Waiter['resolve'], reject: Waiter['reject']): void {
    if (this.#closing) return reject(closedError())
    if (this.#waiting.length >= this.#limits.queueLimit) return reject(this.#exhaustedError())
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      reject(this.#exhaustedError())
    }, this.#limits.acquireTimeout)
    const waiter: Waiter = { exclusive, resolve, reject, timer }
    this.#waiting.push(waiter)
    this.#serve()
  }

  #exhaustedError(): HttpError {
    const { acquireTimeout, size } = this.#limits
    if (this.#open.size === 0)
      return unavailableError(new Error(`no connection within ${acquireTimeout} ms`))
    return new HttpError(
      503,
      'db.pool-exhausted',
      `No connection was free within ${acquireTimeout} ms: all ${size} are in transactions and ` +
        `${this.#waiting.length} callers wait. Shorten the transactions, or raise the pool size (db.default.poolSize).`,
    )
  }

  #findIdle(): Connection | undefined {
    for (let at = this.#shared.length - 1; at >= 0; at--) {
      const connection = this.#shared[at]!
      if (connection.inFlight === 0) return connection
    }
    return undefined
  }

  #findShareable(): Connection | undefined {
    const idle = this.#findIdle()
    if (idle || this.#open.size + this.#opening < this.#limits.size) return idle
    let leastBusy: Connection | undefined
    for (const connection of this.#shared)
      if (!leastBusy || connection.inFlight < leastBusy.inFlight) leastBusy = connection
    return leastBusy
  }

  #take(connection: Connection): Connection {
    this.#shared.splice(this.#shared.indexOf(connection), 1)
    return connection
  }

  #serve(): void {
    for (let waiter = this.#waiting[0]; waiter; waiter = this.#waiting[0]) {
      const connection = waiter.exclusive ? this.#findIdle() : this.#findShareable()
      if (!connection) break
      this.#waiting.shift()
      clearTimeout(waiter.timer)
      waiter.resolve(waiter.exclusive ? this.#take(connection) : connection)
    }
    while (
      this.#opening < this.#waiting.length &&
      this.#open.size + this.#opening < this.#limits.size
    )
      this.#grow()
  }

  #grow(): void {
    this.#opening++
    this.#connect().then(
      (connection) => {
        this.#opening--
        this.add(connection)
      },
      (error: unknown) => {
        this.#opening--
        const waiter = this.#waiting.shift()
        if (waiter) this.#reject(waiter, error instanceof FwError ? error : unavailableError(error))
        this.#serve()
        this.#checkEmpty()
      },
    )
  }

  #reject(waiter: Waiter, error: Error): void {
    clearTimeout(waiter.timer)
    waiter.reject(error)
  }

  #return(connection: Connection): void {
    if (!this.#open.has(connection)) return
    if (connection.broken) return this.#drop(connection)
    this.#shared.push(connection)
    if (connection.inFlight === 0) this.#onIdle(connection)
  }

  #onIdle(connection: Connection): void {
    if (!this.#shared.includes(connection)) return
    if (connection.broken) this.#drop(connection)
    // A single statement was a BEGIN: nothing would end its transaction.
    else if (connection.inTransaction) this.release(this.#take(connection))
    else if (this.#closing) this.#end(connection)
    else if (this.#waiting.length > 0) this.#serve()
  }

  #end(connection: Connection): void {
    this.#ends.push(connection.close().catch(() => connection.destroy()))
    this.#forget(connection)
  }

  #drop(connection: Connection): void {
    connection.destroy()
    this.#forget(connection)
    if (!this.#closing) this.#serve()
  }

  #forget(connection: Connection): void {
    if (this.#shared.includes(connection)) this.#take(connection)
    this.#open.delete(connection)
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    if (this.#open.size + this.#opening === 0) this.#onEmpty?.()
  }
}

function send<Row>(
  connection: Connection,
  statement: Statement,
  signal: AbortSignal | undefined,
): Promise<StatementResult<Row>> {
  if (signal?.aborted) return Promise.reject(signal.reason as Error)
  const result = connection.query<Row>(statement)
  if (signal === undefined) return result
  const cancel = (): void => {
    if (connection.inFlight === 1) connection.interrupt()
  }
  signal.addEventListener('abort', cancel)
  return result.finally(() => signal.removeEventListener('abort', cancel))
}

const closedError = (): FwError => new FwError('db.closed', 'The database has been closed.')
