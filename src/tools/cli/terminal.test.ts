/** Progress is shown on a terminal only, and erased at the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withProgress } from './terminal.ts'

let written: string
const terminal = (isTTY: boolean) => ({ isTTY, write: (text: unknown) => (written += text) !== '' })

beforeEach(() => {
  written = ''
  vi.useFakeTimers()
  vi.stubEnv('CI', undefined)
  vi.stubEnv('TERM', 'xterm')
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** Work that takes 1.2 seconds. */
async function watched(isTTY: boolean): Promise<string> {
  const work = Promise.withResolvers<string>()
  const shown = withProgress('checking', () => work.promise, terminal(isTTY))
  vi.advanceTimersByTime(1200)
  work.resolve('done')
  return shown
}

test('a terminal shows the text and the seconds, and erases them at the end', async () => {
  expect(await watched(true)).toBe('done')
  expect(written).toMatch(/checking 0 s.*checking 1 s\r\u001b\[K$/s)
})

test.each(['a pipe', 'CI', 'a dumb terminal'])('%s shows nothing', async (where) => {
  if (where === 'CI') vi.stubEnv('CI', 'true')
  if (where === 'a dumb terminal') vi.stubEnv('TERM', 'dumb')
  expect(await watched(where !== 'a pipe')).toBe('done')
  expect(written).toBe('')
})

test('a failure is passed on, and its timer is cleared', async () => {
  const failing = withProgress('checking', () => Promise.reject(new Error('no')), terminal(true))
  await expect(failing).rejects.toThrow('no')
  vi.advanceTimersByTime(1000)
  expect(written).toBe('')
})
