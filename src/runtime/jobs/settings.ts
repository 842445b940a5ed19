/** The settings of jobs. Each `doc` is a row of docs/configuration.md. */
import { defineSettings, type SettingsOf } from '../config.ts'

const hour = 60 * 60 * 1000

/** The settings in the section `jobs`. */
export const jobSettings = defineSettings({
  jobs: {
    run: {
      kind: 'boolean',
      default: false,
      doc: 'fw start also runs jobs; false: only fw jobs does. fw run always does.',
    },
    concurrency: {
      kind: 'int',
      default: 8,
      min: 1,
      max: 1000,
      doc: 'How many jobs of a queue one process runs at once.',
    },
    queues: {
      kind: 'texts',
      default: new Map(),
      doc: 'The concurrency of single queues, such as slow: 2.',
      check: (queues) =>
        [...queues.values()].every((text) => /^(?:[1-9]\d{0,2}|1000)$/.test(text))
          ? undefined
          : 'must be numbers from 1 to 1000',
    },
    pollInterval: {
      kind: 'duration',
      default: 1000,
      min: 50,
      max: hour,
      doc: 'How often a process looks for due jobs. A notification wakes it earlier.',
    },
    drainTimeout: {
      kind: 'duration',
      default: 10_000,
      max: hour,
      doc: 'How long running jobs may take when the process stops; then they are given back.',
    },
    keepDead: {
      kind: 'duration',
      default: 30 * 24 * hour,
      doc: 'How long dead letters are kept.',
    },
  },
})

/** The validated settings of the section `jobs`. */
export type JobSettings = SettingsOf<typeof jobSettings>['jobs']
