/** The journal in Chromium with and without scripts: accounts, writing, comments, search, languages, permission. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { violations } from '../support/accessibility.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyApplication, ExampleProcess } from '../support/example.ts'

const pictures = process.env['SCREENSHOTS']
const root = copyApplication('journal')
const served = startBrowserAndExample(root)

beforeAll(async () => {
  const seeding = new ExampleProcess(['db:seed', '--app', root])
  const { code } = await seeding.ended
  if (code !== 0) throw new Error(seeding.output)
})

async function visit(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await served.browser.newContext({
    baseURL: served.url,
    locale: 'en-GB',
    ...options,
  })
  return context.newPage()
}

const heading = (page: Page) => page.locator('h1').innerText()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

/** Returns the path of the link that was mailed to an address. */
async function mailedPath(address: string): Promise<string> {
  const folder = join(root, 'tmp/mail')
  const read = () => {
    const mails = existsSync(folder) ? readdirSync(folder).toSorted().toReversed() : []
    for (const name of mails) {
      const file = join(folder, name, 'mail.json')
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      if (text.includes(address)) return /:\d+(\/[^"\\\s]*token=[\w.-]+)/.exec(text)?.[1]
    }
    return undefined
  }
  await expect.poll(read, { timeout: 30_000 }).toBeDefined()
  return read()!
}

async function register(page: Page, name: string): Promise<void> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`
  await page.goto('/register')
  await page.getByLabel('Email').fill(email)
  await press(page, 'Send the mail')
  await page.getByText('We have sent you a mail').waitFor()
  await page.goto(await mailedPath(email))
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill('under the pier at noon')
  await press(page, 'Create account')
  await page.getByText('The account was created.').waitFor()
  await login(page, email, 'under the pier at noon')
}

async function login(page: Page, email: string, password = 'driftwood journal'): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Log in')
}

describe.each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (title, javaScriptEnabled) => {
  test('an author registers, writes, publishes, and is read and commented on', async () => {
    const author = await visit({ javaScriptEnabled })
    const name = `Ines ${title}`
    const article = `The pier ${title}`
    await register(author, name)
    expect(await author.getByRole('navigation').first().innerText()).toContain(name)
    await follow(author, 'New article')
    await author.getByLabel('Title').fill(article)
    await author.getByLabel('Summary').fill('What <stands> in the water.')
    await author.getByLabel('Text').fill('Piles.\n\n## More\n\n> "Piles", said the heron.')
    await author.getByLabel('Tags').fill('a, b, c, d, e, f')
    const image = join(root, 'db/images/snow.webp')
    await author.getByLabel('Picture', { exact: true }).setInputFiles(image)
    await author.getByLabel('Description of the picture').fill('Snow')
    await press(author, 'Save draft')
    expect(await author.locator('#tags-error').innerText()).toBe('Tags: at most 5')
    expect(await author.getByLabel('Title').inputValue()).toBe(article)

    await author.getByLabel('Tags').fill('Piers, sea')
    await author.getByLabel('Picture', { exact: true }).setInputFiles(image)
    await press(author, 'Save draft')
    expect(await author.getByRole('status').innerText()).toContain('The draft was saved')
    const loaded = author.locator('img.picture')
    await loaded.scrollIntoViewIfNeeded()
    if (javaScriptEnabled)
      await expect
        .poll(() => loaded.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBe(960)

    const reader = await visit({ javaScriptEnabled })
    await reader.goto('/')
    expect(await reader.getByRole('link', { name: article }).count()).toBe(0)
    await press(author, 'Publish')
    expect(await author.getByRole('status').innerText()).toBe('The article is published.')
    await reader.goto('/')
    await follow(reader, article)
    expect(await heading(reader)).toBe(article)
    expect(await reader.locator('.prose > *').allInnerTexts()).toEqual([
      'Piles.',
      'More',
      '"Piles", said the heron.',
    ])

    await follow(reader, 'Log in to comment')
    await reader.getByLabel('Email').fill('tomasz@driftwood.example')
    await reader.getByLabel('Password').fill('driftwood journal')
    await press(reader, 'Log in')
    expect(await heading(reader)).toBe(article)
    await reader.getByLabel('Your comment').fill('And <b>rust</b>.')
    await press(reader, 'Publish comment')
    expect(await reader.locator('.comment .text').allInnerTexts()).toEqual(['And <b>rust</b>.'])

    await reader.goto('/search')
    await reader.getByRole('searchbox').fill(`"${article}" heron`)
    await press(reader, 'Search')
    expect(await reader.locator('.teaser h2').allInnerTexts()).toEqual([article])
    await follow(reader, 'piers')
    expect(await heading(reader)).toBe('Tagged “piers”')
    await reader.context().close()
    await author.context().close()
  })
})

test('a visitor chooses a language, and pages through the articles', async () => {
  const page = await visit({ locale: 'de-AT' })
  await page.goto('/')
  expect(await heading(page)).toBe('Notizen vom Rand des Landes')
  await follow(page, 'Ältere Artikel')
  const older = await page.locator('.teaser h2').allInnerTexts()
  expect(older).toContain('Small rules for a small journal')
  await press(page, 'Polski')
  expect(await page.locator('html').getAttribute('lang')).toBe('pl')
  expect(await page.locator('.teaser h2').allInnerTexts()).toEqual(older)
  await follow(page, 'Nowsze artykuły')
  expect(await page.locator('.teaser .byline').first().innerText()).toMatch(/3 komentarze|minuta/)
  await page.context().close()
})

test('an author changes no article of others; an editor does', async () => {
  const author = await visit()
  await login(author, 'aiko@driftwood.example')
  expect(await author.locator('tbody').innerText()).not.toContain('The harbour before five')
  const refused = await author.goto('/desk/articles/1/edit')
  expect(refused?.status()).toBe(403)
  expect(await heading(author)).toBe('Not allowed')
  const editor = await visit()
  await login(editor, 'maren@driftwood.example')
  expect((await editor.goto('/desk/articles/1/edit'))?.status()).toBe(200)
  await press(editor, 'Save changes')
  expect(await editor.getByRole('status').innerText()).toBe('The article was saved.')
  await press(editor, 'Log out')
  await editor.goto('/desk/articles/1/edit')
  expect(await heading(editor)).toBe('Log in')
  await editor.context().close()
  await author.context().close()
})

const sizes = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const
describe.each(sizes)('on a %s', (size, viewport) => {
  test('every page is accessible in light and dark mode, and as wide as the screen', async () => {
    const page = await visit({ viewport, isMobile: size === 'phone' })
    const look = async (name: string, path?: string) => {
      if (path !== undefined) await page.goto(path)
      await page.waitForLoadState()
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect([name, width]).toEqual([name, viewport.width])
      for (const colorScheme of ['light', 'dark'] as const) {
        expect([name, colorScheme, await violations(page, colorScheme)]).toEqual([
          name,
          colorScheme,
          [],
        ])
        if (pictures === undefined) continue
        mkdirSync(pictures, { recursive: true })
        const file = join(pictures, `journal-${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
      }
    }
    await look('index', '/')
    await look('article', '/articles/1/the-harbour-before-five')
    await look('search', '/search?q=sea')
    await look('404', '/nowhere')
    await page.goto('/register')
    await press(page, 'Send the mail')
    await look('register')
    await look('reset', '/password')
    await look('magic', '/login/link')
    await page.goto('/login')
    await press(page, 'Log in')
    await look('login')
    await login(page, 'maren@driftwood.example')
    await look('desk')
    await look('account', '/account')
    await look('security', '/account/security')
    await look('second-factor', '/account/second-factor')
    await look('passkeys', '/account/passkeys')
    await page.goto('/account/tokens')
    await page.getByLabel('Name of the program').fill('Backup')
    await press(page, 'Create a token')
    await look('tokens')
    await look('profile', '/profile')
    await look('draft', '/desk/articles/13')
    await look('edit', '/desk/articles/1/edit')
    await page.context().close()
  })
})
