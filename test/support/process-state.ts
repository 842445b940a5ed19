/** Fails a test file that changes the process's state. Files share a worker (see vitest.config.ts), so it would affect later files. */
import { afterAll, beforeAll, expect, vi } from 'vitest'

const events = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'] as const

/** The module `domain`, which the REPL of Node 22 loads, adds this listener beside the first one of a file. */
const ofDomains = 'domainUncaughtExceptionClear'
const countListeners = (event: (typeof events)[number]): number =>
  process.listeners(event as 'SIGINT').filter(({ name }) => name !== ofDomains).length

function readProcessState(): unknown {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    exitCode: process.exitCode,
    // Libraries store values shared by their copies under names with this prefix.
    globals: Object.keys(globalThis).filter((name) => !name.startsWith('__')),
    listeners: Object.fromEntries(events.map((event) => [event, countListeners(event)])),
    hasFakeTimers: vi.isFakeTimers(),
  }
}

let before: unknown
// The hooks of the file run after the first and before the second of these hooks.
beforeAll(() => {
  before = readProcessState()
})
afterAll(() => {
  // oxlint-disable-next-line vitest/no-standalone-expect -- checks the state at the end of each file
  expect(readProcessState(), 'the process state after the file').toEqual(before)
})
