/** Shares applications, databases and browsers between the test files of one process, so that each starts only once. */
import { AsyncResource } from 'node:async_hooks'

type Register = (work: () => unknown) => unknown

interface TestHooks {
  readonly beforeEach: Register
  readonly afterEach: Register
  /** Registers a function that runs once, after all tests of the file. */
  readonly afterAll: Register
}

const ownRunner = process.versions['bun'] === undefined ? 'node:test' : 'bun:test'
/** The current test runner. It is imported by variable, so that tools do not try to resolve one that is not installed. */
const runner = process.env['VITEST'] === undefined ? ownRunner : 'vitest'

/** Returns the hooks of the current test runner: Vitest, Bun's or Node's. */
async function testHooks(): Promise<TestHooks> {
  const hooks = (await import(runner)) as TestHooks & { readonly after?: Register }
  const { beforeEach, afterEach, afterAll, after = afterAll } = hooks
  return { beforeEach, afterEach, afterAll: after }
}

/**
 * The async context of the test file, outside every suite. Node registers a hook with the suite of the current async context.
 */
const outsideSuites = new AsyncResource('fwjs/testing')

/** Registers hooks for each test of the whole file under Node, or of the current suite under other runners. */
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

/** Calls `make` once for each owner and name, and later returns the same result until all tests have ended. */
export function oncePerProcess<T>(owner: unknown, name: string, make: () => T): T {
  const own = shared.get(owner) ?? new Map<string, unknown>()
  shared.set(owner, own)
  if (!own.has(name)) own.set(name, make())
  return own.get(name) as T
}

/**
 * Keeps the shared resources open until the current file ends, or with runners other than Node's until the current suite ends.
 * The last holder closes the resources. If a runner ends its process after each file, the next file starts its own application.
 */
export async function holdResources(): Promise<void> {
  const { afterAll } = await testHooks()
  holders++
  outsideSuites.runInAsyncScope(() =>
    afterAll(async () => {
      // Do not count holders under Node: its hook runs after the last file, but never for a file that fails while it loads.
      if (--holders > 0 && runner !== 'node:test') return
      shared.clear()
      await runAll(closers.splice(0).toReversed())
    }),
  )
}

/** Registers a function that runs after all tests; the functions run in reverse order of registration. */
export async function afterAllTests(work: () => unknown): Promise<void> {
  closers.push(work)
  await holdResources()
}

/** Runs all functions in order, even if one of them fails. @throws the first failure */
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
