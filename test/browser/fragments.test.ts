/** Parts of pages in Chromium: with htmx, with Turbo, and without any script. */
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { currentDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { copyExample } from '../support/example.ts'
import { serve } from '../support/serve.ts'

const served = startBrowserAndExample(copyExample())

const problems: string[] = []
beforeEach(() => {
  problems.length = 0
})

async function visit(baseURL: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await served.browser.newContext({ baseURL, ...options })
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return page
}

async function add(page: Page, name: string, birthday: string): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Birthday').fill(birthday)
  await page.getByRole('button', { name: 'Save member' }).click()
}

const rows = (page: Page) => page.locator('tbody a').allInnerTexts()

describe('the example', () => {
  test.each([
    ['with htmx', '/members/quick', true],
    ['without any script', '/members/plain', false],
  ])(
    '%s adds a member, and shows mistakes beside their fields',
    async (_title, path, hasScript) => {
      const page = await visit(served.url, { javaScriptEnabled: hasScript })
      await page.goto(path)
      if (hasScript) await page.waitForFunction('window.htmx !== undefined')
      const posts: boolean[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') posts.push(request.isNavigationRequest())
      })
      await add(page, 'X', '')
      await page.locator('#birthday-error').waitFor()
      expect(await page.getByLabel('Name').inputValue()).toBe('X')
      const name = hasScript ? 'Hanna' : 'Paul'
      await add(page, name, '2000-01-02')
      await page.getByRole('link', { name }).waitFor()
      expect(await page.locator('#flash').innerText()).toBe('The member was created.')
      expect(await page.getByLabel('Name').inputValue()).toBe('')
      expect(posts).toEqual([!hasScript, !hasScript])
      await page.reload()
      expect(await page.locator('#flash').innerText()).toBe('')
      // A mistake of the form has the status 400, which Chromium reports.
      expect(problems.filter((text) => !text.includes('400'))).toEqual([])
      await page.context().close()
    },
  )

  test('a list shows what another visitor adds', async () => {
    const watching = await visit(served.url)
    await watching.goto('/members/quick')
    const other = await visit(served.url, { javaScriptEnabled: false })
    await other.goto('/members/plain')
    await add(other, 'From afar', '2001-02-03')
    await other.getByRole('link', { name: 'From afar' }).waitFor()
    await watching.getByRole('link', { name: 'From afar' }).waitFor()
    expect(await rows(watching)).toContain('From afar')
    expect(problems).toEqual([])
    await watching.context().close()
    await other.context().close()
  })
})

const webInf = 'src/main/webapp/WEB-INF'
const files = {
  [`${webInf}/layouts/default.ssp`]:
    '<!doctype html><html lang="en"><head><title>Notes</title>${s.csrfMetaTags}<meta name="csp-nonce" content="${s.cspNonce}"><script src="/turbo.js" type="module"></script></head>' +
    '<body><div id="flash"><%@include \'/_flash\' {} %></div>${body}</body></html>',
  [`${webInf}/views/_flash.html.ssp`]: "<p>${s.flash.get('notice')}</p>",
  [`${webInf}/views/notes/index.html.ssp`]:
    '<%@val notes: readonly string[] %>\n<ul id="notes">\n#for (note of notes)\n<%@include \'_note\' { note } %>\n#end\n</ul>\n' +
    '<form method="post" action="/notes"><input name="note" aria-label="Note"><button>Save</button></form>\n' +
    '<turbo-frame id="frame"><a href="/notes/frame">Load</a></turbo-frame>\n' +
    '<turbo-stream-source src="/notes/live"></turbo-stream-source><p id="count"></p>\n',
  [`${webInf}/views/notes/_note.html.ssp`]: '<%@val note: string %>\n<li>${note}</li>\n',
  [`${webInf}/views/notes/_frame.html.ssp`]:
    '<turbo-frame id="frame"><b>Loaded</b></turbo-frame>\n',
  [`${webInf}/views/notes/_count.html.ssp`]: '<%@val count: number %>\n${count} notes\n',
}

const stored: string[] = []

class Notes extends FwController {
  static {
    this.protectFromForgery()
  }
  index() {
    return this.render('/notes/index', { notes: stored })
  }
  async create() {
    const note = this.params.get('note') ?? ''
    stored.push(note)
    await currentDatabase().notify('notes')
    this.flash.set('notice', 'Saved.')
    if (!this.view.wantsFragment) return this.redirect303('/notes')
    return this.renderFragment('/notes/_note', { note }, { target: 'notes', swap: 'append' })
  }
  frame() {
    return this.view.wantsFragment ? this.renderFragment('/notes/_frame', {}) : this.halt(400)
  }
  live() {
    return this.view.live(
      'notes',
      () => this.renderFragment('/notes/_count', { count: stored.length }),
      { target: 'count' },
    )
  }
  script() {
    const file = import.meta.resolve('@hotwired/turbo/dist/turbo.es2017-esm.js')
    return this.response.sendFile(fileURLToPath(file))
  }
}
const notes = routes(Notes, (r) => ({
  index: r.get('/notes', 'index'),
  create: r.post('/notes', 'create'),
  frame: r.get('/notes/frame', 'frame'),
  live: r.get('/notes/live', 'live'),
  script: r.get('/turbo.js', 'script'),
}))

describe('Turbo', () => {
  let database: Database
  beforeAll(async () => {
    database = await openInMemory()
    useDatabase(database)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await database.close()
  })

  test('sends the token, and applies fragment, flash, frame and the events of a list', async () => {
    const { app } = await serve([notes], { files })
    const { port } = await app.listen(0)
    const page = await visit(`http://127.0.0.1:${port}`)
    await page.goto('/notes')
    await page.getByText('0 notes').waitFor()
    let navigations = 0
    page.on('framenavigated', () => navigations++)
    await page.getByLabel('Note').fill('<first>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 notes').waitFor()
    expect(await page.locator('li').allInnerTexts()).toEqual(['<first>'])
    expect(await page.locator('#flash').innerText()).toBe('Saved.')
    await page.getByRole('link', { name: 'Load' }).click()
    await page.getByText('Loaded').waitFor()
    expect([navigations, problems]).toEqual([0, []])
    await page.context().close()
    await app.close(0)
  })
})
