/** The hooks of whichever test runner is under way: Node's own, Vitest or Bun's. */

type Register = (work: () => unknown) => unknown

/** What `testApp` registers with. */
export interface TestHooks {
  readonly beforeEach: Register
  readonly afterEach: Register
  /** Once, after all tests of the file. */
  readonly afterAll: Register
}

// By variables, for a runner that is not there must not be looked for.
const runners = { vitest: 'vitest', bun: 'bun:test', node: 'node:test' } as const

function runnerUnderWay(): string {
  if (process.env['VITEST'] !== undefined) return runners.vitest
  return process.versions['bun'] === undefined ? runners.node : runners.bun
}

export async function testHooks(): Promise<TestHooks> {
  const runner = (await import(runnerUnderWay())) as TestHooks & { readonly after?: Register }
  return {
    beforeEach: runner.beforeEach,
    afterEach: runner.afterEach,
    afterAll: runner.after ?? runner.afterAll,
  }
}
