/** The connection pool of a database. Single statements share connections; a transaction reserves one connection. */
import {
  AsyncContext,
  FwError,
  HttpError,
  outsideRequests,
  WorkChannel,
  WorkEvent,
} from '../base.ts'
import { ConnectBackoff } from './connect-backoff.ts'
import type { Connection, Statement, StatementResult } from './connection.ts'
import { UnavailableError } from './unavailable-error.ts'
import { WaitingCallers, type Waiter } from './waiting-callers.ts'

/** The settings of a pool, as in `PostgresSettings`; an absent time is 0. `size` is the maximum of open connections. */
export interface PoolLimits {
  readonly size: number
  readonly acquireTimeout: number
  readonly queueLimit: number
  readonly maxAge?: number
  readonly idleTimeout?: number
}

/** The diagnostics channels `fw:pool:start` and `fw:pool:end`: the callers that wait for a connection of a pool. */
export const poolWaitChannel: WorkChannel<WorkEvent> = new WorkChannel('fw:pool')

/** The token of a caller that may need connections several times, such as a transaction. */
export interface Caller {
  /** True once it has got a connection: from then on it is served first, because refusing it would lose work. */
  hadConnection: boolean
  /** True if the calling code is part of this caller's work, so that waiting for its connection may never end. */
  readonly encloses?: boolean
  /** Gives its connection back if its work can go on later with another one. */
  suspend?(): void
}

/** The numbers of open connections, of reserved connections, and of waiting callers. */
export interface PoolState {
  readonly open: number
  readonly reserved: number
  readonly waiting: number
}

/** An open connection's place in the pool. */
interface Place {
  /** A time of `performance.now()`. */
  readonly replacedAt: number
  /** The caller that has reserved the connection. No map of holders: a minor garbage collection keeps what entered and left a map. */
  holder: Caller | undefined
}

const closeGrace = 5000
/** After these milliseconds the pool starts another attempt to connect, because the first may be directed at a dead server. */
const slowConnect = 500
const maxSlow = 10
/** A single statement shares a connection only if that connection's statements in flight take less than these milliseconds. */
const longestPipeline = 20
/** How long work waits for a connection that a transaction around it has: the transaction may end, if it does not await the work. */
const enclosedTimeout = 250
/** The minimum time between two replacements of all connections because of a read-only server, in milliseconds. */
const replacementInterval = 500

/**
 * Serves callers in the order of `WaitingCallers`. A short read joins the short reads that a
 * connection sends in this turn of the event loop. Another single statement uses an idle connection, else a new one, else the
 * least busy shared connection whose statements are fast; a transaction waits for an idle connection. If the server refuses a
 * new connection, callers wait for the open connections, and the pool retries with back-off, one connection at a time. Callers
 * get the server's error only if no connection is open.
 */
export class ConnectionPool {
  readonly #connect: () => Promise<Connection>
  readonly #limits: PoolLimits
  readonly #open = new Map<Connection, Place>()
  /** The open connections that are not reserved. */
  readonly #shared: Connection[] = []
  /** The connections that will be closed as soon as they are idle. */
  readonly #retired = new Set<Connection>()
  readonly #waiting = new WaitingCallers()
  readonly #backoff = new ConnectBackoff(() => this.#serve())
  #opening = 0
  /** The number of attempts to connect that take longer than `slowConnect`; the pool makes further ones meanwhile. */
  #slow = 0
  /** The maximum number of concurrent attempts to connect: 1 after a refusal, doubled by each success. */
  #parallel: number
  /** The error with which the server refused the last connection; undefined after a success. */
  #refusal: FwError | undefined
  #lastReplacement = -Infinity
  #sweeper: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  #onEmpty: (() => void) | undefined
  /** The connections that are closing. */
  readonly #ends = new Set<Promise<void>>()
  /** The isolation level of a BEGIN without a level (`Connection.defaultIsolation`); undefined before the first connection. */
  defaultIsolation: string | undefined

  constructor(connect: () => Promise<Connection>, limits: PoolLimits) {
    this.#connect = connect
    this.#limits = limits
    this.#parallel = limits.size
  }

  /** The maximum number of open connections. */
  get size(): number {
    return this.#limits.size
  }

  /** The number of connections in transactions or with statements in flight. */
  get busy(): number {
    const idle = this.#shared.filter(({ inFlight }) => inFlight === 0).length
    return this.#open.size - idle
  }

  get state(): PoolState {
    return {
      open: this.#open.size,
      reserved: this.#open.size - this.#shared.length,
      waiting: this.#waiting.length,
    }
  }

  /** Runs a single statement. An aborted signal cancels it when all other statements on its connection are aborted too. */
  query<Row>(
    statement: Statement,
    signal?: AbortSignal,
    caller?: Caller,
  ): Promise<StatementResult<Row>> {
    const isFree = this.#waiting.length === 0 && !this.#closing
    const connection = isFree && (this.#findJoinable(statement) ?? this.#findShareable())
    if (connection) {
      admit(caller)
      return this.#send(connection, statement, signal)
    }
    return new Promise((resolve, reject) => {
      // The connection may become free in the context of another request.
      const context = new AsyncContext()
      const onFree = (free: Connection): void =>
        resolve(context.run(() => this.#send<Row>(free, statement, signal)))
      this.#wait({ exclusive: false, resolve: onFree, reject }, caller)
    })
  }

  /** Reserves a connection for the caller until `release`. */
  reserve(caller?: Caller): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const connection = this.#waiting.length === 0 && !this.#closing && this.#findIdle()
      const hold = (reserved: Connection): void => {
        const place = this.#open.get(reserved)
        if (place !== undefined) place.holder = caller
        resolve(reserved)
      }
      if (!connection) return this.#wait({ exclusive: true, resolve: hold, reject }, caller)
      admit(caller)
      hold(this.#take(connection))
    })
  }

  /** Returns a reserved connection to the pool, and rolls back its transaction if that is still open. */
  release(connection: Connection): void {
    if (connection.inTransaction && !connection.broken) {
      connection.rollback().then(
        () => this.#return(connection),
        () => this.#drop(connection),
      )
    } else this.#return(connection)
  }

  /** Takes back a reserved connection whose settings may have changed: resets its session, or closes it. */
  async discard(connection: Connection): Promise<void> {
    const end = connection.resetSession?.() ?? connection.close()
    await end.catch(() => connection.destroy())
    this.#return(connection)
  }

  /** Adds an open connection. */
  add(connection: Connection): void {
    const { maxAge = 0 } = this.#limits
    // Subtract a random part, so that connections opened together are not replaced together.
    const age = maxAge > 0 ? maxAge * (1 - Math.random() / 10) : Infinity
    this.#open.set(connection, { replacedAt: performance.now() + age, holder: undefined })
    this.defaultIsolation = connection.defaultIsolation
    connection.onIdle = () => this.#onIdle(connection)
    connection.onAbandoned = () => void this.#cancel(connection)
    connection.onReadOnly = () => this.#onReadOnly()
    this.#startSweeper()
    this.#return(connection)
  }

  /** Closes the pool: waits at most five seconds for running statements, then closes their connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#backoff.end()
    clearInterval(this.#sweeper)
    this.#waiting.rejectAll(closedError)
    const emptied = new Promise<void>((resolve) => (this.#onEmpty = resolve))
    for (const connection of this.#shared.filter(({ inFlight }) => inFlight === 0))
      this.#end(connection)
    this.#checkEmpty()
    const timer = setTimeout(() => {
      for (const connection of this.#open.keys()) this.#drop(connection)
    }, closeGrace)
    await emptied
    clearTimeout(timer)
    await Promise.all(this.#ends)
  }

  #send<Row>(
    connection: Connection,
    statement: Statement,
    signal: AbortSignal | undefined,
  ): Promise<StatementResult<Row>> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error)
    return connection.query<Row>(statement, signal)
  }

  /** Cancels the statements of a connection, and prevents other statements from using that connection meanwhile. */
  async #cancel(connection: Connection): Promise<void> {
    if (!this.#shared.includes(connection)) return
    this.#take(connection)
    await connection.cancel?.()
    this.#return(connection)
  }

  #wait(waiter: Waiter, caller: Caller | undefined): void {
    const { queueLimit, acquireTimeout } = this.#limits
    const isAdmitted = caller?.hadConnection === true
    if (this.#closing) return waiter.reject(closedError())
    if (this.#waiting.length >= queueLimit && !isAdmitted)
      return waiter.reject(this.#exhaustedError())
    const observed = observeWait(waiter, caller)
    if (this.#waitsForItself()) {
      for (const { holder } of this.#open.values()) holder?.suspend?.()
      const timeout = Math.min(enclosedTimeout, acquireTimeout)
      this.#waiting.add(observed, isAdmitted, timeout, onlyConnectionError)
    } else this.#waiting.add(observed, isAdmitted, acquireTimeout, () => this.#exhaustedError())
    this.#serve()
  }

  /** True if all connections that the pool may open belong to transactions around the calling code. */
  #waitsForItself(): boolean {
    if (this.#open.size < this.#limits.size) return false
    for (const { holder } of this.#open.values()) if (holder?.encloses !== true) return false
    return true
  }

  #exhaustedError(): FwError {
    const { acquireTimeout, size } = this.#limits
    const { size: open } = this.#open
    const refusal = this.#refusal
    if (open === 0)
      return refusal ?? new UnavailableError(new Error(`no connection within ${acquireTimeout} ms`))
    const fewer = open < size && refusal ? ` (${size} are allowed; ${refusal.message})` : ''
    return new HttpError(
      503,
      'db.pool-exhausted',
      `No connection was free within ${acquireTimeout} ms: all ${open}${fewer} are in transactions or run statements, ` +
        `and ${this.#waiting.length} callers wait. Shorten the transactions and statements, or raise the pool size (db.default.poolSize).`,
    )
  }

  #findIdle(): Connection | undefined {
    for (let at = this.#shared.length - 1; at >= 0; at--) {
      const connection = this.#shared[at]!
      if (connection.inFlight === 0 && !this.#retired.has(connection)) return connection
    }
    return undefined
  }

  /** Returns a connection whose unsent batch of short reads the statement can join. */
  #findJoinable(statement: Statement): Connection | undefined {
    return this.#shared.find((one) => one.canJoin?.(statement) === true)
  }

  #findShareable(): Connection | undefined {
    const idle = this.#findIdle()
    if (idle || this.#opening > this.#slow || this.#canGrow()) return idle
    let leastBusy: Connection | undefined
    for (const connection of this.#shared) {
      if (this.#retired.has(connection)) continue
      if (!leastBusy || connection.inFlight < leastBusy.inFlight) leastBusy = connection
    }
    const { inFlight = 0, statementTime = 0 } = leastBusy ?? {}
    return inFlight * statementTime < longestPipeline ? leastBusy : undefined
  }

  #canGrow(): boolean {
    const { size } = this.#limits
    const opening = this.#opening - this.#slow
    if (opening >= this.#parallel || this.#slow >= maxSlow || this.#backoff.isRunning) return false
    return this.#open.size + opening < size
  }

  #take(connection: Connection): Connection {
    this.#shared.splice(this.#shared.indexOf(connection), 1)
    return connection
  }

  #serve(): void {
    for (let { next: waiter } = this.#waiting; waiter; { next: waiter } = this.#waiting) {
      const connection = waiter.exclusive ? this.#findIdle() : this.#findShareable()
      if (!connection) break
      this.#waiting.shift()
      waiter.resolve(waiter.exclusive ? this.#take(connection) : connection)
    }
    while (this.#opening - this.#slow < this.#waiting.length && this.#canGrow())
      outsideRequests(this.#grow)
  }

  readonly #grow = (): void => {
    this.#opening++
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      this.#slow++
      this.#serve()
    }, slowConnect)
    const end = (): void => {
      clearTimeout(timer)
      this.#opening--
      if (isSlow) this.#slow--
    }
    this.#connect().then(
      (connection) => {
        end()
        this.#onConnect(connection)
      },
      (error: unknown) => {
        end()
        this.#onRefusal(error)
      },
    )
  }

  #onConnect(connection: Connection): void {
    this.#refusal = undefined
    this.#backoff.reset()
    this.#parallel = Math.min(this.#parallel * 2, this.#limits.size)
    // While this attempt was slow, further attempts may have filled the pool.
    if (this.#open.size >= this.#limits.size) connection.destroy()
    else this.add(connection)
  }

  #onRefusal(error: unknown): void {
    this.#refusal = error instanceof FwError ? error : new UnavailableError(error)
    this.#parallel = 1
    const isAlone = this.#open.size + this.#opening === 0
    if (!this.#closing) this.#backoff.start(isAlone)
    if (isAlone) this.#waiting.rejectAll(() => this.#refusal!)
    this.#serve()
    this.#checkEmpty()
  }

  #return(connection: Connection): void {
    const place = this.#open.get(connection)
    if (place === undefined) return
    place.holder = undefined
    if (connection.broken) return this.#drop(connection)
    this.#shared.push(connection)
    if (connection.inFlight === 0) this.#onIdle(connection)
  }

  #onIdle(connection: Connection): void {
    if (!this.#shared.includes(connection)) return
    if (connection.broken) this.#drop(connection)
    else if (connection.inFlight > 0) return
    // A single statement was BEGIN. Roll back, because no caller will end that transaction.
    else if (connection.inTransaction) this.release(this.#take(connection))
    else if (this.#closing) this.#end(connection)
    else if (this.#retired.has(connection)) {
      this.#end(connection)
      this.#serve()
    } else if (this.#waiting.length > 0) this.#serve()
  }

  /** Replaces all connections: their server has become read-only, and new connections may reach the current primary. */
  #onReadOnly(): void {
    const now = performance.now()
    if (now - this.#lastReplacement < replacementInterval) return
    this.#lastReplacement = now
    for (const connection of this.#open.keys()) this.#retire(connection)
  }

  /** Closes the connection as soon as it is idle. */
  #retire(connection: Connection): void {
    this.#retired.add(connection)
    if (connection.inFlight === 0) this.#onIdle(connection)
  }

  #startSweeper(): void {
    const { maxAge = 0, idleTimeout = 0 } = this.#limits
    const limits = [maxAge, idleTimeout].filter((limit) => limit > 0)
    if (this.#sweeper || limits.length === 0 || this.#closing) return
    const interval = Math.min(Math.max(Math.min(...limits) / 4, 10), 30_000)
    this.#sweeper = setInterval(() => this.#sweep(), interval).unref()
  }

  #sweep(): void {
    const { idleTimeout = 0 } = this.#limits
    const now = performance.now()
    const unusedSince = idleTimeout > 0 ? now - idleTimeout : -Infinity
    for (const [connection, { replacedAt }] of this.#open) {
      const isUnused = connection.inFlight === 0 && (connection.lastSent ?? now) < unusedSince
      if (replacedAt <= now || (isUnused && this.#shared.includes(connection)))
        this.#retire(connection)
    }
  }

  #end(connection: Connection): void {
    const end = connection
      .close()
      .catch(() => connection.destroy())
      .finally(() => this.#ends.delete(end))
    this.#ends.add(end)
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
    this.#retired.delete(connection)
    if (this.#open.size === 0) {
      clearInterval(this.#sweeper)
      this.#sweeper = undefined
    }
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    if (this.#open.size + this.#opening === 0) this.#onEmpty?.()
  }
}

function admit(caller: Caller | undefined): void {
  if (caller !== undefined) caller.hadConnection = true
}

/** Returns a waiter that admits its caller, and publishes the start and the end of its wait. */
function observeWait({ exclusive, resolve, reject }: Waiter, caller: Caller | undefined): Waiter {
  const event = poolWaitChannel.active ? new WorkEvent() : undefined
  if (event !== undefined) poolWaitChannel.start.publish(event)
  const end = (error?: Error): void => {
    if (event !== undefined) poolWaitChannel.finish(event, error)
  }
  return {
    exclusive,
    resolve: (connection) => {
      end()
      admit(caller)
      resolve(connection)
    },
    reject: (error) => {
      end(error)
      reject(error)
    },
  }
}

const onlyConnectionError = (): FwError =>
  new FwError(
    'db.only-connection',
    'This work runs outside a transaction that has the only connection, so that each would wait for the other. ' +
      'Run it in afterCommit, or before the first write. The embedded database has one connection: DATABASE_URL sets a server. ' +
      'For a server, raise the pool size (db.default.poolSize).',
  )

const closedError = (): FwError => new FwError('db.closed', 'The database has been closed.')
