/** The defences in a real browser: a shop on one host name, an attacker on another. */
import { createServer, type Server } from 'node:http'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { Fw } from '../../src/runtime/controller.ts'
import { type App, createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { generateViews } from '../../src/templates/compile.ts'
// Registers the template compiler.
import '../../src/view.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { recordingLogger, type LogLine } from '../support/serve.ts'

const posted: string[] = []
const lines: LogLine[] = []

class Shop extends FwController {
  static {
    this.protectFromForgery()
  }
  index() {
    this.session.set('visitor', 'Ann')
    const s = new Fw(this.ctx)
    this.response.headers.set('Content-Type', 'text/html; charset=utf-8')
    return `<!doctype html><title>Shop</title>
      <script>document.title += ' injected'</script>
      <script nonce="${this.ctx.cspNonce}">document.title += ' ours'</script>
      <p onclick="document.title += ' clicked'">text</p>
      <form method="post" action="/buy">${s.csrfHiddenInputTag.toString()}<button>Buy</button></form>`
  }
  buy() {
    posted.push(String(this.session.get('visitor')))
    return 'bought'
  }
  visitor() {
    return String(this.session.get('visitor'))
  }
  script() {
    this.response.headers.set('Content-Type', 'text/javascript')
    return `stolen = ${JSON.stringify(this.session.get('visitor'))}`
  }
}
const shop = routes(Shop, (r) => ({
  index: r.get('/', 'index'),
  buy: r.post('/buy', 'buy'),
  visitor: r.get('/visitor', 'visitor'),
  script: r.get('/me.js', 'script'),
}))
class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    shop.mount(ctx)
  }
}

const views = 'src/main/webapp/WEB-INF'
const files = {
  'package.json': '{ "type": "module" }',
  [`${views}/layouts/default.ssp`]: '<html><head>${s.csrfMetaTags}</head>${body}</html>',
  [`${views}/views/error/403.html.ssp`]: '<h1>Refused</h1>',
}

let root: string
let app: App
let attacker: Server
let browser: Browser
let shopUrl: string
let evilUrl: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-browser-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  generateViews({ root })
  app = await createApp(new Boot(), {
    root,
    logger: recordingLogger(lines),
    database: false,
    configuration: Configuration.from({
      server: { hosts: ['shop.example'] },
      security: { policyReportPath: '/policy-reports' },
    }),
  })
  const { port } = await app.listen(0)
  shopUrl = `http://shop.example:${port}`
  attacker = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<script>stolen = 'nothing'</script><script src="${shopUrl}/me.js"></script>
      <iframe src="${shopUrl}/"></iframe>
      <form method="post" action="${shopUrl}/buy"><input name="csrf-token" value="x"><button>Win</button></form>`)
  })
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve))
  evilUrl = `http://evil.example:${(attacker.address() as AddressInfo).port}`
  browser = await startChromium([
    '--host-resolver-rules=MAP shop.example 127.0.0.1, MAP evil.shop.example 127.0.0.1, MAP evil.example 127.0.0.1',
  ])
})
afterAll(async () => {
  await browser?.close()
  attacker?.close()
  await app?.close()
  rmSync(root, { recursive: true, force: true })
})

async function visit(): Promise<Page> {
  posted.length = 0
  const page = await (await browser.newContext()).newPage()
  await page.goto(shopUrl)
  return page
}

test('a form of the same site is accepted', async () => {
  const page = await visit()
  await page.click('button')
  expect(await page.textContent('body')).toBe('bought')
  expect(posted).toEqual(['Ann'])
})

test('a form of another site is refused and sends no session cookie', async () => {
  const page = await visit()
  await page.goto(evilUrl)
  const [response] = await Promise.all([
    page.waitForResponse(`${shopUrl}/buy`),
    page.click('button'),
  ])
  expect(response.status()).toBe(403)
  expect(posted).toEqual([])
})

for (const site of ['evil.example', 'evil.shop.example'])
  test(`a refused form of ${site} leaves the visitor's session as it is`, async () => {
    const page = await visit()
    const before = await page.context().cookies(shopUrl)
    await page.goto(evilUrl.replace('evil.example', site))
    const [response] = await Promise.all([
      page.waitForResponse(`${shopUrl}/buy`),
      page.click('button'),
    ])
    expect(await response.text()).toContain('<h1>Refused</h1>')
    expect(await page.context().cookies(shopUrl)).toEqual(before)
    await page.goto(`${shopUrl}/visitor`)
    expect(await page.textContent('body')).toBe('Ann')
  })

test('a form of a sibling host, which sends the session cookie, is refused', async () => {
  const page = await visit()
  await page.goto(evilUrl.replace('evil.example', 'evil.shop.example'))
  const [response] = await Promise.all([
    page.waitForResponse(`${shopUrl}/buy`),
    page.click('button'),
  ])
  expect(response.status()).toBe(403)
  expect(await response.request().headerValue('cookie')).toContain('fw_session=')
  expect(posted).toEqual([])
})

test('scripts and other sites cannot read the session cookie', async () => {
  const page = await visit()
  const [cookie] = await page.context().cookies(shopUrl)
  expect(cookie).toMatchObject({
    name: 'fw_session',
    domain: 'shop.example',
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    expires: -1,
  })
  expect(await page.evaluate(() => document.cookie)).toBe('')
  expect(await page.context().cookies(evilUrl)).toEqual([])
})

test('inline scripts run only with the nonce, and inline handlers do not run', async () => {
  const page = await visit()
  await page.click('p')
  expect(await page.title()).toBe('Shop ours')
})

test('the log has what the policy has blocked', async () => {
  const page = await visit()
  await page.click('p')
  const violation = { page: `${shopUrl}/`, blocked: 'inline', disposition: 'enforce' }
  const fields = () =>
    lines
      .filter(({ message }) => message === 'a page violates the Content-Security-Policy')
      .map((line) => line.fields)
  for (const directive of ['script-src-elem', 'script-src-attr'])
    await expect.poll(fields).toContainEqual(expect.objectContaining({ ...violation, directive }))
})

test('another site can neither load a script made for the visitor nor frame a page', async () => {
  const page = await visit()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(evilUrl, { waitUntil: 'load' })
  expect(await page.evaluate(() => (globalThis as { stolen?: string }).stolen)).toBe('nothing')
  expect(refused.join('\n')).toMatch(/frame-ancestors|Refused to frame|frame/i)
})
