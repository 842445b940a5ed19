/** `Health`: responds to the liveness and readiness probes of load balancers and process managers. */
import type { Logger } from '../base.ts'
import { HttpResponse, ResponseHeaders } from '../http.ts'

/** A readiness check. It fails if it throws, rejects or returns false. */
export type HealthCheck = (signal: AbortSignal) => unknown

/** The settings of the section `health`. A path that a route of the application uses is undefined. */
export interface HealthSettings {
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

interface Measured {
  readonly results: Results
  /** The time of the result in milliseconds of `performance.now()`. */
  readonly at: number
}

/** Responds to probes. Probes need no valid host, no session and no route, and are not written to the access log. */
export class Health {
  /** The state of the application; readiness probes get 503 unless it is `serving`. */
  state: 'starting' | 'serving' | 'draining' = 'serving'
  readonly #settings: HealthSettings
  readonly #checks: ReadonlyMap<string, HealthCheck>
  readonly #logger: Logger
  #running: Promise<Results> | undefined
  #last: Measured | undefined

  constructor(settings: HealthSettings, checks: ReadonlyMap<string, HealthCheck>, logger: Logger) {
    this.#settings = settings
    this.#checks = checks
    this.#logger = logger
  }

  /** Returns the response to a probe; undefined for any other request. Never throws, and its promise never rejects. */
  readonly probe = (
    method: string,
    target: string,
  ): HttpResponse | Promise<HttpResponse> | undefined => {
    const { livePath, readyPath } = this.#settings
    if (target !== livePath && target !== readyPath) return undefined
    if (method !== 'GET' && method !== 'HEAD') return undefined
    if (target === livePath) return healthResponse(200, 'ok')
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
        this.#logger.warn({ check: name, error }, 'readiness check failed')
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

/** Creates a JSON response that no cache stores. `checks` is absent for liveness probes and during a stop. */
export function healthResponse(status: number, text: string, checks?: Results): HttpResponse {
  const headers = new ResponseHeaders([
    'Content-Type',
    'application/json',
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
  ])
  if (status === 503) headers.append('Retry-After', '1')
  return new HttpResponse(status, `${JSON.stringify({ status: text, checks })}\n`, headers)
}
