/**
 * Fails a test file that changes the state of the process, such as its environment or listeners. Test files share a
 * worker (see vitest.config.ts), so the change would affect later files.
 */
import { afterAll, beforeAll, expect, vi } from 'vitest'

const events = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'] as const

/**
 * The name of a listener to ignore. The module `domain`, which the REPL of Node 22 loads, adds it when a file adds its
 * first listener.
 */
const domainListener = 'domainUncaughtExceptionClear'
const countListeners = (event: (typeof events)[number]): number =>
  process.listeners(event as 'SIGINT').filter(({ name }) => name !== domainListener).length

function readProcessState(): unknown {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
    // Ignore names with this prefix: under them, libraries store values that all their copies share.
    globals: Object.keys(globalThis).filter((name) => !name.startsWith('__')),
    listeners: Object.fromEntries(events.map((event) => [event, countListeners(event)])),
    hasFakeTimers: vi.isFakeTimers(),
  }
}

let before: unknown
// Vitest runs the hooks of the test file between these two hooks.
beforeAll(() => {
  before = readProcessState()
})
afterAll(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- checks the state at the end of each file
  expect(readProcessState(), 'the process state after the file').toEqual(before)
})
