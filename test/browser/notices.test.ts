/** A record is saved again and again in Chromium: each page after it shows the message and the new row. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { change, generate, linkSources, newFolder } from '../generate/folder.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

const forms = Number(process.env['FW_TEST_FORMS'] ?? 5)
const root = newFolder()

beforeAll(() => {
  linkSources(root)
  generate(root, 'scaffold notes note title:String')
  const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
  change(root, layout, '<%@val title', "<%@val loader: string = '' %>\n<%@val title")
  change(
    root,
    layout,
    '</head>',
    `#if (loader === 'turbo')
<meta name="csp-nonce" content="\${s.cspNonce}">
<script src="/assets/js/turbo.js" defer></script>
#end
#if (loader === 'rules')
\${s.speculationRules('immediate')}
#end
</head>`,
  )
  change(
    root,
    'src/main/controller/application-controller.ts',
    'this.protectFromForgery()',
    `this.protectFromForgery()
    this.before((controller) => {
      controller.set('loader', controller.cookies.get('loader') ?? '')
    })`,
  )
  mkdirSync(join(root, 'src/main/webapp/assets/js'), { recursive: true })
  copyFileSync(
    join(root, 'node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js'),
    join(root, 'src/main/webapp/assets/js/turbo.js'),
  )
})
const served = startBrowserAndExample(root)

const follow = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).first().click()

/** Waits until the page has a heading other than `old`, and returns it. */
async function nextHeading(page: Page, old: string): Promise<string> {
  const found = await page.waitForFunction(
    (text) => {
      const heading = document.querySelector('h1')?.textContent
      return document.readyState === 'loading' || heading === text ? undefined : heading
    },
    old,
    { polling: 20 },
  )
  return (await found.jsonValue())!
}

/** Reads a page every 30 ms, as a script that looks for news does. */
async function poll(page: Page): Promise<void> {
  await page.goto('/notes')
  await page.evaluate(`(async () => {
    for (window.polls = 0; ; window.polls++) {
      await (await fetch('/notes')).text()
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })() && undefined`)
}

/** What was wrong on the pages after the saves. */
interface Seen {
  /** Saves whose message no page showed. */
  readonly lost: string[]
  /** Pages with an old row. */
  readonly stale: string[]
  /** Saves whose message appeared again. */
  readonly repeated: string[]
}

/** Lets the pointer rest on the link of the list until the library has prefetched it. */
async function hover(page: Page): Promise<void> {
  const prefetch = page.waitForRequest(
    (request) => request.headers()['x-sec-purpose'] === 'prefetch',
  )
  await page.mouse.move(0, 0)
  await page.getByRole('link', { name: 'Notes', exact: true }).first().hover()
  await (await prefetch).response()
}

/** Changes the title on the page of the record, and looks at the page after it and at the list. Ends on the page of the record. */
async function save(page: Page, seen: Seen, title: string, old: string): Promise<void> {
  await follow(page, 'Edit')
  await nextHeading(page, old)
  if (await page.evaluate('window.Turbo !== undefined')) await hover(page)
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Title').press('Enter')
  if ((await nextHeading(page, 'Edit note')) !== title) seen.stale.push(`page of ${title}`)
  const said = await page.getByRole('status').allInnerTexts()
  if (said.join() !== 'The note was updated.') seen.lost.push(title)
  await follow(page, 'Notes')
  await nextHeading(page, title)
  if ((await page.locator('tbody a').first().innerText()) !== title)
    seen.stale.push(`list with ${title}`)
  if ((await page.getByRole('status').count()) > 0) seen.repeated.push(title)
  await page.locator('tbody a').first().click()
  if ((await nextHeading(page, 'Notes')) !== title) seen.stale.push(`page of ${title}, again`)
}

test.each([
  ['a page that polls', ''],
  ['a page that polls, and prefetches of Turbo', 'turbo'],
  ['a page that polls, and speculation rules', 'rules'],
])(
  'beside %s, no message is lost and no page is old',
  { timeout: 240_000 + 20_000 * forms },
  async (_beside, loader) => {
    const viewport = { width: 400, height: 400 }
    const context = await served.browser.newContext({ baseURL: served.url, viewport })
    await context.addCookies([{ name: 'loader', value: loader, url: served.url }])
    const [page, other] = [await context.newPage(), await context.newPage()]
    await poll(other)
    await page.goto('/notes/new')
    await page.getByLabel('Title').fill('Title 0')
    await page.getByLabel('Title').press('Enter')
    await nextHeading(page, 'New note')
    const seen: Seen = { lost: [], stale: [], repeated: [] }
    for (let at = 1; at <= forms; at++) await save(page, seen, `Title ${at}`, `Title ${at - 1}`)
    expect(seen).toEqual({ lost: [], stale: [], repeated: [] })
    const polls = await other.evaluate<number>('window.polls')
    expect(polls).toBeGreaterThan(forms)
    const delivery = await page.evaluate(
      "performance.getEntriesByType('navigation')[0].deliveryType",
    )
    expect(delivery).toBe(loader === 'rules' ? 'navigational-prefetch' : '')
    if (process.env['FW_TEST_FORMS'] !== undefined) console.log(loader, forms, { polls, ...seen })
    await page.getByText('Delete', { exact: true }).click()
    await page.getByRole('button', { name: 'Delete note' }).click()
    await nextHeading(page, `Title ${forms}`)
    await context.close()
  },
)
