/** Live reload: under `fw run`, the browser shows an edited page, partial or layout without a manual reload. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyExample } from '../support/example.ts'

const root = copyExample()
const served = startBrowserAndExample(root)

const template = (name: string): string => join(root, 'src/main/webapp/WEB-INF', name)

function edit(name: string, from: string, to: string): void {
  const text = readFileSync(template(name), 'utf8')
  expect(text).toContain(from)
  writeFileSync(
    template(name),
    text.replace(from, () => to),
  )
}

test.each([
  ['page', 'views/members/new.html.ssp', '<h1>', '<h1><em>page edited</em>'],
  ['partial', 'views/members/_form.html.ssp', '<form', '<p>partial edited</p><form'],
  ['layout', 'layouts/default.ssp', '<main', '<p>layout edited</p><main'],
])('an edited %s appears', async (name, file, from, to) => {
  const page = await served.browser.newPage()
  await page.goto(`${served.url}/members/new`)
  edit(file, from, to)
  await page.getByText(`${name} edited`).waitFor()
  await page.close()
})

test('an error in a template shows a page with its line until it is fixed', async () => {
  const page = await served.browser.newPage()
  await page.goto(`${served.url}/members/new`)
  edit('views/members/new.html.ssp', '#end', '#ende')
  await page
    .getByText(/WEB-INF\/views\/members\/new\.html\.ssp:\d+:\d+/)
    .first()
    .waitFor()
  expect(await page.locator('pre').first().textContent()).toContain('^')
  edit('views/members/new.html.ssp', '#ende', '#end')
  await page.getByText('page edited').waitFor()
  await page.close()
})

test('edited code, an error in it and the fixed code appear without a manual reload', async () => {
  const page = await served.browser.newPage()
  await page.goto(`${served.url}/members/new`)
  const file = join(root, 'src/main/controller/members-controller.ts')
  const valid = readFileSync(file, 'utf8')
  const rendering = "return this.render('/members/new')"
  writeFileSync(file, valid.replace(rendering, "return '<p>code edited</p>'"))
  await page.getByText('code edited').waitFor()
  writeFileSync(file, valid.replace(rendering, 'return (1 +'))
  await page.getByText('The application does not run').waitFor()
  expect(await page.locator('h2').first().textContent()).toContain('members-controller.ts:')
  writeFileSync(file, valid)
  await page.getByLabel('Name').waitFor()
  await page.close()
})

test('an error thrown in a template reports the template’s line', async () => {
  edit('views/members/new.html.ssp', '<h1>', '<h1>${s.url(undefined as never)}')
  const page = await served.browser.newPage()
  const response = await page.goto(`${served.url}/members/new`)
  expect(response?.status()).toBe(500)
  const lines = readFileSync(template('views/members/new.html.ssp'), 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes('undefined as never')) + 1
  expect(await page.locator('h2').first().textContent()).toContain(
    `WEB-INF/views/members/new.html.ssp:${line}:`,
  )
  await page.close()
})
