/** The connections of one database: single statements share them, a transaction has one for itself. */
import { FwError, HttpError } from '../base.ts'
import type { Connection, Statement, StatementResult } from './connection.ts'
import { unavailable } from './query-error.ts'

export interface PoolLimits {
  readonly size: number
  /** Milliseconds that a caller waits for a connection before it gets `db.pool-exhausted`. */
  readonly acquireTimeout: number
  /** Callers that may wait at once; one more is refused immediately. */
  readonly queueLimit: number
}

/** How many connections are open, in transactions, and how many callers wait for one. */
export interface PoolState {
  readonly open: number
  readonly reserved: number
  readonly waiting: number
}

interface Waiter {
  /** True: wants the connection for itself. */
  readonly exclusive: boolean
  readonly give: (connection: Connection) => void
  readonly fail: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

const closeGrace = 5000

/**
 * First come, first served. A single statement takes an idle connection, else a new one, else it is sent behind those in
 * flight on the least busy one; a transaction waits until one is idle.
 */
export class ConnectionPool {
  readonly #connect: () => Promise<Connection>
  readonly #limits: PoolLimits
  readonly #open = new Set<Connection>()
  readonly #free: Connection[] = []
  readonly #waiting: Waiter[] = []
  #opening = 0
  #closing: Promise<void> | undefined
  #emptied: (() => void) | undefined
  readonly #ends: Promise<void>[] = []

  constructor(connect: () => Promise<Connection>, limits: PoolLimits) {
    this.#connect = connect
    this.#limits = limits
  }

  get state(): PoolState {
    return {
      open: this.#open.size,
      reserved: this.#open.size - this.#free.length,
      waiting: this.#waiting.length,
    }
  }

  /** Runs one statement by itself. */
  query<Row>(statement: Statement): Promise<StatementResult<Row>> {
    const connection = this.#waiting.length === 0 && !this.#closing ? this.#shareable() : undefined
    if (connection) return connection.query(statement)
    return new Promise((resolve, reject) => {
      this.#wait(false, (given) => resolve(given.query<Row>(statement)), reject)
    })
  }

  /** A connection that no one else uses until `release`. */
  reserve(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = this.#waiting.length === 0 && !this.#closing ? this.#idle() : undefined
      if (connection) resolve(this.#take(connection))
      else this.#wait(true, resolve, reject)
    })
  }

  /** A session left inside a transaction is rolled back before the next one gets it. */
  release(connection: Connection): void {
    if (connection.inTransaction && !connection.broken) {
      connection.rollback().then(
        () => this.#return(connection),
        () => this.#drop(connection),
      )
    } else this.#return(connection)
  }

  /** Waits for what runs, at most five seconds; then cuts it off. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    const closed = new FwError('db.closed', 'The database has been closed.')
    for (const waiter of this.#waiting.splice(0)) this.#fail(waiter, closed)
    const emptied = new Promise<void>((resolve) => (this.#emptied = resolve))
    for (const connection of this.#free.filter((free) => free.inFlight === 0)) this.#end(connection)
    this.#settle()
    const cut = setTimeout(() => {
      for (const connection of this.#open) this.#drop(connection)
    }, closeGrace)
    await emptied
    clearTimeout(cut)
    await Promise.all(this.#ends)
  }

  #wait(
    exclusive: boolean,
    give: (connection: Connection) => void,
    fail: (error: Error) => void,
  ): void {
    if (this.#closing) return fail(new FwError('db.closed', 'The database has been closed.'))
    if (this.#waiting.length >= this.#limits.queueLimit) return fail(this.#exhausted())
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
      fail(this.#exhausted())
    }, this.#limits.acquireTimeout)
    const waiter: Waiter = { exclusive, give, fail, timer }
    this.#waiting.push(waiter)
    this.#serve()
  }

  #exhausted(): HttpError {
    if (this.#open.size === 0)
      return unavailable(new Error(`no connection within ${this.#limits.acquireTimeout} ms`))
    return new HttpError(
      503,
      'db.pool-exhausted',
      `No connection was free within ${this.#limits.acquireTimeout} ms: all ${this.#limits.size} are in transactions and ` +
        `${this.#waiting.length} callers wait. Shorten the transactions, or raise the pool size (db.default.poolSize).`,
    )
  }

  #idle(): Connection | undefined {
    for (let at = this.#free.length - 1; at >= 0; at--) {
      const connection = this.#free[at]!
      if (connection.inFlight === 0) return connection
    }
    return undefined
  }

  #shareable(): Connection | undefined {
    const idle = this.#idle()
    if (idle || this.#open.size + this.#opening < this.#limits.size) return idle
    let least: Connection | undefined
    for (const connection of this.#free)
      if (!least || connection.inFlight < least.inFlight) least = connection
    return least
  }

  #take(connection: Connection): Connection {
    this.#free.splice(this.#free.indexOf(connection), 1)
    return connection
  }

  #serve(): void {
    for (let waiter = this.#waiting[0]; waiter; waiter = this.#waiting[0]) {
      const connection = waiter.exclusive ? this.#idle() : this.#shareable()
      if (!connection) break
      this.#waiting.shift()
      clearTimeout(waiter.timer)
      waiter.give(waiter.exclusive ? this.#take(connection) : connection)
    }
    while (
      this.#opening < this.#waiting.length &&
      this.#open.size + this.#opening < this.#limits.size
    )
      this.#grow()
  }

  /** Takes a connection that is open already. */
  add(connection: Connection): void {
    this.#open.add(connection)
    connection.onRest = () => this.#rested(connection)
    this.#return(connection)
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
        if (waiter) this.#fail(waiter, error instanceof FwError ? error : unavailable(error))
        this.#serve()
        this.#settle()
      },
    )
  }

  #fail(waiter: Waiter, error: Error): void {
    clearTimeout(waiter.timer)
    waiter.fail(error)
  }

  #return(connection: Connection): void {
    if (!this.#open.has(connection)) return
    if (connection.broken) return this.#drop(connection)
    this.#free.push(connection)
    if (connection.inFlight === 0) this.#rested(connection)
  }

  /** A connection that nobody reserved has nothing more to do. */
  #rested(connection: Connection): void {
    const at = this.#free.indexOf(connection)
    if (at < 0) return
    if (connection.broken) return this.#drop(connection)
    if (connection.inTransaction) {
      this.#free.splice(at, 1)
      return this.release(connection)
    }
    if (this.#closing) this.#end(connection)
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
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
    this.#open.delete(connection)
    this.#settle()
  }

  #settle(): void {
    if (this.#open.size + this.#opening === 0) this.#emptied?.()
  }
}
