/** Starts the access log, metrics and traces of an application as its settings require. */
import { requestChannel, type Services } from '../action.ts'
import { bindCurrentRequest } from '../base.ts'
import type { Configuration } from '../config.ts'
import { definedJobs } from '../jobs.ts'
import { startAccessLog } from './access-log.ts'
import type { BuildInfo, Metrics } from './metrics.ts'
import type { TelemetrySettings } from './settings.ts'

/** The parts of an application that telemetry reads. */
export interface TelemetrySource {
  readonly settings: TelemetrySettings & {
    readonly db: ReadonlyMap<string, { readonly sqlComments: boolean }>
  }
  readonly configuration: Configuration
  readonly services: Services
  readonly build: BuildInfo
}

/** The metrics of a started application, and the function that stops its telemetry. */
export interface Telemetry {
  /** The metrics; undefined if the setting `metrics.enabled` is false. */
  readonly metrics: Metrics | undefined
  stop(): void
}

/** Starts the telemetry that the settings enable. @throws FwError `telemetry.package-missing` */
export async function startTelemetry(source: TelemetrySource): Promise<Telemetry> {
  const { settings, configuration, services, build } = source
  const { accessLog, tracing, db } = settings
  const { env } = configuration
  const stops: (() => void)[] = []
  const logs = accessLog.enabled ?? (env.isProduction() || env.isStaging())
  const comments = db.values().some(({ sqlComments }) => sqlComments)
  if (tracing.enabled) {
    // Import this module only if traces are enabled, so that other applications do not load it.
    const { startTracing } = await import('./traces.ts')
    stops.push(await startTracing(build.fwjs))
  }
  // Jobs store the ids of the request that enqueues them.
  const hasJobs = definedJobs().length > 0
  if (logs || tracing.enabled || comments || hasJobs)
    stops.push(bindCurrentRequest(requestChannel.start))
  if (logs) stops.push(startAccessLog(services, accessLog))
  // Import this module only if it is used: most processes do not need it, and Bun lacks some names that it imports.
  const metrics = settings.metrics.enabled
    ? new (await import('./metrics.ts')).Metrics(services, build)
    : undefined
  const stop = (): void => {
    for (const each of stops) each()
    metrics?.stop()
  }
  return { metrics, stop }
}
