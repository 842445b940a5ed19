/** `Health`: answers the liveness and readiness probes of load balancers and process managers. */
import type { Logger } from '../base.ts'
import { HttpResponse, ResponseHeaders } from '../http.ts'

/** A check of readiness: it fails when it throws, rejects, or returns false. */
export type HealthCheck = (signal: AbortSignal) => unknown

/** The settings of the section `health`, with paths that are routed elsewhere removed. */
export interface HealthSettings {
  /** Undefined without a liveness path. */
  readonly livePath: string | undefined
  readonly readyPath: string | undefined
  /** Milliseconds for all checks together. */
  readonly timeout: number
  /** Milliseconds in which a result is used again, so that probes cannot load the database. */
  readonly interval: number
}

type CheckResult = 'ok' | 'failed' | 'timed out'
type Results = Readonly<Record<string, CheckResult>>

interface Measured {
  readonly results: Results
  /** In milliseconds of `performance.now()`. */
  readonly at: number
}

/** Probes need no host, no session and no route, and are not in the access log. */
export class Health {
  /** The readiness path answers 503, except while `serving`. */
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

  /** The response to a probe; undefined for any other request. Never throws, never rejects. */
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

  /** Concurrent probes share one run of the checks. */
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

  /** Logs changes only: probes repeat every few seconds. */
  #report(results: Results): void {
    for (const [name, result] of Object.entries(results)) {
      const before = this.#last?.results[name] ?? 'ok'
      if (before !== result) this.#logger.warn({ check: name, result, before }, 'readiness changed')
    }
  }
}

/** A response of JSON that no cache stores; without `checks` for liveness and for a stop. */
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
