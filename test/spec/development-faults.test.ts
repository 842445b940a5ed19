/** A failed request in development: its error page, who gets it, and its record. */
import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'node-html-parser'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FwLifeCycle, startApplication, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { currentDatabase, openDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { developmentErrorReporter } from '../../src/tools/dev.ts'
import { RecordFolder } from '../../src/tools/dev/request-record.ts'
import { FwController, routes } from '../../src/index.ts'
import { fetchHandler, type FetchInfo } from '../../src/runtime/server.ts'
import { temporaryFolder } from '../support/serve.ts'

class FailingController extends FwController {
  async fail() {
    this.cookies.set('left', 'behind')
    this.session.set('cart', [1, 2])
    this.session.set('apiKey', 'hush')
    this.flash.set('notice', '<script>alert(1)</script>')
    const sql = 'select $1::text as name, $2::int as n'
    await currentDatabase().query({ sql, parameters: ['<b>Ann</b>', 7] })
    await currentDatabase().query({ sql: 'select $1::text as password', parameters: ['hush'] })
    await currentDatabase()
      .query({ sql: 'select $1::text::int as "api-key"', parameters: ['hush'] })
      .catch(() => {})
    throw new TypeError(`<img src=x> of ${this.params.get('id')}`, { cause: new Error('deeper') })
  }
}

const failing = routes(FailingController, (r) => ({
  failUrl: r.post('/fail/:id/:resetToken', 'fail').as('fail'),
}))

class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    failing.mount(ctx)
  }
}

let database: Database
beforeAll(async () => {
  database = await openDatabase({ kind: 'pglite', folder: 'memory' })
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
})

async function application(environment = 'development') {
  const root = temporaryFolder({ 'package.json': '{}' })
  const env = new FwEnv(environment)
  const app = await startApplication(new Bootstrap(), {
    root,
    configuration: Configuration.from(
      { secretKeyBase: 'x'.repeat(48), server: { hosts: ['localhost'] } },
      env,
    ),
    logger: silentLogger,
    database,
    errorReporter: developmentErrorReporter(env, root),
  })
  onTestFinished(() => app.close())
  const fetch = fetchHandler(app.handle)
  const send = (headers: Record<string, string> = {}, info?: FetchInfo, host = 'localhost') =>
    fetch(
      new Request(`http://${host}/fail/7/%68ush?q=%3Ci%3E&token=hush`, {
        method: 'POST',
        headers: { accept: 'text/html', authorization: 'hush', ...headers },
        body: new URLSearchParams({ name: '<u>Ann</u>', password: 'hush', 'csrf-token': 'hush' }),
      }),
      { remoteAddress: '127.0.0.1', ...info },
    )
  return { root, send, folder: join(root, 'tmp/errors') }
}

test('the page shows the error, the request, its session and its SQL; it escapes everything and redacts secrets', async () => {
  const { send } = await application()
  const answer = await send()
  const text = await answer.text()
  expect(answer.status).toBe(500)
  expect(text).not.toMatch(/<(?:img|i|u|b|script)\b|hush/)
  const nonce = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy')!)![1]
  expect(text).toContain(`<style nonce="${nonce}">`)
  expect(answer.headers.getSetCookie()).toEqual([])

  const page = parse(text)
  expect(page.querySelector('h1')!.text).toBe('<img src=x> of 7')
  expect(page.querySelector('header p')!.text).toBe('POST /fail/7/[redacted], route fail')
  const rows = page.querySelectorAll('tr').map((row) => row.text)
  expect(rows).toEqual(
    expect.arrayContaining([
      'id7',
      'q<i>',
      'token[redacted]',
      'name<u>Ann</u>',
      'password[redacted]',
      'authorization[redacted]',
      'cart[1,2]',
      'apiKey[redacted]',
      'notice<script>alert(1)</script>',
      expect.stringMatching(/^select \$1::text as name, [^]*\$1 = <b>Ann<\/b>\n\$2 = 7[\d.]+ ms$/),
      expect.stringMatching(/^select \$1::text as password\n\$1 = \[redacted\][\d.]+ ms$/),
    ]),
  )
  expect(text).toContain('Error: deeper')
  const id = answer.headers.get('x-request-id')
  expect(text).toMatch(new RegExp(`\\./fw test:from-error (?:-- )?${id}`))
})

test('a client that accepts JSON gets the same as problem details', async () => {
  const { send } = await application()
  const answer = await send({ accept: 'application/json' })
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  const text = await answer.text()
  expect(text).not.toContain('hush')
  expect(JSON.parse(text)).toMatchObject({
    status: 500,
    fault: {
      name: 'TypeError',
      message: '<img src=x> of 7',
      causes: [{ message: 'Error: deeper' }],
    },
    request: {
      method: 'POST',
      params: {
        path: [
          ['id', '7'],
          ['resetToken', '[redacted]'],
        ],
      },
      session: [
        ['cart', '[1,2]'],
        ['apiKey', '[redacted]'],
      ],
      statements: [
        { parameters: ['<b>Ann</b>', '7'] },
        { parameters: ['[redacted]'] },
        { parameters: ['[redacted]'], failure: '[redacted]' },
      ],
    },
  })
})

test.each([
  ['a peer on the network', {}, { remoteAddress: '10.0.0.7' }, 'localhost'],
  ['a proxied request', { 'x-forwarded-for': '127.0.0.1' }, {}, 'localhost'],
  ['a request with the header of a proxy', { forwarded: 'for=10.0.0.7' }, {}, 'localhost'],
  ["another site's script", { 'sec-fetch-site': 'cross-site', origin: 'null' }, {}, 'localhost'],
  ['a foreign name that resolves to this machine', {}, {}, 'evil.example'],
])('%s gets no details', async (_name, headers, info, host) => {
  const { send } = await application()
  for (const accept of ['text/html', 'application/json']) {
    const text = await (await send({ accept, ...headers }, info, host)).text()
    expect(text).not.toMatch(/img|FailingController|select|deeper/)
  }
})

test.each(['test', 'production'])(
  'in %s there is no error page, and no record',
  async (environment) => {
    const { send, folder } = await application(environment)
    expect(await (await send()).text()).not.toMatch(/img|FailingController|select|deeper/)
    expect(() => readdirSync(folder)).toThrow(/ENOENT/)
  },
)

test('the record leaves out secrets, and lists them', async () => {
  const { send, folder } = await application()
  const id = (await send({ 'x-api-key': 'hush', 'x-mode': 'slow' })).headers.get('x-request-id')!
  const records = new RecordFolder(folder)
  await expect.poll(() => records.ids(), { interval: 20 }).toEqual([id])
  const text = readFileSync(join(folder, `${id}.json`), 'utf8')
  expect(text).not.toContain('hush')
  expect(JSON.parse(text)).toMatchObject({
    method: 'POST',
    path: '/fail/7/[redacted]',
    query: [
      ['q', '<i>'],
      ['token', '[redacted]'],
    ],
    headers: [
      ['accept', 'text/html'],
      ['content-type', 'application/x-www-form-urlencoded;charset=UTF-8'],
      ['x-mode', 'slow'],
    ],
    form: [
      ['name', '<u>Ann</u>'],
      ['password', '[redacted]'],
    ],
    token: true,
    omitted: [
      'path resetToken',
      'query token',
      'header authorization',
      'header x-api-key',
      'form password',
    ],
  })
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*\n')
})

test('records are bounded in number and size', () => {
  const folder = temporaryFolder()
  const records = new RecordFolder(folder)
  for (let n = 0; n < 25; n++) {
    expect(records.keep(`id-${n}`, { n })).toBe(true)
    // The file system's clock may be too coarse for these writes.
    utimesSync(join(folder, `id-${n}.json`), n, n)
  }
  const newest = Array.from({ length: 20 }, (_, n) => `id-${24 - n}`)
  expect(records.ids()).toEqual(newest)
  expect(records.keep('large', { text: 'x'.repeat(200_000) })).toBe(false)
  expect(records.keep('../outside', {})).toBe(false)
  expect(records.ids()).toEqual(newest)
  expect(records.read('../outside')).toBeUndefined()
})
