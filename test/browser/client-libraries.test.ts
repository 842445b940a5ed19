/** A generated resource in Chromium with libraries that load pages by script. Only the layout knows the library. */
import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { change, generate, linkSources, newFolder } from '../generate/folder.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

interface Library {
  /** What the layout contains for the library, in the head. */
  readonly head: string
  /** The attributes of the layout's body. */
  readonly body?: string
  /** The application's script `setup.js`. */
  readonly setup?: string
  /** The files of npm packages by their names in `assets/js`. */
  readonly files: Readonly<Record<string, string>>
  /** False if the library leaves the title of the document as it is: Alpine-ajax replaces elements by their ids only. */
  readonly setsTitle?: false
}

const script = (name: string) => `<script src="/assets/js/${name}" defer></script>`

const libraries = {
  turbo: {
    head: `<meta name="csp-nonce" content="\${s.cspNonce}">${script('turbo.js')}`,
    files: { 'turbo.js': '@hotwired/turbo/dist/turbo.es2017-umd.js' },
  },
  htmx2: {
    head:
      `<meta name="htmx-config" content='{"includeIndicatorStyles": false, "responseHandling": [{"code": ".*", "swap": true}]}'>` +
      script('htmx2.js'),
    body: 'hx-boost="true"',
    files: { 'htmx2.js': 'htmx2/dist/htmx.min.js' },
  },
  htmx4: {
    head: script('htmx4.js'),
    body: 'hx-boost:inherited="true"',
    files: { 'htmx4.js': 'htmx.org/dist/htmx.min.js' },
  },
  unpoly: {
    head: script('unpoly.js') + script('unpoly-setup.js'),
    files: { 'unpoly.js': 'unpoly/unpoly.min.js' },
    setup: `up.link.config.followSelectors.push('a[href]')
up.form.config.submitSelectors.push('form')`,
  },
  alpine: {
    head: script('alpine-setup.js') + script('alpine-ajax.js') + script('alpine.js'),
    body: 'x-data',
    files: {
      'alpine-ajax.js': '@imacrayon/alpine-ajax/dist/cdn.min.js',
      'alpine.js': '@alpinejs/csp/dist/cdn.min.js',
    },
    setup: `function target() {
  for (const element of document.querySelectorAll('a[href], form'))
    element.setAttribute('x-target.push', 'main')
}
target()
document.addEventListener('ajax:merged', target)`,
    setsTitle: false,
  },
} as const satisfies Record<string, Library>

const root = newFolder()
/** A file that is one byte larger than the default of `upload.maxFileSize`. */
const large = join(root, 'large.bin')

beforeAll(() => {
  linkSources(root)
  writeFileSync(large, '')
  truncateSync(large, 8 * 2 ** 20 + 1)
  generate(root, 'scaffold notes note title:String text:String?:text file:attachment?')
  const layout = 'src/main/webapp/WEB-INF/layouts/default.ssp'
  const each = (part: (library: Library) => string) =>
    Object.entries<Library>(libraries)
      .map(([name, library]) => `#if (library === '${name}')\n${part(library)}\n#end\n`)
      .join('')
  change(root, layout, '<%@val title', "<%@val library: string = '' %>\n<%@val title")
  change(root, layout, '</head>', each(({ head }) => head) + '</head>')
  change(
    root,
    layout,
    '<body>',
    each(({ body = '' }) => `<body ${body}>`),
  )
  change(
    root,
    'src/main/controller/application-controller.ts',
    'this.protectFromForgery()',
    `this.protectFromForgery()
    this.before((controller) => {
      controller.set('library', controller.cookies.get('library') ?? '')
    })`,
  )
  const folder = join(root, 'src/main/webapp/assets/js')
  mkdirSync(folder, { recursive: true })
  for (const [name, { files, setup = '' }] of Object.entries<Library>(libraries)) {
    for (const [file, source] of Object.entries(files))
      copyFileSync(join(root, 'node_modules', source), join(folder, file))
    writeFileSync(join(folder, `${name}-setup.js`), setup)
  }
})
const served = startBrowserAndExample(root)

interface Visit {
  readonly page: Page
  /** Problems that the browser reported. */
  readonly problems: string[]
}

async function visit(library: string, path = '/notes'): Promise<Visit> {
  const context = await served.browser.newContext({ baseURL: served.url })
  await context.addCookies([{ name: 'library', value: library, url: served.url }])
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    // Chromium reports the status 400 of an invalid form.
    if (['error', 'warning'].includes(message.type()) && !message.text().includes('status of 400'))
      problems.push(message.text())
  })
  await page.goto(path)
  // A page that the browser loads anew has no such variable.
  await page.evaluate('window.isFirstPage = true')
  return { page, problems }
}

/** The title of the page that `visit` opens. */
const firstTitle = 'Notes · My app'

/** Expects that the library has loaded all pages since `visit`, without problems. */
async function leave({ page, problems }: Visit): Promise<void> {
  expect([await page.evaluate('window.isFirstPage'), problems]).toEqual([true, []])
  await page.context().close()
}

/** Waits for a page by its heading, not for the earlier copy that Turbo shows meanwhile. */
const heading = (page: Page, name: string) =>
  page
    .locator('html:not([data-turbo-preview])')
    .getByRole('heading', { level: 1, name, exact: true })
    .waitFor()
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
const status = (page: Page) => page.getByRole('status').allInnerTexts()

/** Creates a record from the list, and waits for its page. */
async function create(page: Page, title: string): Promise<void> {
  await follow(page, 'Add note')
  await heading(page, 'New note')
  await page.getByLabel('Title').fill(title)
  await save(page)
  await heading(page, title)
}

const picture = {
  name: 'dot.gif',
  mimeType: 'image/gif',
  buffer: Buffer.from('R0lGODlhAQABAPAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
}

const cases = Object.entries<Library>(libraries)
describe.each(cases)('%s', (name, { setsTitle = true }) => {
  /** Expects the address and the title of the document. */
  const expectPage = async (page: Page, path: RegExp, title: string) => {
    await expect.poll(() => new URL(page.url()).pathname).toMatch(path)
    await expect.poll(() => page.title()).toBe(setsTitle ? title : firstTitle)
  }

  test('creates, changes and deletes a record, with address and title, and says so once', async () => {
    const visited = await visit(name)
    const { page } = visited
    await create(page, `Before ${name}`)
    await expectPage(page, /^\/notes\/\d+$/, `Before ${name} · My app`)
    expect(await status(page)).toEqual(['The note was created.'])
    const address = page.url()
    await follow(page, 'Edit')
    await heading(page, 'Edit note')
    await expectPage(page, /^\/notes\/\d+\/edit$/, 'Edit note · My app')
    expect(await status(page)).toEqual([])
    await page.getByLabel('Title').fill(`After ${name}`)
    await save(page)
    await heading(page, `After ${name}`)
    await expectPage(page, /^\/notes\/\d+$/, `After ${name} · My app`)
    expect(page.url()).toBe(address)
    expect(await status(page)).toEqual(['The note was updated.'])
    await follow(page, 'All notes')
    await heading(page, 'Notes')
    expect(await status(page)).toEqual([])
    await follow(page, `After ${name}`)
    await heading(page, `After ${name}`)
    await page.getByText('Delete', { exact: true }).click()
    await page.getByRole('button', { name: 'Delete note' }).click()
    await heading(page, 'Notes')
    await expectPage(page, /^\/notes$/, 'Notes · My app')
    expect(await page.getByRole('link', { name: `After ${name}` }).count()).toBe(0)
    expect(await status(page)).toEqual(['The note was deleted.'])
    await leave(visited)
  })

  test('shows the mistakes of a form beside what was typed', async () => {
    const visited = await visit(name)
    const { page } = visited
    await follow(page, 'Add note')
    await heading(page, 'New note')
    await page.getByLabel('Text').fill('Typed\ntext')
    await save(page)
    await page.locator('#title-error').waitFor()
    expect(await page.getByRole('alert').innerText()).toBe('Please correct the fields below.')
    expect(await page.getByLabel('Text').inputValue()).toBe('Typed\ntext')
    await page.getByLabel('Title').fill(`Corrected by ${name}`)
    await save(page)
    await heading(page, `Corrected by ${name}`)
    await leave(visited)
  })

  test('uploads a file, and sends none that is too large', async () => {
    const visited = await visit(name)
    const { page } = visited
    await follow(page, 'Add note')
    await heading(page, 'New note')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    await page.locator('#file').setInputFiles(large)
    await save(page)
    await page.locator('#file-error').waitFor()
    expect(sent).toEqual([])
    await page.locator('#file').setInputFiles(picture)
    await save(page)
    await page.locator('#title-error').waitFor()
    await page.locator('.attachment img').waitFor()
    // The page contains the script of the form once more, but decodes an image once.
    await page.evaluate(`{
      const decode = createImageBitmap
      window.decoded = 0
      window.createImageBitmap = (file) => { window.decoded++; return decode(file) }
    }`)
    await page.locator('#file').setInputFiles(picture)
    await page.locator('.attachment canvas').waitFor()
    expect(await page.evaluate('window.decoded')).toBe(1)
    await page.getByLabel('Title').fill(`Uploaded by ${name}`)
    await save(page)
    await heading(page, `Uploaded by ${name}`)
    expect(sent).toHaveLength(2)
    const link = page.getByRole('link', { name: 'dot.gif' })
    const file = await page.request.get((await link.getAttribute('href'))!)
    expect(await file.body()).toEqual(picture.buffer)
    await leave(visited)
  })
})
