/** `testBrowser(app)`: tests the application in a Chromium browser. */
// oxlint-disable-next-line typescript/ban-ts-comment -- @ts-expect-error would be an error where the peer is installed
/** @ts-ignore The package is an optional peer dependency; if it is missing, its types are `any`. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { HttpServer } from '../../runtime/server.ts'
import { missingBrowser, startChromium } from './chromium.ts'
import { checkUser } from './client.ts'
import { afterAllTests, eachTest, oncePerProcess } from './once-per-process.ts'
import type { TestApp } from './test-app.ts'

interface Started {
  readonly browser: Browser
  readonly server: HttpServer
  readonly origin: string
}

/** Playwright's options of a visitor, and the user who is logged in. */
type OpenOptions<User> = BrowserContextOptions & { readonly as?: User | null }

/** Opens pages of an application under test. All pages use one browser, which starts when the first page is opened. */
export class TestBrowser<User = never> {
  /** The reason why no browser can be started, else false. Pass it to `describe` or `it` as `skip`. */
  readonly skip: string | false
  readonly #app: TestApp<User>
  readonly #visitors = new Set<BrowserContext>()
  #started: Promise<Started> | undefined

  constructor(app: TestApp<User>, skip: string | false) {
    this.#app = app
    this.skip = skip
  }

  /**
   * Opens a page as a new visitor without cookies. Playwright's options set the size, language and colours;
   * `javaScriptEnabled: false` disables scripts. `as` is a user who is logged in, or null: see `Visitor.as`.
   * @throws FwError `testing.no-browser`, `testing.user-undefined`
   */
  async open(path: string, given: OpenOptions<User> = {}): Promise<Page> {
    if ('as' in given) checkUser(given.as)
    const { as: user = null, ...options } = given
    const { browser, origin } = await (this.#started ??= this.#start())
    const context = await browser.newContext({ baseURL: origin, ...options })
    this.#visitors.add(context)
    if (user !== null) {
      const { session } = await this.#app.begin({}, user)
      if (session !== undefined) await context.addCookies([{ ...session.cookie, url: origin }])
    }
    const page = await context.newPage()
    await page.goto(path)
    return page
  }

  /** Closes all pages; `testBrowser` calls it after each test. */
  async closePages(): Promise<void> {
    await Promise.all([...this.#visitors].map((context) => context.close()))
    this.#visitors.clear()
  }

  /** Closes the browser; `testBrowser` calls it after the last test. */
  async close(): Promise<void> {
    // Ignore a failed start, because it has already failed the test that opened the page.
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
 * Creates a browser for the tests of a file. Call it once at the top of the file, after `testApp`. The pages' writes to the
 * database are rolled back after each test. If playwright-core or a Chromium is missing, `skip` contains the reason.
 */
export function testBrowser<User>(app: TestApp<User>): Promise<TestBrowser<User>> {
  return oncePerProcess(app, 'browser', async () => {
    const browser = new TestBrowser<User>(app, await missingBrowser())
    await afterAllTests(() => browser.close())
    await eachTest(
      () => {},
      () => browser.closePages(),
    )
    return browser
  })
}
