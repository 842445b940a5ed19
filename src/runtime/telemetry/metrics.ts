/** The metrics of an application, which are measured from events and output for Prometheus. */
import cluster from 'node:cluster'
import { requestChannel, type RequestEvent, type Services } from '../action.ts'
import { HttpError, shedChannel, type ShedEvent } from '../base.ts'
import { poolWaitChannel, registeredDatabases, sqlChannel, type Database } from '../db.ts'
import { sessionChannel } from '../session.ts'
import { viewChannel } from '../view.ts'
import {
  CounterFamily,
  HistogramFamily,
  MetricRegistry,
  readMetric,
  type Histogram,
  type Labels,
  type MetricSnapshot,
} from './exposition.ts'
import { addRuntimeMetrics } from './runtime-metrics.ts'

const methods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY'.split(' '),
)

/**
 * Histograms of the durations of requests by route, method and status. Nested maps and arrays find a histogram faster than a
 * key joined from the three values.
 */
class RequestDurations {
  readonly #family: HistogramFamily
  readonly #routes = new Map<string, Map<string, (Histogram | undefined)[]>>()

  constructor(family: HistogramFamily) {
    this.#family = family
  }

  observe({ route = '', method, status, millis }: RequestEvent): void {
    let byMethod = this.#routes.get(route)
    if (byMethod === undefined) this.#routes.set(route, (byMethod = new Map()))
    let byStatus = byMethod.get(method)
    if (byStatus === undefined) {
      if (!methods.has(method))
        return this.#family.get('_OTHER', route, String(status)).observe(millis / 1000)
      byMethod.set(method, (byStatus = []))
    }
    const histogram = (byStatus[status] ??= this.#family.get(method, route, String(status)))
    histogram.observe(millis / 1000)
  }
}

/** The labels of the metric `fw_build_info`. */
export interface BuildInfo {
  readonly fwjs: string
  readonly application: string
  readonly version: string
}

/**
 * Measures the requests of one application, and the databases, sessions, views and runtime of the process, until `stop` is
 * called.
 */
export class Metrics {
  readonly #registry: MetricRegistry
  readonly #services: Services
  readonly #stops: (() => void)[] = []
  #formatAll: (() => Promise<string>) | undefined

  constructor(services: Services, build: BuildInfo) {
    this.#services = services
    this.#registry = new MetricRegistry(cluster.worker?.id)
    this.#addRequests()
    this.#addDatabases()
    this.#addSessionsAndViews()
    this.#stops.push(addRuntimeMetrics(this.#registry))
    const labels: Labels = { ...build, node: process.versions.node }
    const info = () => [{ labels, value: 1 }]
    this.#registry.add(readMetric('gauge', 'fw_build_info', 'Versions, as labels.', info, 'max'))
  }

  /** Formats the metrics in the text format of Prometheus: those of this process, or after `mergeBy` those of all workers. */
  format(): string | Promise<string> {
    return this.#formatAll?.() ?? this.#registry.format()
  }

  /** Makes `format` return the result of `formatAll`, which formats the metrics of all workers. */
  mergeBy(formatAll: () => Promise<string>): void {
    this.#formatAll = formatAll
  }

  /** Returns the values of this process, to merge with those of other workers. */
  snapshot(): MetricSnapshot[] {
    return this.#registry.snapshot()
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #histogram(name: string, help: string, labels: readonly string[]): HistogramFamily {
    return this.#registry.add(new HistogramFamily(name, help, labels))
  }

  #counter(name: string, help: string, labels: readonly string[]): CounterFamily {
    return this.#registry.add(new CounterFamily(name, help, labels))
  }

  #addRequests(): void {
    const family = this.#histogram(
      'http_server_request_duration_seconds',
      'Requests, from the lookup of the route to the last byte of the response.',
      ['http_request_method', 'http_route', 'http_response_status_code'],
    )
    const durations = new RequestDurations(family)
    const aborted = this.#counter(
      'fw_requests_aborted_total',
      'Requests whose client had gone before the response was complete.',
      [],
    )
    const inFlight = (): number => requestChannel.inFlight
    const help = 'Requests of the process without a complete response.'
    this.#registry.add(readMetric('gauge', 'http_server_active_requests', help, inFlight))
    const sheds = this.#addSheds()
    const services = this.#services
    // Listens only to the end of requests: without a listener, the start channel costs nothing.
    const end = (event: RequestEvent): void => {
      if (event.ctx.services !== services) return
      durations.observe(event)
      const { error, isAborted } = event
      // The server has already counted the aborted requests to which it responded itself.
      if (isAborted) aborted.add(1)
      else if (error instanceof HttpError && error.status === 503) sheds.add(1, error.code)
    }
    this.#stops.push(requestChannel.subscribe({ end }))
  }

  #addSheds(): CounterFamily {
    const sheds = this.#counter(
      'fw_sheds_total',
      'Requests that got 503, by error code: an overload, or a service that does not answer.',
      ['code'],
    )
    this.#stops.push(shedChannel.subscribe(({ code }: ShedEvent) => sheds.add(1, code)))
    return sheds
  }

  #addDatabases(): void {
    const statements = this.#histogram(
      'db_client_operation_duration_seconds',
      'Statements, from sending to the response, with the time that they wait for a connection.',
      ['db_operation_name', 'outcome'],
    )
    const waits = this.#histogram(
      'db_client_connection_wait_time_seconds',
      'How long callers waited for a connection; those that got one at once are not counted.',
      ['outcome'],
    )
    this.#stops.push(
      sqlChannel.subscribe({
        end: ({ operation, error, millis }) =>
          statements.get(operation, outcome(error)).observe(millis / 1000),
      }),
      poolWaitChannel.subscribe({
        end: ({ error, millis }) => waits.get(outcome(error)).observe(millis / 1000),
      }),
    )
    this.#addPools()
    this.#addReplicas()
  }

  #addPools(): void {
    const gauge = (name: string, help: string, read: (pool: Database['pool']) => number): void => {
      const samples = function* () {
        for (const [name, database] of registeredDatabases()) {
          yield { labels: { db_client_connection_pool_name: name }, value: read(database.pool) }
          for (const replica of database.replicas?.states ?? []) {
            const labels = { db_client_connection_pool_name: `${name}-${replica.name}` }
            yield { labels, value: read(replica.pool) }
          }
        }
      }
      this.#registry.add(readMetric('gauge', `db_client_connection_${name}`, help, samples))
    }
    gauge('open', 'Open connections.', ({ state }) => state.open)
    gauge('busy', 'Connections in a transaction or with a statement.', (pool) => pool.busy)
    gauge('max', 'Maximum of connections.', (pool) => pool.size)
    gauge('pending_requests', 'Callers that wait for a connection.', ({ state }) => state.waiting)
  }

  #addReplicas(): void {
    const databases = registeredDatabases
    const requests = function* () {
      for (const { replicas } of databases().values())
        for (const [outcome, value] of Object.entries(replicas?.outcomes ?? {}))
          yield { labels: { outcome }, value }
    }
    const lags = function* () {
      for (const { replicas } of databases().values())
        for (const { name, lag } of replicas?.states ?? [])
          if (lag !== undefined) yield { labels: { replica: name }, value: lag / 1000 }
    }
    const help = 'Read-only requests: on a replica, or why they ran on the primary.'
    this.#registry.add(readMetric('counter', 'fw_replica_requests_total', help, requests))
    const lagHelp = 'How far a replica is behind; absent while it does not answer.'
    this.#registry.add(readMetric('gauge', 'fw_replica_lag_seconds', lagHelp, lags, 'max'))
  }

  #addSessionsAndViews(): void {
    const sessions = this.#histogram(
      'fw_session_store_duration_seconds',
      'Reads and writes of the session store.',
      ['store', 'operation', 'outcome'],
    )
    const views = this.#histogram(
      'fw_view_render_duration_seconds',
      'Rendering of views with their layouts.',
      ['view', 'format', 'outcome'],
    )
    this.#stops.push(
      sessionChannel.subscribe({
        end: ({ store, operation, error, millis }) =>
          sessions.get(store, operation, outcome(error)).observe(millis / 1000),
      }),
      viewChannel.subscribe({
        end: ({ view, format, error, millis }) =>
          views.get(view, format, outcome(error)).observe(millis / 1000),
      }),
    )
  }
}

const outcome = (error: unknown): string => (error === undefined ? 'ok' : 'error')
