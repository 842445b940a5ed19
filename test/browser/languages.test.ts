/** The example's form in both languages: it keeps values and shows each message beside its field. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyExample } from '../support/example.ts'

const pictures = process.env['SCREENSHOTS']
const served = startBrowserAndExample(copyExample())

const languages = {
  'en-GB': {
    lang: 'en',
    heading: 'New member',
    alert: 'Please correct the fields below.',
    fields: [
      ['Name', 'A', 'Name length must be greater than or equal to 2'],
      ['Birthday', '', 'Birthday is required'],
      ['Country number', 'far away', 'Country number must be numeric'],
    ],
  },
  'de-AT': {
    lang: 'de',
    heading: 'Neues Mitglied',
    alert: 'Bitte berichtigen Sie die Felder unten.',
    fields: [
      ['Name', 'A', 'Name braucht mindestens 2 Zeichen'],
      ['Geburtstag', '', 'Geburtstag muss ausgefüllt sein'],
      ['Ländernummer', 'far away', 'Ländernummer muss eine Zahl sein'],
    ],
  },
} as const

test.each(Object.entries(languages))('%s', async (locale, { lang, heading, alert, fields }) => {
  const context = await served.browser.newContext({ baseURL: served.url, locale })
  const page = await context.newPage()
  await page.goto('/members/new')
  for (const [label, value] of fields) await page.getByLabel(label).fill(value)
  await page.locator('form button').click()
  expect(await page.locator('html').getAttribute('lang')).toBe(lang)
  expect(await page.locator('h1').innerText()).toBe(heading)
  expect(await page.getByRole('alert').innerText()).toBe(alert)
  // A click resolves when the next page starts to load, possibly without styles.
  await page.waitForLoadState()
  for (const [label, value, message] of fields) {
    const field = page.getByLabel(label)
    expect(await field.inputValue()).toBe(value)
    const error = page.locator(`#${await field.getAttribute('aria-describedby')}`)
    expect(await error.innerText()).toBe(message)
    const [input, text] = [await field.boundingBox(), await error.boundingBox()]
    expect(text!.y - (input!.y + input!.height)).toBeLessThan(16)
  }
  if (pictures !== undefined) {
    mkdirSync(pictures, { recursive: true })
    await page.screenshot({ path: join(pictures, `form-${locale}.png`) })
  }
  await context.close()
})
