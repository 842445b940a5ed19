/** `testBrowser(app)`: the application under test in a real browser, with or without scripts. */
// oxlint-disable-next-line typescript/ban-ts-comment -- it must stand in the declarations, where the peer may be missing
/** @ts-ignore An optional peer: where it is missing, its pages are of no known type. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { HttpServer } from '../server.ts'
import { noBrowser, startChromium } from './chromium.ts'
import { atEnd, oncePerProcess } from './once-per-process.ts'
import type { TestApp } from './test-app.ts'
import { testHooks } from './test-hooks.ts'

interface Started {
  readonly browser: Browser
  readonly server: HttpServer
  readonly origin: string
}

/** Pages of an application under test, in one browser that is started by the first of them. */
export class TestBrowser {
  /** Why there are no pages here: for `skip` of `describe` and `it`. False where there are. */
  readonly skip: string | false
  readonly #app: TestApp
  readonly #visitors = new Set<BrowserContext>()
  #started: Promise<Started> | undefined

  constructor(app: TestApp, skip: string | false) {
    this.#app = app
    this.skip = skip
  }

  /**
   * A page of a new visitor, who has no cookies yet. Playwright's options choose size, language, colours, and
   * `javaScriptEnabled: false` how the application does without scripts.
   * @throws FwError `testing.no-browser`
   */
  async open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
    const { browser, origin } = await (this.#started ??= this.#start())
    const context = await browser.newContext({ baseURL: origin, ...options })
    this.#visitors.add(context)
    const page = await context.newPage()
    await page.goto(path)
    return page
  }

  /** Closes every page; after each test, `testBrowser` sees to it. */
  async leave(): Promise<void> {
    await Promise.all([...this.#visitors].map((context) => context.close()))
    this.#visitors.clear()
  }

  /** Ends the browser; after the last test, `testBrowser` sees to it. */
  async close(): Promise<void> {
    // One that failed to start has been told of by the test that wanted it.
    const started = await this.#started?.catch(() => undefined)
    await started?.browser.close()
    await started?.server.close()
  }

  async #start(): Promise<Started> {
    const browser = await startChromium()
    const { handle, logger } = this.#app.application
    const server = new HttpServer(handle, { logger })
    try {
      const { port } = await server.listen(0)
      return { browser, server, origin: `http://127.0.0.1:${port}` }
    } catch (error) {
      await browser.close()
      throw error
    }
  }
}

/**
 * A browser for the tests of a file; call it once at its top, after `testApp`. What its pages write is undone after each
 * test, like all else. Where playwright-core or a Chromium is missing, `skip` says so.
 */
export function testBrowser(app: TestApp): Promise<TestBrowser> {
  return oncePerProcess(app, 'browser', async () => {
    const browser = new TestBrowser(app, await noBrowser())
    await atEnd(() => browser.close())
    const { afterEach } = await testHooks()
    afterEach(() => browser.leave())
    return browser
  })
}
