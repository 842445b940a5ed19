/** What the test files of one process share, so that it is started once: an application, its database, a browser. */
import { testHooks } from './test-hooks.ts'

const kept = new Map<unknown, Map<string, unknown>>()
const endings: (() => unknown)[] = []

/** What `make` gave for this owner and name, for as long as it lasts. */
export function oncePerProcess<T>(owner: unknown, name: string, make: () => T): T {
  const own = kept.get(owner) ?? new Map<string, unknown>()
  kept.set(owner, own)
  if (!own.has(name)) own.set(name, make())
  return own.get(name) as T
}

/**
 * After all tests, what was begun last ends first; one that fails keeps no other from its end. Node's runner is done after
 * the last file; with a runner that is done after each file, the next one starts its own.
 */
export async function atEnd(work: () => unknown): Promise<void> {
  endings.push(work)
  const { afterAll } = await testHooks()
  // Every time: a file that fails while it is read never runs the hook that it has registered. The first hook ends all.
  afterAll(async () => {
    kept.clear()
    await runEndings(endings.splice(0).toReversed())
  })
}

/** All of them, in this order. @throws the first failure, once every one has run */
export async function runEndings(all: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = []
  for (const end of all) {
    try {
      await end()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
