/** `renderFragment`: a part of a page for htmx, Turbo and scripts, with its flash and its protection from forgery. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines } from '../../src/runtime/db/engines.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { serve } from '../support/serve.ts'

const webInf = 'src/main/webapp/WEB-INF'
const files = {
  [`${webInf}/layouts/default.ssp`]: '<html>${s.csrfMetaTags}<div id="flash"></div>${body}</html>',
  [`${webInf}/views/_flash.html.ssp`]:
    "#if (s.flash.has('notice'))\n<p>${s.flash.get('notice')}</p>\n#end\n",
  [`${webInf}/views/rows/_row.html.ssp`]:
    "<%@val name: string %>\n<%@val mark: string = '-' %>\n<tr><td>${name}${mark}</td></tr>\n",
  [`${webInf}/views/rows/index.html.ssp`]:
    "<%@val name: string %>\n<table><%@include '_row' { name } %></table>\n",
  [`${webInf}/views/rows/slow.html.ssp`]:
    '<%@val name: string %>\n<i>${await Promise.resolve(name)}</i>\n',
}

class Rows extends FwController {
  static {
    this.protectFromForgery()
  }
  index() {
    const values = { name: 'Ann & Bo' }
    return this.view.wantsFragment
      ? this.renderFragment('/rows/_row', values)
      : this.render('/rows/index', values)
  }
  create() {
    this.flash.set('notice', '<Saved>')
    return this.renderFragment('/rows/_row', { name: 'Ann' }, { target: 'rows:1', swap: 'append' })
  }
  slow() {
    this.flash.now.set('notice', 'Soon')
    return this.renderFragment('/rows/slow', { name: 'Ann' })
  }
  secret() {
    return this.renderFragment('/rows/../../layouts/default', {})
  }
  misspelt() {
    return this.renderFragment('/rows/_rwo', { name: 'Ann' })
  }
}
const rows = routes(Rows, (r) => ({
  index: r.get('/rows', 'index'),
  create: r.post('/rows', 'create'),
  slow: r.get('/slow', 'slow'),
  secret: r.get('/secret', 'secret'),
  misspelt: r.get('/misspelt', 'misspelt'),
}))

const start = () => serve([rows], { files })
const row = '<tr><td>Ann &amp; Bo-</td></tr>\n'
const htmx = { 'hx-request': 'true' }
const turbo = { accept: 'text/vnd.turbo-stream.html, text/html, application/xhtml+xml' }
const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost' }

test.each([
  ['htmx', htmx],
  ['a frame of Turbo', { 'turbo-frame': 'rows' }],
  ['a script', { 'x-requested-with': 'fetch' }],
])('%s gets the partial alone', async (_client, headers) => {
  const page = await (await start()).get('/rows', { headers })
  expect(page.body).toBe(row)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('vary')).toBe('HX-Request, Turbo-Frame, X-Requested-With, Accept')
})

test.each([
  ['a browser', {}],
  ['htmx that replaces the body', { ...htmx, 'hx-request-type': 'full' }],
  ['a boosted link', { ...htmx, 'hx-boosted': 'true' }],
  ['htmx that restores its history', { ...htmx, 'hx-history-restore-request': 'true' }],
])('%s gets the whole page', async (_client, headers) => {
  const page = await (await start()).get('/rows', { headers })
  expect(page.body).toMatch(/^<html>/)
  expect(page.headers.get('vary')).toContain('HX-Request')
})

test('Unpoly gets the method of a page', async () => {
  const app = await start()
  const headers = { 'x-up-version': '3.14.3', 'x-up-target': 'main' }
  expect((await app.get('/rows', { headers })).headers.get('x-up-method')).toBe('GET')
  expect((await app.get('/rows')).headers.get('x-up-method')).toBeNull()
})

test('htmx gets target, swap and flash; the next page does not repeat the flash', async () => {
  const visitor = (await start()).visitor()
  const headers = { ...htmx, ...sameOrigin }
  const page = await visitor.request('POST', '/rows', { headers })
  expect(page.status).toBe(200)
  expect(page.body).toBe(
    '<tr><td>Ann-</td></tr>\n<div hx-swap-oob="innerHTML:#flash"><p>&lt;Saved&gt;</p>\n</div>',
  )
  expect(page.headers.get('hx-retarget')).toBe(String.raw`#rows\3a 1`)
  expect(page.headers.get('hx-reswap')).toBe('beforeend')
  const next = await visitor.get('/slow', { headers: { 'hx-request': 'true' } })
  expect(next.body).toBe('<i>Ann</i>\n<div hx-swap-oob="innerHTML:#flash"><p>Soon</p>\n</div>')
})

test('Turbo gets its streams for the target and the flash', async () => {
  const visitor = (await start()).visitor()
  const [, token] = /content="([^"]+)"/.exec((await visitor.get('/rows')).body)!
  const headers = { ...turbo, ...sameOrigin, 'x-csrf-token': token! }
  const page = await visitor.request('POST', '/rows', { headers })
  expect(page.headers.get('content-type')).toBe('text/vnd.turbo-stream.html; charset=utf-8')
  expect(page.body).toBe(
    '<turbo-stream action="append" target="rows:1"><template><tr><td>Ann-</td></tr>\n</template></turbo-stream>' +
      '<turbo-stream action="update" target="flash"><template><p>&lt;Saved&gt;</p>\n</template></turbo-stream>',
  )
})

test('a form inside a frame of Turbo replaces the frame', async () => {
  const visitor = (await start()).visitor()
  const page = await visitor.get('/slow', { headers: { ...turbo, 'turbo-frame': '"<a' } })
  expect(page.body).toContain(
    '<turbo-stream action="replace" target="&quot;&lt;a"><template><i>Ann</i>',
  )
})

test('a script gets no flash: the next page shows it', async () => {
  const visitor = (await start()).visitor()
  const [, token] = /content="([^"]+)"/.exec((await visitor.get('/rows')).body)!
  const headers = { 'x-requested-with': 'fetch', 'x-csrf-token': token! }
  const page = await visitor.request('POST', '/rows', { headers })
  expect(page.body).toBe('<tr><td>Ann-</td></tr>\n')
  expect((await visitor.get('/slow', { headers: htmx })).body).toContain('<p>Soon</p>')
})

test.each([
  ['without a header of the browser', htmx, 403],
  ['of another origin', { ...htmx, 'sec-fetch-site': 'cross-site', origin: 'http://evil' }, 403],
  ['of another site of the domain', { ...htmx, 'sec-fetch-site': 'same-site' }, 403],
  ['typed by the visitor', { ...htmx, 'sec-fetch-site': 'none' }, 403],
  ['of another origin in an old browser', { ...htmx, origin: 'http://evil' }, 403],
  ['of this origin that is not from htmx', sameOrigin, 200],
  ['of this origin in an old browser', { ...htmx, origin: 'http://localhost' }, 200],
  ['of this origin', { ...htmx, 'sec-fetch-site': 'same-origin' }, 200],
])('a request of htmx without a token %s', async (_title, headers, status) => {
  const page = await (await start()).request('POST', '/rows', { headers })
  expect(page.status).toBe(status)
})

test('a trusted origin needs a token', async () => {
  const configuration = { csrf: { trustedOrigins: ['https://app.example.com'] } }
  const app = await serve([rows], { files, configuration })
  const headers = { ...htmx, origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' }
  expect((await app.request('POST', '/rows', { headers })).status).toBe(403)
})

test('a partial that does not exist is named, with those that come near', async () => {
  const app = await start()
  expect((await app.get('/misspelt')).status).toBe(500)
  const told = app.lines.map(({ fields }) => String(fields['err'] as Error))
  expect(told.join()).toContain(
    "There is no partial or view '/rows/_rwo': expected src/main/webapp/WEB-INF/views/rows/_rwo.html.ssp. Did you mean '/rows/_row'?",
  )
})

test('a name does not lead out of the views', async () => {
  expect((await (await start()).get('/secret')).status).toBe(500)
})

class Notes extends mix(FwController, TxPerRequestFilter) {
  events() {
    return this.view.live('notes', () => this.#list())
  }
  streams() {
    return this.view.live('notes', () => this.#list(), { target: 'notes' })
  }
  refused() {
    return this.view.live('', () => this.#list())
  }
  async create() {
    const database = currentDatabase()
    await database.query({ sql: 'insert into notes values ($1)', parameters: ['new'] })
    await database.notify('notes')
    return this.params.get('fail') === undefined ? 201 : this.halt(500)
  }
  async #list() {
    const sql = 'select count(*)::int as n from notes'
    const { rows: found } = await currentDatabase().query<{ n: number }>({ sql, parameters: [] })
    return this.renderFragment('/rows/_row', { name: `${found[0]!.n}` })
  }
}
const notes = routes(Notes, (r) => ({
  events: r.get('/notes/events', 'events'),
  streams: r.get('/notes/streams', 'streams'),
  refused: r.get('/notes/refused', 'refused'),
  create: r.post('/notes', 'create'),
}))

/** The data of the next event. */
async function nextEvent(reader: ReadableStreamDefaultReader<string>): Promise<string> {
  for (;;) {
    const { value, done } = await reader.read()
    const found = /^data: (.*)$/m.exec(value ?? '')
    if (found !== null) return found[1]!
    if (done) return 'ended'
  }
}

describe.each(engines)('a live list on $name', (engine) => {
  async function begin() {
    const { database, close } = await engine.open()
    useDatabase(database)
    // The application would open the database of the run.
    vi.stubEnv('DATABASE_URL', undefined)
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      useDatabase(undefined)
      await close()
    })
    await database.query({ sql: 'create table notes (name text)', parameters: [] })
    const served = await serve([notes], { files })
    const open = async (path: string) => {
      const controller = new AbortController()
      const request = new Request(`http://localhost${path}`, {
        signal: controller.signal,
        headers: htmx,
      })
      const { body } = await served.app.fetch(request)
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
      return { reader, controller }
    }
    return { served, open, database }
  }

  test('on an impossible channel is an error, not a stream that ends', async () => {
    const { served } = await begin()
    expect((await served.get('/notes/refused')).status).toBe(500)
  })

  test('sends the list at the start, after a commit, and not after a rollback', async () => {
    const { served, open } = await begin()
    const { reader, controller } = await open('/notes/events')
    expect(await nextEvent(reader)).toBe('<tr><td>0-</td></tr>')
    expect((await served.post('/notes', { query: { fail: 1 } })).status).toBe(500)
    expect((await served.post('/notes')).status).toBe(201)
    expect(await nextEvent(reader)).toBe('<tr><td>1-</td></tr>')
    controller.abort()
    await reader.cancel().catch(() => {})
  })

  test('sends the streams of Turbo', async () => {
    const { open } = await begin()
    const { reader, controller } = await open('/notes/streams')
    expect(await nextEvent(reader)).toBe(
      '<turbo-stream action="update" target="notes"><template><tr><td>0-</td></tr>',
    )
    controller.abort()
    await reader.cancel().catch(() => {})
  })
})
