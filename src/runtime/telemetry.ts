/** telemetry: access log, metrics and traces, which it creates from the events that other modules publish. */
export type { MetricSnapshot } from './telemetry/exposition.ts'
export { MergedMetrics } from './telemetry/merged-metrics.ts'
export type { Metrics } from './telemetry/metrics.ts'
export { metricsResponse } from './telemetry/metrics-response.ts'
export { startTelemetry } from './telemetry/start-telemetry.ts'
export { telemetrySettings } from './telemetry/settings.ts'
