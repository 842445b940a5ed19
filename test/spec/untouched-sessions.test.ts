/** Refusals and error pages leave the visitor's session alone; a page with a forgery token stores none. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  createApp,
  FwLifeCycle,
  FwSessionInitializer,
  type ServletContext,
} from '../../src/runtime/app.ts'
import { HttpError } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { logStatements, sentStatements, useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { XsrfCookie } from '../../src/runtime/feature.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { Visitor, type Page } from '../../src/tools/testing/client.ts'
// Registers the template compiler.
import '../../src/view.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

class Shop extends mix(FwController, XsrfCookie) {
  static {
    this.protectFromForgery()
    this.after((_controller, ctx) => {
      if (ctx.request.query.has('mark')) ctx.session.set('marked', true)
    })
  }
  page() {
    return this.render('/page')
  }
  show() {
    return `cart ${String(this.session.get('cart'))} ${String(this.session.get('marked'))}`
  }
  fill() {
    this.session.set('cart', 1)
    return 'filled'
  }
  login() {
    this.session.renewSession()
    this.session.set('user', 7)
    return 'in'
  }
  missing() {
    throw new HttpError(404, 'feature.file-not-found', 'There is no such page.')
  }
  fault() {
    throw new Error('boom')
  }
}
const shop = routes(Shop, (r) => ({
  page: r.get('/', 'page'),
  show: r.get('/show', 'show'),
  buy: r.post('/buy', 'show'),
  fill: r.post('/fill', 'fill'),
  login: r.post('/login', 'login'),
  missing: r.get('/missing', 'missing'),
  fault: r.get('/fault', 'fault'),
}))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    new FwSessionInitializer().mount(ctx, '/*')
    shop.mount(ctx)
  }
}

const webapp = 'src/main/webapp/WEB-INF'
const files = {
  'package.json': '{ "type": "module" }',
  [`${webapp}/layouts/default.ssp`]:
    "<html><head>${s.csrfMetaTags}</head>${s.flash.get('notice') ?? 'none'} ${body}</html>",
  [`${webapp}/views/page.html.ssp`]: '<form method="post">${s.csrfHiddenInputTag}</form>',
  [`${webapp}/views/error/403.html.ssp`]: '<h1>Forged</h1>',
  [`${webapp}/views/error/404.html.ssp`]: '<h1>Missing</h1>${s.csrfHiddenInputTag}',
  [`${webapp}/views/error/500.html.ssp`]: '<h1>Broken</h1>',
}

let database: Database
beforeAll(async () => {
  database = await openInMemory()
  for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
})

async function start(environment: Readonly<Record<string, unknown>> = {}) {
  const root = temporaryFolder(files)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  generateViews({ root })
  const lines: LogLine[] = []
  const app = await createApp(new Boot(), {
    root,
    database,
    logger: recordingLogger(lines),
    configuration: Configuration.from(environment),
  })
  onTestFinished(() => app.close())
  return { lines, visitor: () => new Visitor(app.fetch) }
}

/** The statements that the application sends for a request. */
const counted = (work: () => Promise<Page>) =>
  logStatements(async () => {
    const page = await work()
    return { page, statements: sentStatements().map(({ sql }) => sql) }
  })

const html = { accept: 'text/html' }
const sessionCookies = (page: Page): readonly string[] =>
  page.headers.getSetCookie().filter((line) => line.startsWith('fw_session='))

describe('a request without a session stores none', () => {
  for (const [path, status] of [
    ['/', 200],
    ['/nowhere', 404],
    ['/missing', 404],
    ['/fault', 500],
  ] as const) {
    test(`GET ${path} sends no statement and no session cookie`, async () => {
      const { visitor } = await start()
      const { page, statements } = await counted(() => visitor().get(path, { headers: html }))
      expect(page.status).toBe(status)
      expect(sessionCookies(page)).toEqual([])
      expect(statements).toEqual([])
    })
  }

  test('an error page sets no cookie and shows no token that no request could use', async () => {
    const { visitor } = await start()
    const page = await visitor().get('/nowhere', { headers: html })
    expect(page.headers.getSetCookie()).toEqual([])
    expect(page.body).toBe('<html><head></head>none <h1>Missing</h1></html>')
  })
})

describe('the forgery token before there is a session', () => {
  test('is sealed in a cookie of its own, and proves a form without a statement', async () => {
    const { visitor } = await start()
    const one = visitor()
    const first = await one.get('/')
    const [cookie] = first.headers.getSetCookie()
    expect(cookie).toMatch(/^fw_session_csrf=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(first.headers.get('cache-control')).toContain('no-store')
    const again = await one.get('/')
    expect(again.headers.getSetCookie().join()).not.toContain('fw_session_csrf')
    expect(again.headers.get('cache-control')).toContain('no-store')
    const { page, statements } = await counted(() => one.post('/buy', { form: {} }))
    expect(page.body).toBe('cart undefined undefined')
    expect(statements).toEqual([])
  })

  test('is good only with the cookie, and a made-up cookie is none', async () => {
    const { visitor } = await start()
    const one = visitor()
    const token = (await one.get('/')).attribute('input', 'value')!
    const form = { 'csrf-token': token }
    const other = visitor()
    await other.get('/')
    expect((await other.post('/buy', { form })).status).toBe(403)
    expect((await visitor().post('/buy', { form })).status).toBe(403)
    const forged = { cookie: `fw_session_csrf=${'A'.repeat(43)}` }
    const bare = Buffer.alloc(64).toString('base64url')
    const page = await visitor().post('/buy', { form: { 'csrf-token': bare }, headers: forged })
    expect(page.status).toBe(403)
  })

  test('moves into the session that begins, so that open forms stay good', async () => {
    const { visitor } = await start()
    const one = visitor()
    const token = (await one.get('/')).attribute('input', 'value')!
    const form = { 'csrf-token': token }
    expect(sessionCookies(await one.post('/fill', { form }))).toHaveLength(1)
    expect((await one.post('/buy', { form })).body).toBe('cart 1 undefined')
  })

  test('is refused after a login renews the session', async () => {
    const { visitor } = await start()
    const one = visitor()
    const token = (await one.get('/')).attribute('input', 'value')!
    const form = { 'csrf-token': token }
    expect((await one.post('/login', { form })).status).toBe(200)
    expect((await one.post('/buy', { form })).status).toBe(403)
    await one.get('/')
    expect((await one.post('/buy', { form: {} })).status).toBe(200)
  })
})

describe('a refused request leaves the session as it is', () => {
  const begin = async () => {
    const { visitor, lines } = await start()
    const one = visitor()
    await one.get('/')
    await one.post('/fill', { form: {} })
    return { one, lines }
  }

  for (const path of ['/buy', '/buy?mark=1'])
    test(`the origin check, ${path}: no statement and no cookie`, async () => {
      const { one, lines } = await begin()
      const headers = { ...html, 'sec-fetch-site': 'cross-site' }
      const { page, statements } = await counted(() => one.post(path, { headers, form: {} }))
      expect(page.status).toBe(403)
      expect(page.body).toContain('<h1>Forged</h1>')
      expect(statements).toEqual([])
      expect(page.headers.getSetCookie()).toEqual([])
      expect((await one.get('/show')).body).toBe('cart 1 undefined')
      expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    })

  test('the origin check, without the cookie, which another site’s form does not send', async () => {
    const { visitor } = await start()
    const headers = { ...html, 'sec-fetch-site': 'cross-site' }
    const { page, statements } = await counted(() => visitor().post('/buy?mark=1', { headers }))
    expect(page.status).toBe(403)
    expect(statements).toEqual([])
    expect(page.headers.getSetCookie()).toEqual([])
  })

  test('the forgery check reads the session and writes nothing', async () => {
    const { one } = await begin()
    const headers = { ...html, 'x-csrf-token': 'x' }
    const form = { 'csrf-token': 'x' }
    const { page, statements } = await counted(() => one.post('/buy?mark=1', { headers, form }))
    expect(page.status).toBe(403)
    expect(page.body).toMatch(/csrf-token.*<h1>Forged/s)
    expect(statements).toHaveLength(1)
    expect(page.headers.getSetCookie()).toEqual([])
    expect((await one.get('/show')).body).toBe('cart 1 undefined')
  })

  test('a path without a route does not read the session', async () => {
    const { one } = await begin()
    const { page, statements } = await counted(() => one.get('/nowhere', { headers: html }))
    expect(page.body).toContain('none <h1>Missing</h1>')
    expect(statements).toEqual([])
  })
})
