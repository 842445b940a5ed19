/** `Replicas`: the read replicas of a database. Each replica has a pool and a health check. */
import { once } from 'node:events'
import { outsideRequests, type Logger } from '../base.ts'
import type { Connection } from './connection.ts'
import type { Caller, ConnectionPool } from './pool.ts'
import { UnavailableError } from './unavailable-error.ts'

/** The routing of a read-only request: `replica`, or the reason why it ran on the primary. */
export type ReplicaOutcome = 'replica' | 'written' | 'failed' | 'unavailable'

interface ReplicaOptions {
  /** The maximum lag of a usable replica in milliseconds; 0: the lag is not measured. */
  readonly maxLag: number
  readonly logger: Logger
}

export interface ReplicaPools {
  /** The pool for requests. */
  readonly pool: ConnectionPool
  /** The pool for health checks; it is separate, because requests may use all connections of the other pool. */
  readonly checks: ConnectionPool
}

/** The milliseconds between the health checks of a replica. */
const checkInterval = 1000
/** The milliseconds after which a health check counts as failed. */
const checkTimeout = 2000
const longestBackoff = 30_000

/**
 * The query for a standby's lag in milliseconds; NULL if unknown. A standby that is connected and has replayed all it received
 * has no lag, even if its last transaction is old because no write followed. A server that is not a standby has no lag.
 */
const lagSql = `select case
  when not pg_is_in_recovery() then 0
  when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
    and exists (select from pg_stat_wal_receiver) then 0
  else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000
end::float8 as lag`

/** One read replica. Requests skip it until its first check has succeeded. */
class Replica {
  readonly name: string
  readonly pool: ConnectionPool
  readonly #checks: ConnectionPool
  readonly #options: ReplicaOptions
  #problem: string | undefined = 'not checked'
  #failures = 0
  #checkAt = 0
  #isChecking = false
  /** The lag in milliseconds; undefined if unknown. */
  lag: number | undefined
  requests = 0

  constructor(name: string, { pool, checks }: ReplicaPools, options: ReplicaOptions) {
    this.name = name
    this.pool = pool
    this.#checks = checks
    this.#options = options
  }

  get isUsable(): boolean {
    return this.#problem === undefined
  }

  /** Measures the lag, but does nothing during the back-off after a failure. Never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking || performance.now() < this.#checkAt) return
    this.#isChecking = true
    const timeout = AbortSignal.timeout(checkTimeout)
    const late = once(timeout, 'abort').then(() => {
      throw new Error(`no response within ${checkTimeout} ms`)
    })
    try {
      this.lag = await Promise.race([this.#readLag(timeout), late])
      this.#setLag(this.lag)
    } catch (error) {
      this.fail(error)
    } finally {
      this.#isChecking = false
    }
  }

  async #readLag(signal: AbortSignal): Promise<number | undefined> {
    const sql = this.#options.maxLag === 0 ? 'select 0::float8 as lag' : lagSql
    const statement = { sql, parameters: [] }
    const { rows } = await this.#checks.query<{ lag: number | null }>(statement, signal)
    return rows[0]?.lag ?? undefined
  }

  #setLag(lag: number | undefined): void {
    this.#failures = 0
    const { maxLag } = this.#options
    if (maxLag === 0 || (lag !== undefined && lag <= maxLag)) return this.#setProblem(undefined)
    this.#setProblem(lag === undefined ? 'its lag is unknown' : `it lags ${Math.round(lag)} ms`)
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.#checks.close()])
  }

  /** Makes the replica unusable until a check succeeds. Each failed check doubles the pause; failed requests do not. */
  fail(error: unknown): void {
    if (performance.now() < this.#checkAt) return
    const pause = Math.min(checkInterval * 2 ** this.#failures++, longestBackoff)
    this.#checkAt = performance.now() + pause * (0.5 + Math.random() / 2)
    this.lag = undefined
    this.#setProblem(error instanceof Error ? error.message : String(error))
  }

  #setProblem(problem: string | undefined): void {
    const { logger } = this.#options
    const { name: replica } = this
    const before = this.#problem
    this.#problem = problem
    if (problem === undefined && before !== undefined)
      logger.info({ replica }, 'reads use the replica')
    else if (problem !== undefined && (before === undefined || before === 'not checked'))
      logger.warn({ replica, problem }, 'reads skip the replica')
  }
}

/** Chooses a replica for each read-only request, in turn, and skips replicas that are down or lag. */
export class Replicas {
  readonly #replicas: readonly Replica[]
  /** The number of read-only requests by outcome. */
  readonly outcomes: Record<ReplicaOutcome, number> = {
    replica: 0,
    written: 0,
    failed: 0,
    unavailable: 0,
  }
  #next = 0
  #timer: NodeJS.Timeout | undefined
  /** The milliseconds after a write during which the same browser reads from the primary. */
  readonly primaryAfterWrite: number

  constructor(
    pools: readonly ReplicaPools[],
    { primaryAfterWrite, ...options }: ReplicaOptions & { readonly primaryAfterWrite: number },
  ) {
    this.primaryAfterWrite = primaryAfterWrite
    this.#replicas = pools.map((each, at) => new Replica(`replica-${at + 1}`, each, options))
  }

  /** The state of each replica: its name, pool, lag in milliseconds, whether it is usable, and the number of its requests. */
  get states(): readonly Pick<Replica, 'name' | 'pool' | 'lag' | 'isUsable' | 'requests'>[] {
    return this.#replicas
  }

  /** Counts a read-only request that must use the primary. */
  skip(outcome: ReplicaOutcome): void {
    this.outcomes[outcome]++
  }

  /**
   * Reserves a connection of the next usable replica; returns it with its pool, or undefined if no replica is usable. The first
   * call starts the checks.
   * @throws HttpError 503 `db.pool-exhausted` for the replica's pool, because the primary must not get the replica's load
   */
  async reserve(
    caller?: Caller,
  ): Promise<{ pool: ConnectionPool; connection: Connection } | undefined> {
    this.#start()
    for (let tries = 0; tries < this.#replicas.length; tries++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length]!
      if (!replica.isUsable) continue
      try {
        const connection = await replica.pool.reserve(caller)
        this.outcomes.replica++
        replica.requests++
        return { pool: replica.pool, connection }
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
        replica.fail(error)
      }
    }
    this.outcomes.unavailable++
    return undefined
  }

  /** Marks the replica of this pool as unusable until a check succeeds, because one of its connections broke. */
  fail(pool: ConnectionPool, error: unknown): void {
    this.#replicas.find((replica) => replica.pool === pool)?.fail(error)
  }

  #start(): void {
    this.#timer ??= outsideRequests(this.#startChecks)
  }

  readonly #startChecks = (): NodeJS.Timeout => {
    this.#check()
    return setInterval(() => this.#check(), checkInterval).unref()
  }

  #check(): void {
    for (const replica of this.#replicas) void replica.check()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }
}
