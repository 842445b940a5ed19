/** Starts the telemetry of an application by its settings. */
import { requestChannel, type Services } from '../action.ts'
import { bindCurrentRequest } from '../base.ts'
import type { Configuration } from '../config.ts'
import { startAccessLog } from './access-log.ts'
import type { BuildInfo, Metrics } from './metrics.ts'
import type { TelemetrySettings } from './settings.ts'

/** What telemetry reads of an application. */
export interface TelemetrySource {
  readonly settings: TelemetrySettings & {
    readonly db: ReadonlyMap<
      string,
      { readonly sqlComments: boolean; readonly maxQueueTime?: number | undefined }
    >
  }
  readonly configuration: Configuration
  readonly services: Services
  readonly build: BuildInfo
}

/** The running telemetry of an application. */
export interface Telemetry {
  /** Undefined without the setting `metrics.enabled`. */
  readonly metrics: Metrics | undefined
  stop(): void
}

/** Bun lacks some names that the module imports, and most processes need none of them. */
const createMetrics = async (services: Services, build: BuildInfo): Promise<Metrics> =>
  new (await import('./metrics.ts')).Metrics(services, build)

/** @throws FwError `telemetry.package-missing` */
export async function startTelemetry(source: TelemetrySource): Promise<Telemetry> {
  const { settings, configuration, services, build } = source
  const { accessLog, tracing, db } = settings
  const { env } = configuration
  const stops: (() => void)[] = []
  const logs = accessLog.enabled ?? (env.isProduction() || env.isStaging())
  const comments = db.values().some(({ sqlComments }) => sqlComments)
  if (tracing.enabled) {
    // Imported here, so that an application without traces never loads it.
    const { startTracing } = await import('./traces.ts')
    stops.push(await startTracing(build.fwjs))
  }
  // A pool that sheds load serves the requests first that it has served before.
  const sheds = env.isProduction() || db.values().some(({ maxQueueTime = 0 }) => maxQueueTime > 0)
  if (logs || tracing.enabled || comments || sheds)
    stops.push(bindCurrentRequest(requestChannel.start))
  if (logs) stops.push(startAccessLog(services, accessLog))
  const metrics = settings.metrics.enabled ? await createMetrics(services, build) : undefined
  const stop = (): void => {
    for (const each of stops) each()
    metrics?.stop()
  }
  return { metrics, stop }
}
