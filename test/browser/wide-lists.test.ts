/**
 * A generated list of eight columns fits windows from 1024 px on, in each language: no cell leaves the window, and the page does not
 * scroll aside. A long address ends with an ellipsis.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { generate, linkSources, newFolder } from '../generate/folder.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

const pictures = process.env['SCREENSHOTS']
const root = newFolder()
beforeAll(() => {
  linkSources(root)
  generate(root, 'scaffold customers customer name:String')
  generate(
    root,
    'scaffold bookings booking title:String contactEmail:email homepage:url status:enum:draft,confirmed totalPrice:BigDecimal:numeric(12,2) startsAt:DateTime customer:references notes:String?:text',
  )
  for (const language of ['ar', 'de', 'es', 'fr', 'ja']) generate(root, `language ${language}`)
  writeFileSync(
    join(root, 'db/migration/V29990101000000__rows.sql'),
    `insert into customers (id, name, created_at, updated_at) overriding system value values (1, 'Nordwind Logistics', now(), now());
    insert into bookings (title, contact_email, homepage, status, total_price, starts_at, customer_id, created_at, updated_at)
      select title, 'ann.anderson@example.com', 'https://example.com/retreats/2027', 'confirmed', 12345.5, '2027-05-13 19:30Z', 1, now(), now()
      from (values ('Team retreat by the sea'), ('Annual general meeting 2027 with all partners')) as rows (title);`,
  )
})
const served = startBrowserAndExample(root)

/**
 * Returns by how many px the content is wider than the page, the distances of the table's cells from the edges of the window, and the
 * tops of the first lines in cells of the first row.
 */
const measure = `(() => {
  const main = document.querySelector('main')
  const cells = [...document.querySelectorAll('td, td a')].map((cell) => cell.getBoundingClientRect())
  const tops = [...document.querySelectorAll('tbody tr:first-child time, tbody tr:first-child td:first-child a')]
  return {
    overflow: Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth),
    start: Math.min(...cells.map(({ left }) => left)),
    end: innerWidth - Math.max(...cells.map(({ right }) => right)),
    tops: tops.map((element) => element.getClientRects()[0].top),
  }
})()`

interface Measured {
  readonly overflow: number
  readonly start: number
  readonly end: number
  readonly tops: readonly number[]
}

test.each(['en-GB', 'de-DE', 'fr-FR', 'es-ES', 'ar-EG', 'ja-JP'])('in %s', async (locale) => {
  const context = await served.browser.newContext({ baseURL: served.url, locale })
  const page = await context.newPage()
  await page.goto('/bookings')
  expect(await page.locator('thead th').count()).toBe(8)
  for (const width of [1024, 1100, 1150, 1280, 1440]) {
    await page.setViewportSize({ width, height: 700 })
    const { overflow, start, end, tops } = await page.evaluate<Measured>(measure)
    expect([width, Math.max(0, overflow)]).toEqual([width, 0])
    expect([width, Math.min(start, end) > 0]).toEqual([width, true])
    // The first lines of a title and of a time are at the same height: a line has more than 20 px, and their fonts differ by 3 px.
    expect([width, Math.max(...tops) - Math.min(...tops) < 8]).toEqual([width, true])
    if (pictures === undefined) continue
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `wide-list-${locale}-${width}.png`) })
  }
  await context.close()
})

test('a long address ends with an ellipsis, also on a page from right to left', async () => {
  const context = await served.browser.newContext({ baseURL: served.url, locale: 'ar-EG' })
  const page = await context.newPage()
  await page.setViewportSize({ width: 1024, height: 700 })
  await page.goto('/bookings')
  const address = page.locator('td a[href^="https:"]').first()
  expect(await address.evaluate((link) => link.scrollWidth > link.clientWidth)).toBe(true)
  expect(await address.evaluate((link) => getComputedStyle(link).direction)).toBe('ltr')
  await context.close()
})
