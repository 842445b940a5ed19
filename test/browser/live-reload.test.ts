/** While `fw run` serves: an edited page, partial or layout is seen in the browser without a manual reload. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../src/testing/chromium.ts'
import { copyExample, removeExample, runExample, type Running } from '../support/example.ts'

let browser: Browser
let root: string
let running: Running

beforeAll(async () => {
  root = copyExample()
  browser = await startChromium()
  running = await runExample(root)
})

afterAll(async () => {
  await browser?.close()
  await running?.process.end()
  removeExample(root)
})

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
])('an edited %s', async (name, file, from, to) => {
  const page = await browser.newPage()
  await page.goto(`${running.url}/members/new`)
  edit(file, from, to)
  await page.getByText(`${name} edited`).waitFor()
  await page.close()
})

test('a mistake in a template is a page that shows its line, and goes when it is mended', async () => {
  const page = await browser.newPage()
  await page.goto(`${running.url}/members/new`)
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

test('edited code, then a mistake in it, then the mended code are seen without a hand', async () => {
  const page = await browser.newPage()
  await page.goto(`${running.url}/members/new`)
  const file = join(root, 'src/main/controller/members-controller.ts')
  const sound = readFileSync(file, 'utf8')
  const rendering = "return this.render('/members/new')"
  writeFileSync(file, sound.replace(rendering, "return '<p>code edited</p>'"))
  await page.getByText('code edited').waitFor()
  writeFileSync(file, sound.replace(rendering, 'return (1 +'))
  await page.getByText('The application does not run').waitFor()
  expect(await page.locator('h2').first().textContent()).toContain('members-controller.ts:')
  writeFileSync(file, sound)
  await page.getByLabel('Name').waitFor()
  await page.close()
})

test('an error thrown by a template names the line that threw it', async () => {
  edit('views/members/new.html.ssp', '<h1>', '<h1>${s.url(undefined as never)}')
  const page = await browser.newPage()
  const answer = await page.goto(`${running.url}/members/new`)
  expect(answer?.status()).toBe(500)
  const lines = readFileSync(template('views/members/new.html.ssp'), 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes('undefined as never')) + 1
  expect(await page.locator('h2').first().textContent()).toContain(
    `WEB-INF/views/members/new.html.ssp:${line}:`,
  )
  await page.close()
})
