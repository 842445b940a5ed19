/** The suites: unit beside the code and in test/, the packed package, and the browser. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** A worker that opens its embedded PostgreSQL takes about this much memory, in bytes. */
const bytesPerWorker = 1.2 * 2 ** 30
/** More than there are cores: many tests wait for processes of their own. */
const workers = Math.min(
  2 * availableParallelism(),
  Math.floor(process.availableMemory() / bytesPerWorker),
)

// Tests start hundreds of processes from the sources: each takes half the time when it finds them compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node')

const conditions = ['fwjs-source', 'node']
const report = process.env['FW_TEST_REPORT']
const apart = ['test/package.test.ts', 'test/browser/**']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    env: { FW_ENV: 'test' },
    // Files share a worker, and what it has loaded: a third of the time. Each leaves it as it found it.
    isolate: false,
    // As processes of tests are started, see test/support/environment.ts.
    execArgv: ['--liftoff-only'],
    setupFiles: 'test/support/left-over.ts',
    globalSetup: ['test/support/build.ts', 'test/support/temporary-folder.ts'],
    // A bound for what hangs, not a measure of speed: machines that build are busy.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
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
