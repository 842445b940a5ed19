/** The site of the documentation in Chromium, as `fw docs` serves it: links, accessibility, phones, search. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { readNavigation } from '../../src/tools/docs/read-navigation.ts'
import { violations } from '../support/accessibility.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'

const pictures = process.env['SCREENSHOTS']
const repository = join(import.meta.dirname, '../..')
const phone = { width: 360, height: 740 }
const desktop = { width: 1440, height: 900 }

const names = readNavigation(repository).flatMap(({ pages }) => pages.map(({ name }) => name))
/** Pages with each kind of content. */
const samples = [
  'index',
  'contents',
  'coming-from',
  'views',
  'errors',
  'getting-started',
  'tutorial',
  '404',
]

const site: { child?: ChildProcess; browser?: Browser; url: string } = { url: '' }

beforeAll(async () => {
  site.browser = await startChromium()
  const child = spawn(process.execPath, [...fwCommand, 'docs', '--port', '0'], {
    env: visibleEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  site.child = child
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  site.url = /http:\S+/.exec(line)![0]
})
afterAll(async () => {
  await site.browser?.close()
  if (site.child?.kill() === true) await once(site.child, 'exit')
})

/** Opens a page, and collects what must not happen on it: requests of other hosts, failed ones, errors of the console. */
async function open(name: string, viewport = desktop) {
  const page = await site.browser!.newPage({ viewport })
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) problems.push(`requests ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', ({ message }) => problems.push(message))
  await page.goto(`${site.url}/${name}.html`)
  return { page, problems }
}

async function save(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

describe('links', () => {
  const read = async (path: string) => {
    const response = await fetch(new URL(path, site.url))
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }

  test('every page is reachable from the first one, and no link or anchor is broken', async () => {
    const pages = new Map<string, ReadonlySet<string>>()
    const targets = new Map<string, string>()
    const waiting = ['/']
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const { status, text } = await read(path)
      expect([path, status]).toEqual([path, 200])
      pages.set(path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)))
      for (const [, href] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        const url = new URL(href!.replaceAll('&amp;', '&'), new URL(path, site.url))
        if (url.origin !== site.url) continue
        targets.set(url.pathname + url.hash, path)
        if (!pages.has(url.pathname) && !waiting.includes(url.pathname)) waiting.push(url.pathname)
      }
    }
    const broken = [...targets.keys()].filter((target) => {
      const [path = '', hash] = target.split('#')
      return hash !== undefined && !pages.get(path)!.has(decodeURIComponent(hash))
    })
    expect(broken.map((target) => `${targets.get(target)}: ${target}`)).toEqual([])
    expect(names.filter((name) => !pages.has(`/${name}.html`))).toEqual([])
  })

  test('an unknown page is a 404 with the navigation, and every response has the strict policy', async () => {
    const { status, headers, text } = await read('/no/such/page.html')
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('href="/getting-started.html"')
    for (const path of ['/', '/no', '/site.js', '/site.css', '/llms.txt', '/search.json'])
      expect((await read(path)).headers.get('content-security-policy')).toBe(
        "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'",
      )
  })
})

describe('pages', () => {
  test.each(samples)('%s is accessible in light and dark mode', async (name) => {
    const { page, problems } = await open(name)
    for (const scheme of ['light', 'dark'] as const) {
      expect(await violations(page, scheme)).toEqual([])
      await save(page, `${name}-${scheme}`)
    }
    expect(problems.filter((problem) => name !== '404' || !problem.includes('404'))).toEqual([])
    await page.close()
  })

  test('nothing overflows on a phone, and no page requests another host', async () => {
    const { page, problems } = await open('index', phone)
    const wide: string[] = []
    for (const name of ['index', 'contents', ...names]) {
      await page.goto(`${site.url}/${name}.html`)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (width > phone.width) wide.push(`${name}: ${width}`)
    }
    expect({ wide, problems }).toEqual({ wide: [], problems: [] })
    await page.close()
  })

  test('a phone has the pages behind a button, without a script too', async () => {
    const context = await site.browser!.newContext({ viewport: phone, javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${site.url}/views.html`)
    await page.getByRole('button', { name: 'Pages' }).click()
    await save(page, 'navigation-phone')
    await page.getByRole('link', { name: 'Routing', exact: true }).click()
    expect(await page.locator('h1').innerText()).toBe('Routing')
    await context.close()
  })

  test('the color scheme that a reader chooses stays', async () => {
    const { page } = await open('views')
    await page.emulateMedia({ colorScheme: 'light' })
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    const before = await background()
    await page.getByRole('button', { name: 'Switch between light and dark' }).click()
    const after = await background()
    expect(after).not.toBe(before)
    await page.reload()
    expect(await background()).toBe(after)
    await page.close()
  })

  test('the version leads to the documentation of other versions', async () => {
    const { page } = await open('views')
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      readonly version: string
    }
    await page.getByRole('link', { name: `Version ${version}, and others` }).click()
    await page.waitForURL('**/versioning.html#documentation-of-another-version')
    await page.close()
  })

  test('the recording scrolls by the keyboard, and its pictures are loaded', async () => {
    const { page } = await open('index', phone)
    const frames = page.getByRole('list', { name: 'Recording of the tutorial' })
    await frames.focus()
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => page.evaluate<number>('document.activeElement.scrollLeft'))
      .toBeGreaterThan(0)
    await frames.getByRole('img').last().scrollIntoViewIfNeeded()
    const isLoaded = `[...document.querySelectorAll('.recording img')].at(-1).naturalWidth > 0`
    await expect.poll(() => page.evaluate<boolean>(isLoaded)).toBe(true)
    await page.close()
  })

  test('a code block is copied', async () => {
    const { page } = await open('getting-started')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('figure.code').first()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await block.locator('code').textContent(),
    )
    await page.close()
  })

  test('of the changes of a file, the lines that stay are copied', async () => {
    const { page } = await open('tutorial')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const block = page.locator('figure.code', { has: page.locator('del') }).last()
    await block.getByRole('button', { name: 'Copy' }).click()
    await block.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^ {4}list: Buchungen\n {2}total: Summe\n/,
    )
    await page.close()
  })

  test('a reader compares with one framework', async () => {
    const { page } = await open('coming-from')
    await page.getByLabel('Compare with').selectOption('Laravel')
    await page.reload()
    const captions = await page.locator('figcaption:visible').allInnerTexts()
    expect([...new Set(captions)]).toEqual(['Fw', 'Laravel'])
    expect(await page.locator('th:visible').allInnerTexts()).toEqual(['Fw', 'Laravel'])
    await save(page, 'coming-from-laravel')
    await page.close()
  })
})

describe('search', () => {
  const file = join(import.meta.dirname, 'documentation-tasks.tsv')
  const [, ...tasks] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [typed: string, pages: string])
  /** The number of results that a reader of a phone sees without scrolling. */
  const visible = 5

  async function openSearch(viewport = desktop) {
    const opened = await open('index', viewport)
    await opened.page.getByRole('button', { name: 'Search' }).click()
    return { ...opened, input: opened.page.getByRole('searchbox') }
  }

  /** The names of the pages of the first results. */
  async function findPages(page: Page, typed: string): Promise<readonly string[]> {
    await page.getByRole('searchbox').fill(typed)
    await page.locator(`.results[data-query="${typed}"]`).waitFor({ state: 'attached' })
    const links = `[...document.querySelectorAll('.results a')].map((link) => link.pathname)`
    const paths = await page.evaluate<string[]>(links)
    return paths.slice(0, visible).map((path) => path.replace(/^\/|\.html$/g, ''))
  }

  test('finds the page of nearly every task among the first results', async () => {
    expect(tasks.length).toBeGreaterThanOrEqual(40)
    const { page } = await openSearch()
    const missed: string[] = []
    for (const [typed, pages] of tasks) {
      const found = await findPages(page, typed)
      if (!pages.split(' ').some((one) => found.includes(one)))
        missed.push(`${typed}: ${found.join(', ')}`)
    }
    // 38 of 40
    expect(missed.slice(Math.floor(tasks.length / 20))).toEqual([])
    await page.close()
  })

  test('opens with a key, and leads to a section by the keyboard', async () => {
    const { page } = await open('views')
    await page.keyboard.press('/')
    await findPages(page, 'upload')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/responses.html#uploads')
    await page.close()
  })

  test('is accessible in light and dark mode, and fits a phone', async () => {
    const { page, problems } = await openSearch(phone)
    await findPages(page, 'log in')
    for (const scheme of ['light', 'dark'] as const) {
      expect(await violations(page, scheme)).toEqual([])
      await save(page, `search-phone-${scheme}`)
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(phone.width)
    expect(problems).toEqual([])
    await page.close()
  })
})
