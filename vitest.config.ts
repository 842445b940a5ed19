/** The test projects: unit (beside the code and in test/), package and browser. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** The memory of a worker with an embedded PostgreSQL, in bytes. */
const bytesPerWorker = 1.2 * 2 ** 30
/** More than the number of cores, because many tests wait for child processes. */
const workers = Math.min(
  2 * availableParallelism(),
  Math.floor(process.availableMemory() / bytesPerWorker),
)

// Tests start hundreds of processes from the sources; the compile cache halves their startup time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node')

const conditions = ['fwjs-source', 'node']
const report = process.env['FW_TEST_REPORT']
const apart = ['test/package.test.ts', 'test/browser/**']
/** Suites whose results depend on neither Node nor the database; with `FW_TEST_SCOPE=node` they do not run. */
const ofFiles = [
  'test/{architecture,docs,docs-data,docs-security,editors,public-interface,readme}.test.ts',
  'test/example/types.test.ts',
  'test/generate/{apis-page,edit-code,new-choices,own-relations,own-type,quoted-texts,schemas,vite}.test.ts',
]
const isNodeScope = process.env['FW_TEST_SCOPE'] === 'node'

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    env: { FW_ENV: 'test' },
    // Test files share a worker and its loaded modules, which takes a third of the time. Each file must clean up.
    isolate: false,
    // The flags of child processes in tests, see test/support/environment.ts.
    execArgv: ['--liftoff-only'],
    setupFiles: 'test/support/process-state.ts',
    globalSetup: ['test/support/build.ts', 'test/support/temporary-folder.ts'],
    // Only for tests that hang: build machines are slow.
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
          exclude: isNodeScope ? [...apart, ...ofFiles] : apart,
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
