/** Starts Chromium, and `fw run` in an application's folder, for the tests of one file. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { removeExample, runExample, type Running } from './example.ts'

export interface BrowserAndExample {
  readonly browser: Browser
  /** The URL of the application. */
  readonly url: string
}

/**
 * Starts Chromium and the application before the file's tests, after the hooks registered earlier. After the tests,
 * stops both and removes the application's folder. `flags` are further arguments of Chromium.
 */
export function startBrowserAndExample(
  root: string,
  flags: readonly string[] = [],
): BrowserAndExample {
  let browser: Browser | undefined
  let running: Running | undefined
  beforeAll(async () => {
    // Start the browser first, so that no server keeps running if the browser does not start.
    browser = await startChromium(flags)
    running = await runExample(root)
  })
  afterAll(async () => {
    await browser?.close()
    await running?.process.end()
    await removeExample(root)
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
