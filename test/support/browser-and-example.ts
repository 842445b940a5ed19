/** Starts Chromium and `fw run` of an application for the tests of a file. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { removeExample, runExample, type Running } from './example.ts'

export interface BrowserAndExample {
  readonly browser: Browser
  /** The URL of the application. */
  readonly url: string
}

/** Starts both before the file's tests, after earlier hooks; stops them after the tests and removes the application's folder. */
export function startBrowserAndExample(root: string): BrowserAndExample {
  let browser: Browser | undefined
  let running: Running | undefined
  beforeAll(async () => {
    // Start the browser first: if it fails, no server remains.
    browser = await startChromium()
    running = await runExample(root)
  })
  afterAll(async () => {
    await browser?.close()
    await running?.process.end()
    removeExample(root)
  })
  return {
    get browser() {
      return browser!
    },
    get url() {
      return running!.url
    },
  }
}
