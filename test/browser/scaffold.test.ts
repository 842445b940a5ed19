/** A generated resource in Chromium: `fw new` and `fw g scaffold`, served by `fw run`. */
import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fieldTypes, typeNames } from '../../src/tools/generate/field-type.ts'
import { findChromium } from '../../src/tools/testing/chromium.ts'
import { fw, generate, linkSources, newFolder } from '../generate/folder.ts'
import { violations } from '../support/accessibility.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

const pictures = process.env['SCREENSHOTS']
const root = newFolder()

beforeAll(() => {
  linkSources(root)
  generate(root, 'model company name:String')
  generate(
    root,
    'scaffold members member name:String birthday:LocalDate seen:DateTime? notes:String?:text active:Boolean photo:attachment? scan:attachment? site:url? company:references?',
  )
  // A select offers 200 of them, and then has a search.
  writeFileSync(
    join(root, 'db/migration/V29990101000000__firms.sql'),
    `insert into companies (name, created_at, updated_at)
      select 'zfirm ' || n, now(), now() from generate_series(1001, 1250) n;`,
  )
  const others = typeNames.filter((type) => type !== 'enum' && !fieldTypes.has(type))
  const kinds = [...fieldTypes.keys(), ...others].map((type) => `the${type}:${type}`).join(' ')
  generate(
    root,
    `scaffold kinds kind ${kinds} status:enum:draft,published code:String:varchar(60) company:references`,
  )
})
const served = startBrowserAndExample(root)

async function visit(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await served.browser.newContext({ baseURL: served.url, ...options })
  const page = await context.newPage()
  await page.goto(path)
  return page
}

const status = (page: Page) => page.getByRole('status').innerText()
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

async function fill(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Birthday').fill('1815-12-10')
  await page.getByLabel('Notes').fill('First line\nsecond line')
  await page.getByLabel('Active').check()
}

test('without scripts, an invalid form keeps values and shows errors; a record is created, changed and deleted', async () => {
  const page = await visit('/members', { javaScriptEnabled: false })
  expect(await page.locator('.empty').innerText()).toBe('There are no members yet.')
  await page.getByRole('link', { name: 'Add member' }).click()
  await fill(page, 'Ada <b>&"')
  await page.getByLabel('Birthday').fill('')
  await save(page)
  expect(await page.getByRole('alert').innerText()).toBe('Please correct the fields below.')
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada <b>&"')
  expect(await page.getByLabel('Notes').inputValue()).toBe('First line\nsecond line')
  expect(await page.getByLabel('Active').isChecked()).toBe(true)
  expect(await page.locator('#birthday-error').innerText()).toMatch(/required/i)
  await page.getByLabel('Birthday').fill('1815-12-10')
  await save(page)
  expect(await status(page)).toBe('The member was created.')
  expect(await page.locator('h1').innerText()).toBe('Ada <b>&"')

  await page.getByRole('link', { name: 'Edit' }).click()
  expect(await page.getByLabel('Birthday').inputValue()).toBe('1815-12-10')
  await page.getByLabel('Name').fill('Ada')
  await save(page)
  expect(await status(page)).toBe('The member was updated.')
  expect(await page.locator('h1').innerText()).toBe('Ada')

  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  expect(await status(page)).toBe('The member was deleted.')
  expect(await page.locator('tbody tr').count()).toBe(0)
  await page.context().close()
})

test('the header stays in its place between narrow and wide pages', async () => {
  const page = await visit('/members', { viewport: { width: 1440, height: 900 } })
  const places: (number | undefined)[] = []
  for (const path of ['/members', '/members/new', '/kinds', '/']) {
    await page.goto(path)
    places.push((await page.locator('header a').first().boundingBox())?.x)
  }
  expect([...new Set(places)]).toEqual([expect.any(Number)])
  await page.context().close()
})

test('nine links and many filters fit a phone, and a list of many columns fits a tablet', async () => {
  const page = await visit('/members/new', { viewport: { width: 600, height: 900 } })
  await fill(page, 'Ada')
  await save(page)
  const record = page.url()
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
  await page.goto('/members')
  expect((await page.locator('table').boundingBox())!.width).toBeGreaterThan(600)
  expect(await width()).toBeLessThanOrEqual(600)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/kinds?status=draft')
  await page.evaluate(`for (const name of ['Invoices', 'Customers', 'Shipments', 'Payments', 'Employees', 'Products', 'Categories']) {
    const link = document.querySelector('header nav a').cloneNode()
    link.textContent = name
    document.querySelector('header nav').append(link)
  }`)
  expect(await page.locator('header nav a').count()).toBe(9)
  expect(await width()).toBeLessThanOrEqual(360)
  expect((await page.locator('header').boundingBox())!.height).toBeLessThan(200)
  const [first, second] = await page.locator('form.search label').all()
  expect((await second!.boundingBox())!.y).toBe((await first!.boundingBox())!.y)
  await page.goto(record)
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  await page.context().close()
})

test('a script that changes a record by PUT or PATCH sends it once, and gets the page', async () => {
  const page = await visit('/members/new')
  await fill(page, 'Grace')
  await save(page)
  const record = new URL(page.url()).pathname
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith(record)) sent.push(request.method())
  })
  for (const method of ['PUT', 'PATCH']) {
    sent.length = 0
    const form = `name=${method}&birthday=1906-12-09`
    const script = `fetch('${record}', { method: '${method}', body: new URLSearchParams('${form}') })
      .then(async (response) => [response.status, response.redirected, await response.text()])`
    const [code, redirected, text] = await page.evaluate<[number, boolean, string]>(script)
    expect([code, redirected, text.includes(`<h1><bdi>${method}</bdi></h1>`)]).toEqual([
      200,
      true,
      true,
    ])
    expect(sent).toEqual([method, 'GET'])
  }
  await page.context().close()
})

test('without scripts, the Enter key in the search of a select finds records and keeps the form', async () => {
  const page = await visit('/members/new', { javaScriptEnabled: false })
  await fill(page, 'Mary')
  const search = page.getByRole('searchbox', { name: 'Search: Company' })
  const company = page.getByRole('combobox', { name: 'Company' })
  expect(await company.locator('option').count()).toBe(201)
  await search.fill('FIRM 1249')
  await search.press('Enter')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.getByLabel('Name').inputValue()).toBe('Mary')
  expect(await company.locator('option').allInnerTexts()).toEqual(['', 'zfirm 1249'])
  await company.selectOption('zfirm 1249')
  await search.fill('firm 1001')
  await page.getByRole('button', { name: 'Search' }).click()
  expect(await company.locator('option:checked').innerText()).toBe('zfirm 1249')
  await save(page)
  expect(await status(page)).toBe('The member was created.')
  expect(await page.locator('dl').innerText()).toContain('zfirm 1249')
  await page.getByRole('link', { name: 'Edit' }).click()
  expect(await company.locator('option:checked').innerText()).toBe('zfirm 1249')
  await page.goto(page.url().replace(/\/edit$/, ''))
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  await page.context().close()
})

const picture = {
  name: 'dot.gif',
  mimeType: 'image/gif',
  buffer: Buffer.from('R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
}
/** Waits until the image has loaded, or cannot be shown. */
const isLoaded = (page: Page, selector: string) =>
  page.locator(selector).evaluate((image) =>
    (image as HTMLImageElement).decode().then(
      () => true,
      () => false,
    ),
  )

test('a chosen image has a preview within the policy of the page', async () => {
  const page = await visit('/members/new')
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  const canvas = page.locator('.attachment canvas').first()
  expect(await canvas.isVisible()).toBe(false)
  await page.getByLabel('Photo').setInputFiles(picture)
  await canvas.waitFor()
  const pixel = await canvas.evaluate((element) => [
    ...(element as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, 1, 1).data,
  ])
  expect(pixel).toEqual([255, 0, 0, 255])
  await page.getByLabel('Photo').setInputFiles({ ...picture, buffer: Buffer.from('no image') })
  await canvas.waitFor({ state: 'hidden' })
  expect(refused).toEqual([])
  await page.context().close()
})

test('without scripts, an upload survives an invalid form, is shown, replaced and removed', async () => {
  const page = await visit('/members/new', { javaScriptEnabled: false })
  await page.getByLabel('Photo').setInputFiles(picture)
  await save(page)
  expect(await page.getByRole('alert').innerText()).toBe('Please correct the fields below.')
  expect(await isLoaded(page, '.attachment img')).toBe(true)
  await fill(page, 'Pictured')
  await page.getByLabel('Site').fill('javascript:alert(1)')
  await save(page)
  expect(await page.locator('#site-error').innerText()).toMatch(/web address/)
  await page.getByLabel('Site').fill('https://example.com/?a=1&b=2')
  await save(page)
  expect(await status(page)).toBe('The member was created.')
  expect(await isLoaded(page, 'dd img')).toBe(true)
  expect(await page.getByRole('link', { name: 'dot.gif' }).count()).toBe(1)
  expect(await page.locator('dd a[href="https://example.com/?a=1&b=2"]').count()).toBe(1)
  const first = await page.locator('dd img').getAttribute('src')
  await page.getByRole('link', { name: 'Edit' }).click()
  const text = { name: 'a <b>.txt', mimeType: 'text/html', buffer: Buffer.from('<script>') }
  await page.getByLabel('Photo').setInputFiles(text)
  await save(page)
  expect(await page.getByRole('link', { name: 'a <b>.txt' }).count()).toBe(1)
  // The row deletes the attachment that it no longer has.
  expect((await page.request.get(first!)).status()).toBe(404)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Remove the file').check()
  await save(page)
  expect(await page.locator('dd img').count()).toBe(0)
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  await page.context().close()
})

/** Creates a file of zeros, which Chromium reads itself. Its bytes in a call of Playwright take several times as long. */
function file(size: number): string {
  const folder = mkdtempSync(join(root, 'file-'))
  const path = join(folder, 'large.bin')
  writeFileSync(path, '')
  truncateSync(path, size)
  return path
}
const megabyte = 2 ** 20

test('without scripts, a file that is too large is an error of its field; the texts and the other file stay', async () => {
  const page = await visit('/members/new', { javaScriptEnabled: false })
  await fill(page, 'Large <b>')
  await page.getByLabel('Photo').setInputFiles(file(8 * megabyte + 1))
  await page.getByLabel('Scan').setInputFiles(picture)
  const response = page.waitForResponse((one) => one.request().method() === 'POST')
  await save(page)
  expect((await response).status()).toBe(400)
  expect(await page.getByRole('alert').innerText()).toBe('Please correct the fields below.')
  expect(await page.locator('#photo-error').innerText()).toBe('Photo must be at most 8 MB')
  expect(await page.locator('small').count()).toBe(1)
  expect(await page.locator('nav a').first().innerText()).toBe('Members')
  expect(await page.getByLabel('Name').inputValue()).toBe('Large <b>')
  expect(await page.getByLabel('Notes').inputValue()).toBe('First line\nsecond line')
  expect(await page.locator('.attachment img').count()).toBe(1)
  expect(await isLoaded(page, '.attachment img')).toBe(true)
  await page.getByLabel('Photo').setInputFiles(picture)
  await save(page)
  expect(await status(page)).toBe('The member was created.')
  expect(await page.locator('dd img').count()).toBe(2)

  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByLabel('Name').fill('Larger')
  await page.getByLabel('Photo').setInputFiles(file(6 * megabyte))
  await page.getByLabel('Scan').setInputFiles(file(6 * megabyte))
  await save(page)
  expect(await page.locator('#scan-error').innerText()).toBe(
    'Scan: all files together must be at most 10 MB',
  )
  expect(await page.getByLabel('Name').inputValue()).toBe('Larger')
  await save(page)
  expect(await status(page)).toBe('The member was updated.')
  await page.getByRole('link', { name: 'large.bin' }).waitFor()
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()

  await page.goto(`${served.url}/members/new`)
  await page.getByLabel('Photo').setInputFiles(file(41 * megabyte))
  const refused = page.waitForResponse((one) => one.request().method() === 'POST')
  await save(page)
  expect((await refused).status()).toBe(413)
  expect(await page.locator('h1').innerText()).toBe('Too large')
  expect(await page.locator('nav a').first().innerText()).toBe('Members')
  await page.context().close()
})

test('a form with a file that is too large is not sent, within the policy of the page', async () => {
  const page = await visit('/members/new')
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  let sent = 0
  page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0))
  await fill(page, 'Checked')
  const photo = page.getByLabel('Photo')
  await photo.setInputFiles(file(9 * megabyte))
  expect(await page.locator('#photo-error').innerText()).toBe('Photo must be at most 8 MB')
  expect(await photo.getAttribute('aria-invalid')).toBe('true')
  await save(page)
  expect(await photo.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(sent).toBe(0)
  await photo.setInputFiles([])
  expect(await page.locator('#photo-error').count()).toBe(0)
  expect(await photo.getAttribute('aria-invalid')).toBe('false')
  await photo.setInputFiles(file(6 * megabyte))
  expect(await page.locator('#photo-error').count()).toBe(0)
  await page.getByLabel('Scan').setInputFiles(file(6 * megabyte))
  await page.getByLabel('Name').press('Enter')
  expect(await page.locator('#scan-error').innerText()).toBe(
    'Scan: all files together must be at most 10 MB',
  )
  expect(sent).toBe(0)
  await photo.setInputFiles(picture)
  expect(await page.locator('small').count()).toBe(0)
  await save(page)
  expect(await status(page)).toBe('The member was created.')
  expect([sent, refused]).toEqual([1, []])
  await page.getByText('Delete', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  await page.context().close()
})

test('the front page, lists and forms link to each other; a row has its actions', async () => {
  const page = await visit('/')
  await page.locator('main').getByRole('link', { name: 'Members' }).click()
  await page.getByRole('link', { name: 'Add member' }).click()
  await fill(page, 'Linked')
  await save(page)
  await page.getByRole('navigation', { name: 'Path to this page' }).getByRole('link').click()
  await page.getByRole('link', { name: 'Edit Linked' }).click()
  const path = page.getByRole('navigation', { name: 'Path to this page' })
  expect(await path.getByRole('link').allInnerTexts()).toEqual(['Members', 'Linked'])
  await path.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('link', { name: 'Delete Linked' }).click()
  await page.getByRole('button', { name: 'Delete member' }).click()
  expect(await status(page)).toBe('The member was deleted.')
  await page.context().close()
})

test('the explorer page sends requests with the visitor’s forgery token', async () => {
  const page = await visit('/openapi')
  const refused: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) refused.push(message.text())
  })
  await page.reload()
  const route = (id: string) => page.locator(`#${id}`)
  /** Sends the form and waits for a response that contains `expected`. */
  const send = async (id: string, expected: string): Promise<string> => {
    await route(id).getByRole('button', { name: 'Send' }).click()
    const response = route(id).locator('[aria-live]').filter({ hasText: expected })
    await response.waitFor()
    return response.innerText()
  }
  await page.getByLabel('Find a route').fill('post /members creates')
  expect(await page.locator('details.route:visible').count()).toBe(2)
  await route('membersCreate').locator('summary').first().click()
  const body = JSON.stringify({ name: '<b>Ada', birthday: '1815-12-10', active: true })
  await route('membersCreate').getByLabel('Body').fill(body)
  const created = await send('membersCreate', '201 Created')
  await route('membersCreate').getByLabel('Body').fill('{"name":""}')
  await send('membersCreate', 'is required')
  await page.getByLabel('Find a route').fill('')
  await route('membersShowApi').locator('summary').first().click()
  const id = /members\/(\d+)/.exec(created)![1]!
  await route('membersShowApi').locator('input').fill(id)
  await send('membersShowApi', '"name": "<b>Ada"')
  await route('membersDestroyApi').locator('summary').first().click()
  await route('membersDestroyApi').locator('input').first().fill(id)
  await send('membersDestroyApi', '204 No Content')
  expect(refused).toEqual([])
  await page.context().close()
})

const sizes = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const

describe.each(sizes)('on a %s', (size, viewport) => {
  test('every page is accessible in light and dark mode, and nothing overflows', async () => {
    const page = await visit('/members/new', { viewport, isMobile: size === 'phone' })
    const look = async (name: string) => {
      await page.waitForLoadState()
      for (const colorScheme of ['light', 'dark'] as const) {
        expect(
          await violations(page, colorScheme),
          `${name} has accessibility violations in ${colorScheme} mode`,
        ).toEqual([])
        if (pictures === undefined) continue
        mkdirSync(pictures, { recursive: true })
        const path = join(pictures, `scaffold-${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
      }
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, `${name} overflows`).toBeLessThanOrEqual(viewport.width)
    }
    await look('new')
    await save(page)
    await look('invalid')
    await fill(page, `Grace on a ${size}`)
    await save(page)
    await look('show')
    await page.getByText('Delete', { exact: true }).click()
    await look('delete')
    await page.getByRole('link', { name: 'Edit' }).click()
    await look('edit')
    for (const name of ['Alan', 'Edsger']) {
      await page.goto('/members/new')
      await fill(page, name)
      await save(page)
    }
    await page.goto('/members?size=1')
    await look('index')
    await page.getByRole('link', { name: 'Next page' }).click()
    expect(await page.locator('nav.pages span').innerText()).toMatch(/^\d members$/)
    await look('second page')
    await page.getByRole('link', { name: 'Previous page' }).click()
    expect(await page.getByRole('link', { name: 'Previous page' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Last page' }).click()
    expect(await page.getByRole('link', { name: 'Next page' }).count()).toBe(0)
    await page.getByLabel('Text').fill('Edsger')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await look('found')
    await page.goto('/nowhere')
    await look('404')
    const refused = await page.request.post('/members/1/edit', { headers: { Accept: 'text/html' } })
    expect(refused.status()).toBe(405)
    expect(await refused.text()).toContain('<li><code>GET /members/:id/edit</code></li>')
    await page.goto('/')
    await look('root')
    await page.goto('/openapi')
    await page.locator('#membersUpdate summary').click()
    await look('openapi')
    await page.context().close()
  })
})

test('the generated browser tests pass for fields of every type', async () => {
  const files = ['members', 'kinds'].map((name) => `src/test/browser/${name}.test.ts`)
  const { said } = await fw({ cwd: root, env: { CHROMIUM: findChromium()! } }, 'test', ...files)
  expect(said).toMatch(/pass 4\n/)
  expect(said).toMatch(/skipped 0\n/)
})
