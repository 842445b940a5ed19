/** The test projects: unit (beside the code and in test/), package and browser. */
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

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
/**
 * The suites that take more than 50 s. They start first, because a file that starts last runs alone while the other workers
 * have nothing left to do. Without an earlier run, Vitest knows only the sizes of the files.
 */
const slowest = [
  'test/browser/accounts.test.ts',
  'test/browser/client-libraries.test.ts',
  'test/browser/journal.test.ts',
  'test/browser/scaffold.test.ts',
  'test/cli/rebuild-database.test.ts',
  'test/cli/workers.test.ts',
  'test/clone.test.ts',
  'test/generate/authentication.test.ts',
  'test/generate/enumeration.test.ts',
  'test/generate/existing-accounts.test.ts',
  'test/generate/new-application.test.ts',
  'test/generate/new-choices.test.ts',
  'test/generate/schemas.test.ts',
  'test/generate/scope.test.ts',
  'test/lsp/feature-table.test.ts',
  'test/lsp/diagnostics.test.ts',
  'test/lsp/rename-fields.test.ts',
]

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification) =>
      slowest.includes(relative(import.meta.dirname, moduleId))
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

/** Suites that run once, because the version of Node and the database hardly change their results. */
const ofFiles = [
  'test/{architecture,clone,docs,docs-{accounts,coming-from,data,mail,security,validation},editors,launcher,public-interface,publication,readme}.test.ts',
  'test/example/types.test.ts',
  'test/cli/{background-check,format}.test.ts',
  'test/generate/{account-attacks,apis-page,authentication,default-user,edit-code,enumeration,existing-accounts,foreign-words,language,new-application,new-choices,own-relations,own-type,quoted-texts,right-to-left,schemas,texts,vite}.test.ts',
  'test/lsp/{code-style,diagnostics,examples,feature-table,features,form-fields,message-names,random-edits,rename-fields}.test.ts',
  'test/spec/views-production.test.ts',
]
/**
 * Suites of SQL and of generated code, whose results depend on the database, and hardly on Node. The other suites of
 * `test/fault` break connections on each Node.
 */
const ofDatabase = [
  'src/runtime/{db,model}/**',
  'test/{fuzz,generate,openapi}/**',
  'test/cli/{check,rebuild-database,shared-database}.test.ts',
  'test/fault/{changed-schema,data,fail-over,overloaded-database,replicas,schema-change}.test.ts',
  'test/spec/{row-level-security,statements}.test.ts',
]
/** Suites whose results depend on Node, but not on the database. */
const ofNode = ['src/templates/**', 'test/{bad-inputs,lsp,memory}/**']
/** The suites that do not run with `FW_TEST_SCOPE`. */
const outOfScope: Readonly<Record<string, readonly string[]>> = {
  database: [...ofFiles, ...ofNode],
  // The specification is tested on the oldest version and on the main one.
  node: [...ofFiles, ...ofDatabase, 'test/spec/**'],
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
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: Math.max(1, workers),
    sequence: { sequencer: SlowestFirst },
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
        test: { name: 'package', include: ofPackage },
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
