/** `Replicas`: the read replicas of a database, with a pool and the health of each. */
import { AsyncResource } from 'node:async_hooks'
import type { Logger } from '../base.ts'
import type { Connection } from './connection.ts'
import type { ConnectionPool } from './pool.ts'
import { UnavailableError } from './unavailable-error.ts'

/** Where a read-only request ran: on a replica, or why on the primary. */
export type ReplicaOutcome = 'replica' | 'written' | 'failed' | 'unavailable'

interface ReplicaOptions {
  /** Milliseconds; 0: the lag is not read. */
  readonly maxLag: number
  readonly logger: Logger
}

/** A connection of a replica, and the pool that it returns to. */
export interface ReplicaLease {
  readonly pool: ConnectionPool
  readonly connection: Connection
}

export interface ReplicaPools {
  /** For requests. */
  readonly pool: ConnectionPool
  /** A connection for the checks: those of requests may all be in use. */
  readonly checks: ConnectionPool
}

/** Milliseconds between the checks of a replica. */
const checkInterval = 1000
/** A check that takes longer counts as failed. */
const checkTimeout = 2000
const longestBackoff = 30_000

/**
 * Milliseconds by which a standby is behind; NULL if unknown. One that has replayed everything and receives more has no lag:
 * the time of its last transaction is that of the last write. A server that is no standby has none.
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
  /** Milliseconds; undefined if unknown. */
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

  /** Reads the lag, unless the back-off after a failure has not ended. Never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking || performance.now() < this.#checkAt) return
    this.#isChecking = true
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error(`no response within ${checkTimeout} ms`)),
      checkTimeout,
    )
    try {
      this.lag = await Promise.race([this.#readLag(), late.promise])
      this.#setLag(this.lag)
    } catch (error) {
      this.fail(error)
    } finally {
      clearTimeout(timer)
      this.#isChecking = false
    }
  }

  async #readLag(): Promise<number | undefined> {
    const sql = this.#options.maxLag === 0 ? 'select 0::float8 as lag' : lagSql
    const { rows } = await this.#checks.query<{ lag: number | null }>(
      { sql, parameters: [] },
      AbortSignal.timeout(checkTimeout),
    )
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

  /**
   * Skips the replica until a check succeeds; each failed check doubles the pause before the next one. Requests that fail
   * during the pause do not prolong it.
   */
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

/** Chooses a replica for each read-only request, in turn, and skips those that are down or lag. */
export class Replicas {
  readonly #replicas: readonly Replica[]
  readonly #outcomes: Record<ReplicaOutcome, number> = {
    replica: 0,
    written: 0,
    failed: 0,
    unavailable: 0,
  }
  #next = 0
  #timer: NodeJS.Timeout | undefined
  /** Outside the request that starts the checks: a busy pool would treat them as its statements, and refuse them. */
  readonly #check = AsyncResource.bind(() => {
    for (const replica of this.#replicas) void replica.check()
  })
  /** Milliseconds after a write in which a browser reads from the primary. */
  readonly primaryAfterWrite: number

  constructor(
    pools: readonly ReplicaPools[],
    { primaryAfterWrite, ...options }: ReplicaOptions & { readonly primaryAfterWrite: number },
  ) {
    this.primaryAfterWrite = primaryAfterWrite
    this.#replicas = pools.map((each, at) => new Replica(`replica-${at + 1}`, each, options))
  }

  /** The replicas with name, pool, lag in milliseconds, whether they are used, and the number of requests. */
  get states(): readonly Pick<Replica, 'name' | 'pool' | 'lag' | 'isUsable' | 'requests'>[] {
    return this.#replicas
  }

  /** The number of read-only requests by outcome. */
  get outcomes(): Readonly<Record<ReplicaOutcome, number>> {
    return this.#outcomes
  }

  /** Counts a read-only request that must use the primary. */
  skip(outcome: ReplicaOutcome): void {
    this.#outcomes[outcome]++
  }

  /**
   * Reserves a connection of the next usable replica; undefined if there is none. The first call starts the checks.
   * @throws HttpError 503 `db.pool-exhausted`: the primary must not get the load of an exhausted replica
   */
  async reserve(): Promise<ReplicaLease | undefined> {
    this.#start()
    for (let tries = 0; tries < this.#replicas.length; tries++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length]!
      if (!replica.isUsable) continue
      try {
        const connection = await replica.pool.reserve()
        this.#outcomes.replica++
        replica.requests++
        return { pool: replica.pool, connection }
      } catch (error) {
        if (!(error instanceof UnavailableError)) throw error
        replica.fail(error)
      }
    }
    this.#outcomes.unavailable++
    return undefined
  }

  /** A connection of this pool broke: skips its replica until a check succeeds. */
  fail(pool: ConnectionPool, error: unknown): void {
    this.#replicas.find((replica) => replica.pool === pool)?.fail(error)
  }

  #start(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(this.#check, checkInterval).unref()
    this.#check()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map((replica) => replica.close()))
  }
}
