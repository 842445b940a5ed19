/** Style attributes and inline handlers under the Content-Security-Policy, in a real browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FwController, routes, unescape } from '../../src/index.ts'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'

import { silentLogger } from '../../src/runtime/base.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
// Registers the template compiler.
import '../../src/view.ts'
import { testProject } from '../view/project.ts'

const templates = {
  'layouts/default.ssp': '<html><body style="margin: 1px">${body}</body></html>',
  'views/page.html.ssp': `<%@val on: boolean %><%@val width: string %><%@val html: SafeHtml %>
<p id="static" style="color: rgb(1, 2, 3)">a</p>
<p id="entity" style='font-family: &quot;Ab&quot;; color: rgb(2, 2, 3)'>a</p>
<p id="lines" style="color:
  rgb(3, 2, 3)">a</p>
<p id="choice" style="\${on ? 'color: rgb(4, 2, 3)' : ''}">a</p>
<p id="switch" style="margin: 0; \${on && 'color: rgb(5, 2, 3)'}">a</p>
<p id="dynamic" style="color: \${width}">a</p>
<svg><text id="svg" style="color: rgb(6, 2, 3)">a</text></svg>
<%@include '_part' %>
\${html}
<button id="handler" onclick="document.title = 'clicked'">a</button>
`,
  'views/_part.html.ssp': '<p id="part" style="color: rgb(7, 2, 3)">a</p>',
  'views/nonce.html.ssp':
    '<p id="static" style="color: rgb(1, 2, 3)">a</p><script>document.title = "ran"</script><style>p { margin: 2px }</style>',
  'views/rows.html.ssp': `<%@val rows: AsyncIterable<number> %>
<% for await (const row of rows) { %><p id="row\${row}" style="color: rgb(8, 2, 3)">\${row}</p><% } %>`,
}

class PageController extends FwController {
  page() {
    const html = unescape('<p id="foreign" style="color: rgb(9, 9, 9)">a</p>')
    return this.render(
      '/page' as never,
      { on: this.params.get('on') === '1', width: 'red', html } as never,
    )
  }
  nonce() {
    return this.render('/nonce' as never)
  }
  rows() {
    return this.view.stream('/rows' as never, { rows: rows() } as never)
  }
}
async function* rows(): AsyncGenerator<number> {
  for (let row = 0; row < 2000; row++) yield row
}
const pages = routes(PageController, (r) => ({
  pageUrl: r.get('/page', 'page'),
  nonceUrl: r.get('/nonce', 'nonce'),
  rowsUrl: r.get('/rows', 'rows'),
}))
class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    pages.mount(ctx)
  }
}

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser?.close())

/** Starts the application with the directives of a policy, and returns a function that opens a page. */
async function serve(contentSecurityPolicy: Readonly<Record<string, string>> = {}) {
  const project = testProject(templates)
  onTestFinished(() => project.remove())
  const [error] = generateViews(project).errors
  if (error !== undefined) throw error
  const app = await createApp(new Boot(), {
    root: project.root,
    logger: silentLogger,
    database: false,
    configuration: Configuration.from({ security: { contentSecurityPolicy } }),
  })
  onTestFinished(() => app.close())
  const { port } = await app.listen(0)
  return async (path: string): Promise<Page> => {
    const page = await browser.newPage()
    onTestFinished(() => page.close())
    await page.goto(`http://127.0.0.1:${port}${path}`)
    return page
  }
}

const colour = (page: Page, id: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.getElementById('${id}')).color`)
const colours = async (page: Page, ids: readonly string[]): Promise<string[]> => {
  const found: string[] = []
  for (const id of ids) found.push(await colour(page, id))
  return found
}
const black = 'rgb(0, 0, 0)'

test('style attributes whose texts are in the template apply, others do not', async () => {
  const open = await serve()
  const page = await open('/page?on=1')
  expect(
    await colours(page, ['static', 'entity', 'lines', 'choice', 'switch', 'svg', 'part']),
  ).toEqual([1, 2, 3, 4, 5, 6, 7].map((red) => `rgb(${red}, 2, 3)`))
  expect(await page.evaluate('getComputedStyle(document.body).margin')).toBe('1px')
  expect(await colours(page, ['dynamic', 'foreign'])).toEqual([black, black])
  // A fragment that a script inserts is compared with the policy of the page.
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<p id="same" style="color: rgb(1, 2, 3)"><p id="other" style="color: rgb(9, 9, 8)">')`)
  expect(await colours(page, ['same', 'other'])).toEqual(['rgb(1, 2, 3)', black])
  await page.click('#handler')
  expect(await page.title()).toBe('')
  expect(await colours(await open('/page'), ['static', 'choice'])).toEqual(['rgb(1, 2, 3)', black])
})

test('they apply beside a nonce, and in a streamed page', async () => {
  const open = await serve()
  const page = await open('/nonce')
  expect(await colour(page, 'static')).toBe('rgb(1, 2, 3)')
  expect(await page.title()).toBe('ran')
  const streamed = await open('/rows')
  expect(await colours(streamed, ['row0', 'row1999'])).toEqual(['rgb(8, 2, 3)', 'rgb(8, 2, 3)'])
})

test.each([{ 'style-src-attr': "'unsafe-inline'" }, { 'style-src': "'self' 'unsafe-inline'" }])(
  'all style attributes apply with the directive %j, on pages with a nonce, too',
  async (policy) => {
    const open = await serve(policy)
    const page = await open('/page?on=1')
    expect(await colours(page, ['static', 'dynamic', 'foreign'])).toEqual([
      'rgb(1, 2, 3)',
      'rgb(255, 0, 0)',
      'rgb(9, 9, 9)',
    ])
    expect(await colour(await open('/nonce'), 'static')).toBe('rgb(1, 2, 3)')
  },
)

test('no style attribute applies if the application forbids them', async () => {
  const open = await serve({ 'style-src-attr': "'none'" })
  expect(await colour(await open('/page'), 'static')).toBe(black)
})
