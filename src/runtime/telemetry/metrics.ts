/** The metrics of an application, which are measured from events and output for Prometheus. */
import cluster from 'node:cluster'
import { requestChannel, type RequestEvent, type Services } from '../action.ts'
import {
  HttpError,
  shedChannel,
  type ShedEvent,
  type WorkChannel,
  type WorkEvent,
} from '../base.ts'
import { poolWaitChannel, registeredDatabases, sqlChannel, type Database } from '../db.ts'
import { jobChannel, latestCounts, type QueueState } from '../jobs.ts'
import { sessionChannel } from '../session.ts'
import { viewChannel } from '../view.ts'
import { MetricRegistry, type Family, type Histogram, type MetricSnapshot } from './exposition.ts'
import { addRuntimeMetrics } from './runtime-metrics.ts'

const methods: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY'.split(' '),
)

/** Durations of requests by route, method and status, in nested maps, which are faster than a joined key. */
class RequestDurations {
  readonly #family: Family<Histogram>
  readonly #routes = new Map<string, Map<string, (Histogram | undefined)[]>>()

  constructor(family: Family<Histogram>) {
    this.#family = family
  }

  observe({ route = '', method, status, millis }: RequestEvent): void {
    let byMethod = this.#routes.get(route)
    if (byMethod === undefined) this.#routes.set(route, (byMethod = new Map()))
    let byStatus = byMethod.get(method)
    if (byStatus === undefined) {
      if (!methods.has(method))
        return this.#family.get(['_OTHER', route, String(status)]).observe(millis / 1000)
      byMethod.set(method, (byStatus = []))
    }
    const histogram = (byStatus[status] ??= this.#family.get([method, route, String(status)]))
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
    this.#addDurations()
    this.#addPools()
    this.#addReplicas()
    this.#addJobs()
    this.#stops.push(addRuntimeMetrics(this.#registry))
    const labels = { ...build, node: process.versions.node }
    const info = () => [{ labels, value: 1 }]
    this.#registry.addReading('gauge', 'fw_build_info', 'Versions, as labels.', info, 'max')
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

  #addRequests(): void {
    const family = this.#registry.addHistograms(
      'http_server_request_duration_seconds',
      'Requests, from the lookup of the route to the last byte of the response.',
      ['http_request_method', 'http_route', 'http_response_status_code'],
    )
    const durations = new RequestDurations(family)
    const aborted = this.#registry.addCounters(
      'fw_requests_aborted_total',
      'Requests whose client had gone before the response was complete.',
    )
    const sheds = this.#registry.addCounters(
      'fw_sheds_total',
      'Requests that got 503, by error code: an overload, or a service that does not answer.',
      ['code'],
    )
    const inFlight = (): number => requestChannel.inFlight
    const help = 'Requests of the process without a complete response.'
    this.#registry.addReading('gauge', 'http_server_active_requests', help, inFlight)
    const services = this.#services
    // Listens only to the end of requests: without a listener, the start channel costs nothing.
    const end = (event: RequestEvent): void => {
      if (event.ctx.services !== services) return
      durations.observe(event)
      const { error, isAborted } = event
      // The server has already counted the aborted requests to which it responded itself.
      if (isAborted) aborted.get().add(1)
      else if (error instanceof HttpError && error.status === 503) sheds.get([error.code]).add(1)
    }
    const onShed = (event: unknown): void => sheds.get([(event as ShedEvent).code]).add(1)
    shedChannel.subscribe(onShed)
    const stopSheds = (): void => void shedChannel.unsubscribe(onShed)
    this.#stops.push(requestChannel.subscribe({ end }), stopSheds)
  }

  /** Measures statements, waits for a connection, sessions and views. */
  #addDurations(): void {
    this.#measure(
      sqlChannel,
      'db_client_operation_duration_seconds',
      'Statements, from sending to the response, with the time that they wait for a connection.',
      ['db_operation_name', 'outcome'],
      ({ operation, error }) => [operation, outcome(error)],
    )
    this.#measure(
      poolWaitChannel,
      'db_client_connection_wait_time_seconds',
      'How long callers waited for a connection; those that got one at once are not counted.',
      ['outcome'],
      ({ error }) => [outcome(error)],
    )
    this.#measure(
      sessionChannel,
      'fw_session_store_duration_seconds',
      'Reads and writes of the session store.',
      ['store', 'operation', 'outcome'],
      ({ store, operation, error }) => [store, operation, outcome(error)],
    )
    this.#measure(
      viewChannel,
      'fw_view_render_duration_seconds',
      'Rendering of views with their layouts.',
      ['view', 'format', 'outcome'],
      ({ view, format, error }) => [view, format, outcome(error)],
    )
  }

  #measure<E extends WorkEvent>(
    channel: WorkChannel<E>,
    name: string,
    help: string,
    labels: readonly string[],
    valuesOf: (event: E) => readonly string[],
  ): void {
    const durations = this.#registry.addHistograms(name, help, labels)
    const end = (event: E): void => durations.get(valuesOf(event)).observe(event.millis / 1000)
    this.#stops.push(channel.subscribe({ end }))
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
      this.#registry.addReading('gauge', `db_client_connection_${name}`, help, samples)
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
    this.#registry.addReading('counter', 'fw_replica_requests_total', help, requests)
    const lagHelp = 'How far a replica is behind; absent while it does not answer.'
    this.#registry.addReading('gauge', 'fw_replica_lag_seconds', lagHelp, lags, 'max')
  }

  /** Measures the attempts of this process. The numbers of jobs are those of the database, equal in each process that runs jobs. */
  #addJobs(): void {
    this.#measure(
      jobChannel,
      'fw_job_duration_seconds',
      'Attempts of jobs. The outcome is done, failed (runs again), dead, returned at a stop, or lost to another process.',
      ['job', 'queue', 'outcome'],
      ({ row, outcome }) => [row.name, row.queue, outcome],
    )
    const gauge = (name: string, help: string, key: Exclude<keyof QueueState, 'queue'>): void => {
      const read = () =>
        latestCounts().map((state) => ({ labels: { queue: state.queue }, value: state[key] }))
      this.#registry.addReading('gauge', name, help, read, 'max')
    }
    gauge('fw_jobs_waiting', 'Due jobs that no process runs yet.', 'waiting')
    gauge('fw_jobs_delayed', 'Jobs whose time has not come.', 'delayed')
    gauge('fw_jobs_running', 'Jobs that processes run.', 'running')
    gauge('fw_jobs_dead', 'Dead letters.', 'dead')
    gauge('fw_jobs_oldest_seconds', 'How long the oldest due job has waited.', 'age')
  }
}

const outcome = (error: unknown): string => (error === undefined ? 'ok' : 'error')
