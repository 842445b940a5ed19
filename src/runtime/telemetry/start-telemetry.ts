/** Starts the telemetry of an application by its settings. */
import { requestChannel, type Services } from '../action.ts'
import { bindCurrentRequest } from '../base.ts'
import type { Configuration } from '../config.ts'
import { startAccessLog } from './access-log.ts'
import type { TelemetrySettings } from './settings.ts'

/** What telemetry reads of an application. */
export interface TelemetrySource {
  readonly settings: TelemetrySettings & {
    readonly db: ReadonlyMap<string, { readonly sqlComments: boolean }>
  }
  readonly configuration: Configuration
  readonly services: Services
}

/** Returns a function that stops it. */
export function startTelemetry({ settings, configuration, services }: TelemetrySource): () => void {
  const { accessLog, db } = settings
  const { env } = configuration
  const stops: (() => void)[] = []
  const logs = accessLog.enabled ?? (env.isProduction() || env.isStaging())
  const comments = db.values().some(({ sqlComments }) => sqlComments)
  if (logs || comments) stops.push(bindCurrentRequest(requestChannel.start))
  if (logs) stops.push(startAccessLog(services, accessLog))
  return () => {
    for (const stop of stops) stop()
  }
}
