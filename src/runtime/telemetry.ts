/** telemetry: access log, metrics and traces, from the events of the other modules. */
export { startTelemetry } from './telemetry/start-telemetry.ts'
export { telemetrySettings, type TelemetrySettings } from './telemetry/settings.ts'
