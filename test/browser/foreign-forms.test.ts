/** A login provider sends visitors of a shop back by a form: the example of docs/security.md, with two hosts in Chromium. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Mountable } from '../../src/runtime/app.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { serve } from '../support/serve.ts'

const repository = join(import.meta.dirname, '../..')
const folder = join(repository, 'node_modules/.docs')
const example = join(folder, `foreign-forms-${process.pid}.ts`)

class Shop extends FwController {
  begin() {
    this.session.set('state', 'of this visitor')
    this.session.set('cart', 'a book')
    return 'begun'
  }
  index() {
    return ['cart', 'provider'].map((name) => String(this.session.get(name))).join(', ')
  }
}
const shop = routes(Shop, (r) => ({ index: r.get('/', 'index'), begin: r.get('/begin', 'begin') }))

let browser: Browser
let provider: Server
let port: number
let appleLogin: Mountable
beforeAll(async () => {
  const page = readFileSync(join(repository, 'docs/security.md'), 'utf8')
  const code = page.split(/^```ts\n|^```\n/m).find((block) => block.includes('class AppleLogin'))!
  mkdirSync(folder, { recursive: true })
  writeFileSync(example, code)
  appleLogin = ((await import(example)) as { appleLogin: Mountable }).appleLogin
  provider = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://localhost')
    response.setHeader('Content-Type', 'text/html')
    response.end(`<form method="post" action="${searchParams.get('to')}/login/apple">
      <input name="state" value="${searchParams.get('state')}">
      <button>Log in</button></form>`)
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  port = (provider.address() as AddressInfo).port
  browser = await startChromium(['--host-resolver-rules=MAP *.example 127.0.0.1'])
})
afterAll(async () => {
  await browser?.close()
  provider?.close()
  rmSync(example, { force: true })
})

// Chromium sends `Sec-Fetch-Site` over plain http only to hosts of this machine.
test.each([
  ['with fetch metadata, by a script', 'localhost', true],
  ['with fetch metadata, by a button', 'localhost', false],
  ['without fetch metadata, by a script', 'example', true],
  ['without fetch metadata, by a button', 'example', false],
])('the session survives: %s', async (_title, domain, javaScriptEnabled) => {
  const origin = `http://provider.${domain}:${port}`
  const { app } = await serve([shop, appleLogin], {
    configuration: {
      server: { hosts: [`shop.${domain}`] },
      csrf: { trustedOrigins: [origin] },
    },
  })
  const own = `http://shop.${domain}:${(await app.listen(0)).port}`
  const context = await browser.newContext({ javaScriptEnabled })
  const page = await context.newPage()
  const posts: Request[] = []
  page.on('request', (request) => void (request.method() === 'POST' && posts.push(request)))
  await page.goto(`${own}/begin`)
  const before = await context.cookies()
  /** Logs in at the provider, and returns the status of the page of the shop that follows. */
  const logIn = async (state: string, path: string) => {
    const shown = page.waitForEvent(
      'response',
      (response) => response.url() === own + path && response.status() !== 303,
    )
    await page.goto(`${origin}/?to=${own}&state=${state}`)
    await page.getByRole('button', { name: 'Log in' }).click()
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(own + path)
    return (await shown).status()
  }
  expect(await logIn('forged', '/login/apple/complete')).toBe(403)
  expect(await context.cookies()).toEqual(before)
  expect(await logIn('of this visitor', '/')).toBe(200)
  await page.getByText('a book, apple').waitFor()
  const sent = []
  for (const request of posts) {
    const { cookie = '' } = await request.allHeaders()
    sent.push(`${new URL(request.url()).pathname} ${cookie.includes('fw_session=')}`)
  }
  const both = ['/login/apple false', '/login/apple/complete true']
  expect(sent).toEqual([...both, ...both])
  await context.close()
})
