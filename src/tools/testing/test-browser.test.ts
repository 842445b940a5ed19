/** Resources of tests are closed even after failures, so that the test run ends. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { afterAllTests, runAll } from './once-per-process.ts'
import type { TestApp } from './test-app.ts'
import { TestBrowser } from './test-browser.ts'

test('a browser that fails to start rejects open, and close does nothing', async () => {
  vi.stubEnv('CHROMIUM', '/nowhere/chromium')
  onTestFinished(() => void vi.unstubAllEnvs())
  const browser = new TestBrowser({} as TestApp, false)
  await expect(browser.open('/')).rejects.toThrow('/nowhere/chromium')
  await expect(browser.close()).resolves.toBeUndefined()
})

test('a user who was not found is refused', async () => {
  const user = { as: undefined } as unknown as { as: null }
  const opened = new TestBrowser({} as TestApp, false).open('/', user)
  await expect(opened).rejects.toMatchObject({ code: 'testing.user-undefined' })
})

test('runAll runs everything, then throws the first failure', async () => {
  const ran: string[] = []
  const ending = (name: string, fails: boolean) => () => {
    ran.push(name)
    if (fails) throw new Error(name)
  }
  const all = [ending('a', false), ending('b', true), ending('c', true), ending('d', false)]
  await expect(runAll(all)).rejects.toThrow('b')
  expect(ran).toEqual(['a', 'b', 'c', 'd'])
})

describe('work for the end of all tests', () => {
  const ended: string[] = []
  describe('of the outer suite', async () => {
    await afterAllTests(() => ended.push('outer'))
    describe('and of an inner one', async () => {
      await afterAllTests(() => ended.push('inner'))
      test('waits for its tests', () => expect(ended).toEqual([]))
    })
    test('waits for the last suite that registered any', () => expect(ended).toEqual([]))
  })

  test('runs in reverse order', () => expect(ended).toEqual(['inner', 'outer']))
})
