/** Four tabs of one browser write, log in and log out at random. No text is lost. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { random } from '../fuzz/random-templates.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyApplication, ExampleProcess } from '../support/example.ts'

const forms = Number(process.env['FW_TEST_FORMS'] ?? 6)
/** With this seed, six forms are enough to meet each page of `Walk.seen`. */
const seed = 1
/** A user of the seeds. */
const email = 'tomasz@driftwood.example'
const password = 'driftwood journal'

const root = copyApplication(
  'journal',
  [
    'src/main/controller/sessions-controller.ts',
    "mix(ApplicationController, limits.logins(['create']))",
    'mix(ApplicationController)',
  ],
  [
    'src/main/resources/application.yml',
    'upload:',
    "server:\n  hosts: '127.0.0.1, journal.example'\nupload:",
  ],
)
const served = startBrowserAndExample(root, ['--host-resolver-rules=MAP journal.example 127.0.0.1'])

let article: string
beforeAll(async () => {
  const seeding = new ExampleProcess(['db:seed', '--app', root])
  const { code } = await seeding.ended
  if (code !== 0) throw new Error(seeding.output)
  const page = await served.browser.newPage({ baseURL: served.url })
  await page.goto('/login')
  await login(page)
  await page.goto('/desk/articles/new')
  await writeArticle(page, 'The pier')
  await press(page, 'Save draft')
  await press(page, 'Publish')
  await page.goto('/')
  await page.getByRole('link', { name: 'The pier' }).first().click()
  await page.getByLabel('Your comment').waitFor()
  article = new URL(page.url()).pathname
  await page.close()
})

/** Presses the button, and waits for the page that follows. */
async function press(page: Page, name: string): Promise<void> {
  const loaded = page.waitForEvent('domcontentloaded')
  await page.getByRole('button', { name, exact: true }).click()
  await loaded
}

const heading = (page: Page) => page.locator('h1').innerText()
const isShown = async (page: Page, name: string) =>
  (await page.getByRole('button', { name, exact: true }).count()) > 0

async function writeArticle(page: Page, text: string): Promise<void> {
  await page.getByLabel('Title').fill(text)
  await page.getByLabel('Summary').fill('Piles')
  await page.getByLabel('Text').fill('Piles in the water.')
}

async function login(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Log in')
}

interface Tab {
  readonly page: Page
  /** The text of the form that the tab shows, which is not sent yet, with the button that sends it. */
  typed?: { readonly text: string; readonly button: string } | undefined
}

/** What people do in their tabs. */
class Walk {
  readonly sent = new Set<string>()
  readonly saved = new Set<string>()
  /** How often a page came up in place of the one that the form leads to. */
  readonly seen = { login: 0, repeated: 0, logout: 0 }
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = random(seed)
  }

  choose<T>(list: readonly T[]): T {
    return list[Math.floor(this.#next() * list.length)]!
  }

  /** One action of a person: on with what the tab shows, or something new. */
  async act(tab: Tab): Promise<void> {
    if (tab.typed !== undefined) await this.#send(tab)
    else if (!(await this.goOn(tab))) await this.#begin(tab)
  }

  /** Answers a login or a form that came back; false if the tab shows none. */
  async goOn({ page }: Tab): Promise<boolean> {
    const title = await heading(page)
    if (title === 'Log in') {
      this.seen.login++
      await login(page)
    } else if (title === 'Please send the form again') {
      this.seen.repeated++
      const link = page.locator('a[target=_blank]')
      if ((await link.count()) > 0) {
        const [other] = await Promise.all([page.waitForEvent('popup'), link.click()])
        await other.waitForLoadState()
        if ((await heading(other)) === 'Log in') await login(other)
        while (await this.goOn({ page: other }));
        await other.close()
      }
      await press(page, 'Send')
    } else return false
    await this.#note(page)
    return true
  }

  async #send(tab: Tab): Promise<void> {
    const { page, typed } = tab
    this.sent.add(typed!.text)
    tab.typed = undefined
    await press(page, typed!.button)
    await this.#note(page)
  }

  async #begin(tab: Tab): Promise<void> {
    const { page } = tab
    if (this.#next() < 0.4 && (await isShown(page, 'Log out'))) {
      this.seen.logout++
      return press(page, 'Log out')
    }
    const text = `Text ${this.sent.size}-${Math.floor(this.#next() * 1e9)}`
    const isArticle = this.#next() < 0.5
    await page.goto(isArticle ? '/desk/articles/new' : article)
    if (isArticle && (await isShown(page, 'Save draft'))) {
      await writeArticle(page, text)
      tab.typed = { text, button: 'Save draft' }
    } else if (await isShown(page, 'Publish comment')) {
      await page.getByLabel('Your comment').fill(text)
      tab.typed = { text, button: 'Publish comment' }
    }
  }

  /** Notes the texts that the page shows as saved. */
  async #note(page: Page): Promise<void> {
    for (const text of await page.locator('h1, .comment .text').allInnerTexts())
      this.saved.add(text)
  }
}

test.each([
  ['with fetch metadata', '127.0.0.1'],
  // Chromium sends no `Sec-Fetch-Site` over plain http to a host other than this machine.
  ['without fetch metadata', 'journal.example'],
])('no text is lost: %s', { timeout: 240_000 + 20_000 * forms }, async (_title, host) => {
  const walk = new Walk(seed)
  const context = await served.browser.newContext({
    baseURL: served.url.replace('127.0.0.1', host),
  })
  const tabs: Tab[] = []
  for (let at = 0; at < 4; at++) tabs.push({ page: await context.newPage() })
  for (const { page } of tabs) await page.goto('/login')
  while (walk.sent.size < forms) await walk.act(walk.choose(tabs))
  for (const tab of tabs) {
    if (tab.typed !== undefined) await walk.act(tab)
    while (await walk.goOn(tab));
  }
  expect([...walk.sent].filter((text) => !walk.saved.has(text))).toEqual([])
  for (const count of Object.values(walk.seen)) expect(count).toBeGreaterThan(0)
  if (process.env['FW_TEST_FORMS'] !== undefined) console.log(host, walk.sent.size, walk.seen)
  await context.close()
})
