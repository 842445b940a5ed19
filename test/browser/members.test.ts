/** The example application in Chromium, with and without scripts, served by `fw run`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyExample } from '../support/example.ts'

const pictures = process.env['SCREENSHOTS']
const served = startBrowserAndExample(copyExample())

/** Problems that no page may cause: script errors, failed requests, violations of the security policy. */
const problems: string[] = []
beforeEach(() => {
  problems.length = 0
})

async function visit(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await served.browser.newContext({ baseURL: served.url, ...options })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('requestfailed', (request) => {
    // Chromium aborts the request for an icon when the page changes.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') problems.push(request.url())
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest())
      problems.push(`${response.status()} ${response.url()}`)
  })
  return page
}

const texts = (page: Page, selector: string) => page.locator(selector).allInnerTexts()
const heading = (page: Page) => page.locator('h1').innerText()

async function fill(page: Page, name: string, birthday: string, countryId = ''): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Birthday').fill(birthday)
  await page.getByLabel('Country number').fill(countryId)
  await page.getByRole('button', { name: 'Save member' }).click()
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (title, javaScriptEnabled) => {
  test('an invalid member shows errors beside the fields; a valid one is created, listed and shown', async () => {
    const page = await visit({ javaScriptEnabled })
    await page.goto('/')
    expect(new URL(page.url()).pathname).toBe('/members')
    expect(await heading(page)).toBe('Members')
    expect(await page.title()).toBe('Members')
    await page.getByRole('link', { name: 'Add member' }).click()
    expect(await heading(page)).toBe('New member')
    expect(await page.title()).toBe('New member · Members')

    await fill(page, 'A', '', 'far away')
    expect(await page.getByRole('alert').innerText()).toContain('correct the fields')
    // A click resolves when the next page starts to load, possibly without styles.
    await page.waitForLoadState()
    for (const [label, value, message] of [
      ['Name', 'A', 'Name length must be greater than or equal to 2'],
      ['Birthday', '', 'Birthday is required'],
      ['Country number', 'far away', 'Country number must be numeric'],
    ] as const) {
      const field = page.getByLabel(label)
      expect(await field.inputValue()).toBe(value)
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      const described = await field.getAttribute('aria-describedby')
      expect(await page.locator(`#${described}`).innerText()).toContain(message)
      const [input, error] = [
        await field.boundingBox(),
        await page.locator(`#${described}`).boundingBox(),
      ]
      expect(error!.y - (input!.y + input!.height)).toBeLessThan(16)
    }

    const name = `Ann <b>"&'</b> ${title}`
    await fill(page, name, '2000-01-02', '81')
    expect(new URL(page.url()).pathname).toBe('/members')
    expect(await texts(page, '[role=status]')).toEqual(['The member was created.'])
    expect(await texts(page, 'tbody td')).toEqual(expect.arrayContaining([name, '2000-01-02']))
    await page.reload()
    expect(await texts(page, '[role=status]')).toEqual([])

    await page.getByRole('link', { name }).click()
    expect(await heading(page)).toBe(name)
    expect(await texts(page, 'dd')).toEqual(['2000-01-02', '81'])
    expect(await page.title()).toBe(`${name} · Members`)
    await page.getByRole('link', { name: 'All members' }).click()
    expect(await heading(page)).toBe('Members')

    const lost = await page.goto('/members/999999')
    expect(lost?.status()).toBe(404)
    expect(await heading(page)).toBe('Not found')
    await page.getByRole('link', { name: 'All members' }).click()
    expect(await heading(page)).toBe('Members')

    // Chromium logs every response with status 400 and above; these two are expected.
    const expected = /the server responded with a status of (400 \(Bad Request\)|404 \(Not Found\))/
    expect(problems.filter((line) => !expected.test(line))).toEqual([])
    await page.context().close()
  })
})

test('the security policy forbids inline scripts and allows the style sheet', async () => {
  const page = await visit()
  await page.goto('/members')
  expect(await page.evaluate('document.styleSheets[0].cssRules.length')).toBeGreaterThan(10)
  expect(problems).toEqual([])
  const violated = page.waitForEvent('console', (message) =>
    message.text().includes('Content Security Policy'),
  )
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
  )
  await violated
  expect(await page.evaluate('window.ran')).toBeUndefined()
  await page.context().close()
})

const sizes = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const
const schemes = ['light', 'dark'] as const

describe.each(sizes)('on a %s', (size, viewport) => {
  test.each(schemes)(
    'in %s mode, nothing overflows and all text has enough contrast',
    async (colorScheme) => {
      const page = await visit({ viewport, colorScheme, isMobile: size === 'phone' })
      const look = async (name: string) => {
        await page.waitForLoadState()
        expect(await widest(page), `${name} overflows`).toBeLessThanOrEqual(viewport.width)
        expect(await lowContrast(page), `${name} has low contrast`).toEqual([])
        if (pictures === undefined) return
        mkdirSync(pictures, { recursive: true })
        await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`) })
      }
      await page.goto('/members/new')
      await fill(page, 'A', '', 'far away')
      await look('form')
      await fill(page, 'Wolfeschlegelsteinhausenbergerdorff '.repeat(3), '1990-12-31')
      await look('created')
      await page.getByRole('link', { name: 'Wolfe' }).first().click()
      await look('show')
      for (const [name, birthday] of [
        ['Grace Hopper', '1906-12-09'],
        ['Ada Lovelace', '1815-12-10'],
      ] as const) {
        await page.goto('/members/new')
        await fill(page, name, birthday, '44')
      }
      await page.goto('/members')
      await look('index')
      await page.goto('/nowhere')
      await look('404')
      await page.context().close()
    },
  )
})

const widest = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth')

/** Elements whose text has less contrast to its background than WCAG's 4.5. */
const lowContrast = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1)
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
      return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = rgba(getComputedStyle(at).backgroundColor)
        if (colour[3] === 255) return colour
      }
      return rgba(getComputedStyle(document.documentElement).colorScheme.includes('dark') ? 'Canvas' : 'white')
    }
    const contrast = (one, other) => {
      const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
      return (light + 0.05) / (dark + 0.05)
    }
    return [...document.body.querySelectorAll('*')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
      .filter((element) => contrast(rgba(getComputedStyle(element).color), ground(element)) < 4.5)
      .map((element) => element.outerHTML.slice(0, 80))
  })()`)
