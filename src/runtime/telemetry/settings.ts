/** The settings of logs, metrics and traces. Each `doc` is a row of docs/configuration.md. */
import { defineSettings, type SettingsOf } from '../config.ts'

const longest = 24 * 60 * 60 * 1000

/** The section `accessLog`. */
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
})

/** The values of `telemetrySettings`. */
export type TelemetrySettings = SettingsOf<typeof telemetrySettings>
