/** The settings of the access log, metrics and traces. Each `doc` is a row of docs/configuration.md. */
import { defineSettings, type SettingsOf } from '../config.ts'

const longest = 24 * 60 * 60 * 1000

/** The settings in the sections `accessLog`, `metrics` and `tracing`. */
export const telemetrySettings = defineSettings({
  accessLog: {
    enabled: {
      kind: 'boolean',
      doc: 'Logs each request. Default: true in staging and production.',
    },
    only: {
      kind: 'string',
      oneOf: ['all', 'notable'],
      default: 'all',
      doc: '`notable`: only requests that are slow, or whose status is 500 and above.',
    },
    slow: { kind: 'duration', default: 1000, min: 0, max: longest, doc: 'When a request is slow.' },
    sample: {
      kind: 'double',
      default: 1,
      min: 0,
      max: 1,
      doc: 'The share of requests that are logged. Slow and failed ones are always logged.',
    },
  },
  metrics: {
    enabled: { kind: 'boolean', default: false, doc: 'Measures requests, and serves metrics.' },
    path: {
      kind: 'string',
      default: '/metrics',
      doc: 'The path of the metrics.',
      check: (path) => (/^\/[\w./-]*$/.test(path) ? undefined : 'must look like /metrics'),
    },
    port: {
      kind: 'int',
      min: 0,
      max: 65_535,
      doc: 'A port for metrics only. Default: 9464, unless a token is set.',
    },
    host: {
      kind: 'string',
      default: '127.0.0.1',
      doc: 'The address of that port; 0.0.0.0 opens it to the network.',
    },
    token: {
      kind: 'string',
      secret: true,
      doc: 'Serves metrics on the port of the application to clients that send it as Bearer token.',
      check: (token) => (token.length >= 16 ? undefined : 'must have 16 characters or more'),
    },
  },
  tracing: {
    enabled: {
      kind: 'boolean',
      default: false,
      doc: 'Reports spans to OpenTelemetry. Needs the package @opentelemetry/api.',
    },
  },
})

/** The type of the values that `telemetrySettings` describes. */
export type TelemetrySettings = SettingsOf<typeof telemetrySettings>
