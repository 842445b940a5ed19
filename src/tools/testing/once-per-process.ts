/** What the test files of one process share: each application, database and browser starts once. */
import { AsyncResource } from 'node:async_hooks'

type Register = (work: () => unknown) => unknown

interface TestHooks {
  readonly beforeEach: Register
  readonly afterEach: Register
  /** Once, after all tests of the file. */
  readonly afterAll: Register
}

// In variables, so that no tool resolves a test runner that is not installed.
const runners = { vitest: 'vitest', bun: 'bun:test', node: 'node:test' } as const

function currentRunner(): string {
  if (process.env['VITEST'] !== undefined) return runners.vitest
  return process.versions['bun'] === undefined ? runners.node : runners.bun
}

/** The hooks of the running test runner: Vitest, Bun's or Node's. */
export async function testHooks(): Promise<TestHooks> {
  const runner = (await import(currentRunner())) as TestHooks & { readonly after?: Register }
  return {
    beforeEach: runner.beforeEach,
    afterEach: runner.afterEach,
    afterAll: runner.after ?? runner.afterAll,
  }
}

/** Node registers a hook with the suite of the current async context: this one is the file's, outside every suite. */
const outsideSuites = new AsyncResource('fwjs/testing')

/** Registers hooks of each test: of the whole file under Node, of the current suite under other runners. */
export async function eachTest(before: () => unknown, after: () => unknown): Promise<void> {
  const hooks = await testHooks()
  outsideSuites.runInAsyncScope(() => {
    hooks.beforeEach(before)
    hooks.afterEach(after)
  })
}

const shared = new Map<unknown, Map<string, unknown>>()
const closers: (() => unknown)[] = []
let holders = 0

/** Calls `make` once for each owner and name, until all tests have ended. */
export function oncePerProcess<T>(owner: unknown, name: string, make: () => T): T {
  const own = shared.get(owner) ?? new Map<string, unknown>()
  shared.set(owner, own)
  if (!own.has(name)) own.set(name, make())
  return own.get(name) as T
}

/**
 * Keeps shared resources open until the current file ends, or under other runners than Node's the current suite. The
 * last holder closes them. A runner that ends after each file makes the next file start its own application.
 */
export async function holdResources(): Promise<void> {
  const { afterAll } = await testHooks()
  holders++
  outsideSuites.runInAsyncScope(() =>
    afterAll(async () => {
      // Node ends after the last file, and never runs the hook of a file that fails while it loads.
      if (--holders > 0 && currentRunner() !== runners.node) return
      shared.clear()
      await runAll(closers.splice(0).toReversed())
    }),
  )
}

/** Registers work for the end of all tests; it runs in reverse order. */
export async function afterAllTests(work: () => unknown): Promise<void> {
  closers.push(work)
  await holdResources()
}

/** Runs all, in order, also after a failure. @throws the first failure */
export async function runAll(all: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const work of all) {
    try {
      await work()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
