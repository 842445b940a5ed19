/** Files share a worker (see vitest.config.ts): one that leaves the process changed fails, rather than a file after it. */
import { afterAll, beforeAll, expect, vi } from 'vitest'

const events = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'] as const

function stateOfProcess(): unknown {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
    // Libraries keep what all their copies share under names that begin so.
    globals: Object.keys(globalThis).filter((name) => !name.startsWith('__')),
    listeners: Object.fromEntries(events.map((event) => [event, process.listenerCount(event)])),
    hasFakeTimers: vi.isFakeTimers(),
  }
}

let before: unknown
// The file's own hooks come after the first, and before the last.
beforeAll(() => {
  before = stateOfProcess()
})
afterAll(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- it is the end of each file that is asked
  expect(stateOfProcess(), 'what the file leaves behind').toEqual(before)
})
