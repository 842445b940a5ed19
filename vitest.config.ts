/** The suites: unit beside the code and in test/, the packed package, and the browser. */
import { availableParallelism, freemem } from 'node:os'
import { defineConfig } from 'vitest/config'

/** A worker that opens its embedded PostgreSQL takes about this much memory. */
const bytesPerWorker = 1.2 * 2 ** 30
const workers = Math.min(availableParallelism(), Math.floor(freemem() / bytesPerWorker))

const conditions = ['fwjs-source', 'node']
const report = process.env['FW_TEST_REPORT']
const apart = ['test/package.test.ts', 'test/browser/**']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    env: { FW_ENV: 'test' },
    // A bound for what hangs, not a measure of speed: machines that build are busy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: Math.max(1, workers),
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: report }),
    coverage: { include: ['src/**'], exclude: ['src/**/*.{test,fixture}.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: apart,
        },
      },
      {
        extends: true,
        test: { name: 'package', include: ['test/package.test.ts'], testTimeout: 120_000 },
      },
      {
        extends: true,
        test: { name: 'browser', include: ['test/browser/**/*.test.ts'] },
      },
    ],
  },
})
