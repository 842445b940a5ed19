/** What is begun for tests ends, whatever fails: else the test run would not. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { atEnd, runEndings } from './once-per-process.ts'
import type { TestApp } from './test-app.ts'
import { TestBrowser } from './test-browser.ts'

test('a browser that does not start fails the test that wants it, and its end is none', async () => {
  vi.stubEnv('CHROMIUM', '/nowhere/chromium')
  onTestFinished(() => void vi.unstubAllEnvs())
  const browser = new TestBrowser({} as TestApp, false)
  await expect(browser.open('/')).rejects.toThrow('/nowhere/chromium')
  await expect(browser.close()).resolves.toBeUndefined()
})

test('every ending runs; the first failure is thrown afterwards', async () => {
  const ran: string[] = []
  const ending = (name: string, fails: boolean) => () => {
    ran.push(name)
    if (fails) throw new Error(name)
  }
  const all = [ending('a', false), ending('b', true), ending('c', true), ending('d', false)]
  await expect(runEndings(all)).rejects.toThrow('b')
  expect(ran).toEqual(['a', 'b', 'c', 'd'])
})

describe('an end that is registered', async () => {
  const ended: string[] = []
  // As of a file that failed while it was read: its own hook does not come before those of the next.
  await atEnd(() => ended.push('before'))
  describe('by the next file', async () => {
    await atEnd(() => ended.push('next'))
    test('waits for the tests', () => expect(ended).toEqual([]))
  })

  test('comes with it, the last one first', () => expect(ended).toEqual(['next', 'before']))
})
