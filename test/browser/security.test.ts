/** What a real browser makes of the defences: a shop on one host name, an attacker on another. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FwController, routes } from '../../src/controller.ts'
import { Fw } from '../../src/controller.ts'
import { createApp, type App } from '../../src/server.ts'
import { FwLifeCycle, type ServletContext } from '../../src/app.ts'
import { Configuration } from '../../src/config.ts'
import { silentLogger } from '../../src/base.ts'
import { startChromium } from '../../src/testing/chromium.ts'

const posted: string[] = []

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
  script() {
    this.response.headers.set('Content-Type', 'text/javascript')
    return `stolen = ${JSON.stringify(this.session.get('visitor'))}`
  }
}
const shop = routes(Shop, (r) => ({
  index: r.get('/', 'index'),
  buy: r.post('/buy', 'buy'),
  script: r.get('/me.js', 'script'),
}))
class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    shop.mount(ctx)
  }
}

let app: App
let attacker: Server
let browser: Browser
let shopUrl: string
let evilUrl: string

beforeAll(async () => {
  app = await createApp(new Boot(), {
    logger: silentLogger,
    database: false,
    configuration: Configuration.from({ server: { hosts: ['shop.example'] } }),
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
})

async function visit(): Promise<Page> {
  posted.length = 0
  const page = await (await browser.newContext()).newPage()
  await page.goto(shopUrl)
  return page
}

test('an own form is accepted', async () => {
  const page = await visit()
  await page.click('button')
  expect(await page.textContent('body')).toBe('bought')
  expect(posted).toEqual(['Ann'])
})

test('a form of another site is refused, and brings no session', async () => {
  const page = await visit()
  await page.goto(evilUrl)
  const [response] = await Promise.all([
    page.waitForResponse(`${shopUrl}/buy`),
    page.click('button'),
  ])
  expect(response.status()).toBe(403)
  expect(posted).toEqual([])
})

test('a form of a sibling host, which brings the session along, is refused', async () => {
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

test('the session cookie is out of reach of scripts, and of other sites', async () => {
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

test('an inline script without the nonce does not run, ours does; nor does an inline handler', async () => {
  const page = await visit()
  await page.click('p')
  expect(await page.title()).toBe('Shop ours')
})

test('another site can neither run a script made for the visitor nor frame a page', async () => {
  const page = await visit()
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(evilUrl, { waitUntil: 'load' })
  expect(await page.evaluate(() => (globalThis as { stolen?: string }).stolen)).toBe('nothing')
  expect(refused.join('\n')).toMatch(/frame-ancestors|Refused to frame|frame/i)
})
