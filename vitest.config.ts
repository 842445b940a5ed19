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
const ofPackage = ['test/{package,clone}.test.ts']
const apart = [...ofPackage, 'test/browser/**']
/** Suites whose results depend on neither Node nor the database. */
const ofFiles = [
  'test/{architecture,clone,docs,docs-data,docs-security,editors,launcher,public-interface,publication,readme}.test.ts',
  'test/example/types.test.ts',
  'test/lsp/{examples,features,random-edits}.test.ts',
  'test/generate/{apis-page,edit-code,enumeration,new-choices,own-relations,own-type,quoted-texts,schemas,vite}.test.ts',
]
/**
 * Suites of SQL and of generated code, whose results depend on the database, and hardly on Node. `test/fault` still breaks
 * connections on each Node.
 */
const ofDatabase = [
  'src/runtime/{db,model}/**',
  'test/{fuzz,generate,openapi}/**',
  'test/cli/{check,rebuild-database}.test.ts',
]
/** Suites whose results depend on Node, but not on the database. */
const ofNode = ['src/templates/**', 'test/{bad-inputs,lsp,memory}/**']
/** The suites that do not run with `FW_TEST_SCOPE`. */
const outOfScope: Readonly<Record<string, readonly string[]>> = {
  database: [...ofFiles, ...ofNode],
  node: [...ofFiles, ...ofDatabase],
}
const scope = process.env['FW_TEST_SCOPE']

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
          exclude: [...apart, ...(outOfScope[scope ?? ''] ?? [])],
        },
      },
      {
        extends: true,
        test: { name: 'package', include: ofPackage, testTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          // Four files, each with Chromium and an application, share the cores with each other.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
})
