/** `Health`: responds to the liveness and readiness probes of load balancers and process managers. */
import { existsSync } from 'node:fs'
import type { Logger } from '../base.ts'
import { migrationFolder, migrationStatus, type Database } from '../db.ts'
import { HttpResponse, ResponseHeaders } from '../http.ts'
import { newSessionId, type SessionStore } from '../session.ts'

/** A readiness check. It fails if it throws, rejects or returns false. */
export type HealthCheck = (signal: AbortSignal) => unknown

/** The settings of the section `health`. A path that a route of the application uses is undefined. */
interface HealthSettings {
  /** The path of liveness probes; undefined if they are disabled. */
  readonly livePath: string | undefined
  readonly readyPath: string | undefined
  /** The maximum time in milliseconds for all checks together. */
  readonly timeout: number
  /** The time in milliseconds for which a result is reused, so that probes cannot overload the database. */
  readonly interval: number
}

type CheckResult = 'ok' | 'failed' | 'timed out'
type Results = Readonly<Record<string, CheckResult>>

/** Responds to probes. Probes need no valid host, no session and no route, and are not written to the access log. */
export class Health {
  /** The state of the application; readiness probes get 503 unless it is `serving`. */
  state: 'starting' | 'serving' | 'draining' = 'serving'
  readonly #settings: HealthSettings
  readonly #checks: ReadonlyMap<string, HealthCheck>
  readonly #logger: Logger
  #running: Promise<Results> | undefined
  /** The last results, and their time in milliseconds of `performance.now()`. */
  #last: { readonly results: Results; readonly at: number } | undefined

  constructor(settings: HealthSettings, checks: ReadonlyMap<string, HealthCheck>, logger: Logger) {
    this.#settings = settings
    this.#checks = checks
    this.#logger = logger
  }

  /**
   * Returns the response to a probe; undefined for any other request. `memory` is the limit above which the server refuses
   * requests. Never throws, and its promise never rejects.
   */
  readonly probe = (
    method: string,
    target: string,
    _authorization?: string,
    memory?: { isReached(): boolean },
  ): HttpResponse | Promise<HttpResponse> | undefined => {
    const { livePath, readyPath } = this.#settings
    if (target !== livePath && target !== readyPath) return undefined
    if (method !== 'GET' && method !== 'HEAD') return undefined
    if (target === livePath) return healthResponse(200, 'ok')
    if (memory?.isReached() === true) return healthResponse(503, 'overloaded')
    return this.state === 'serving' ? this.#respondReady() : healthResponse(503, this.state)
  }

  async #respondReady(): Promise<HttpResponse> {
    const results = await this.#read()
    if (this.state !== 'serving') return healthResponse(503, this.state)
    const isReady = Object.values(results).every((result) => result === 'ok')
    return healthResponse(isReady ? 200 : 503, isReady ? 'ok' : 'failed', results)
  }

  /** Returns the recent results, or runs the checks; concurrent probes share one run. */
  #read(): Results | Promise<Results> {
    const { interval } = this.#settings
    if (this.#last !== undefined && performance.now() - this.#last.at < interval)
      return this.#last.results
    return (this.#running ??= this.#runAll())
  }

  async #runAll(): Promise<Results> {
    const aborter = new AbortController()
    const timer = setTimeout(() => aborter.abort(), this.#settings.timeout)
    const late = new Promise<'timed out'>((resolve) => {
      aborter.signal.addEventListener('abort', () => resolve('timed out'))
    })
    const results: Record<string, CheckResult> = {}
    await Promise.all(
      [...this.#checks].map(async ([name, check]) => {
        results[name] = await Promise.race([this.#run(name, check, aborter.signal), late])
      }),
    )
    clearTimeout(timer)
    this.#report(results)
    this.#last = { results, at: performance.now() }
    this.#running = undefined
    return results
  }

  async #run(name: string, check: HealthCheck, signal: AbortSignal): Promise<CheckResult> {
    try {
      return (await check(signal)) === false ? 'failed' : 'ok'
    } catch (error) {
      if (this.#last?.results[name] !== 'failed')
        this.#logger.warn({ check: name, err: error }, 'readiness check failed')
      return 'failed'
    }
  }

  /** Logs only results that have changed, because probes repeat every few seconds. */
  #report(results: Results): void {
    for (const [name, result] of Object.entries(results)) {
      const before = this.#last?.results[name] ?? 'ok'
      if (before !== result) this.#logger.warn({ check: name, result, before }, 'readiness changed')
    }
  }
}

/**
 * Creates a JSON response that no cache stores. `checks` is absent for liveness probes, during a stop and above the limit of
 * memory.
 */
function healthResponse(status: number, text: string, checks?: Results): HttpResponse {
  const headers = new ResponseHeaders([
    'Content-Type',
    'application/json',
    'Cache-Control',
    'no-store',
  ])
  if (status === 503) headers.append('Retry-After', '1')
  return new HttpResponse(status, `${JSON.stringify({ status: text, checks })}\n`, headers)
}

/** Creates the checks of every application; `migrationsOf` is its folder if readiness requires all migrations. */
export function readinessChecks(
  databases: ReadonlyMap<string, Database>,
  store: SessionStore,
  migrationsOf: string | undefined,
): Map<string, HealthCheck> {
  const checks = new Map<string, HealthCheck>()
  for (const [name, database] of databases) {
    const suffix = name === 'default' ? '' : ` ${name}`
    checks.set(`database${suffix}`, () => ping(database))
    if (migrationsOf === undefined) continue
    const folder = migrationFolder(migrationsOf, name)
    if (name === 'default' || existsSync(folder))
      checks.set(`migrations${suffix}`, migrationsCheck(database, folder))
  }
  // A transactional store uses the database, which is checked already.
  if (!store.transactional) checks.set('sessions', () => store.read(newSessionId()))
  return checks
}

/**
 * Checks that a database responds. If transactions use all connections, it counts as reachable without a query: a timeout would
 * remove a busy node from the load balancer, and overload the other nodes.
 */
async function ping(database: Database): Promise<void> {
  const { open, reserved } = database.state
  if (open === 0 || reserved < open) await database.ping()
}

function migrationsCheck(database: Database, folder: string): HealthCheck {
  let applied = false
  return async () => {
    applied ||= (await migrationStatus(database, folder)).every(({ state }) => state !== 'pending')
    return applied
  }
}
