/** General rules › 3: a large page in parts, through the whole application. */
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, openDatabase, useDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { emptyDatabase } from '../support/data-app.ts'
import { makesProgress, serve } from '../support/serve.ts'

const files = {
  'src/main/webapp/WEB-INF/layouts/default.ssp':
    "<%@val title: string = '' %>\n<title>${title}</title>${s.csrfMetaTags}<main>${body}</main><footer>",
  'src/main/webapp/WEB-INF/views/list.html.ssp':
    "<%@val rows: Iterable<string> %>\n<% set('title', 'Rows') %>\n<script>1</script>\n#for (r of rows)\n<li>${r}</li>\n#end\n",
}
const row = 'x'.repeat(1000)

class Lists extends FwController {
  list() {
    this.set('rows', rowsOf(100))
    return this.view.stream('/list')
  }
  endless() {
    this.set('rows', rowsOf(Infinity))
    return this.view.stream('/list')
  }
  broken() {
    this.set('rows', rowsOf(100, 90))
    return this.view.stream('/list')
  }
  brokenAtOnce() {
    this.set('rows', rowsOf(100, 1))
    return this.view.stream('/list')
  }
}

let made = 0

function* rowsOf(count: number, breaksAt = Infinity): Generator<string> {
  for (made = 0; made < count; made++) {
    if (made === breaksAt) throw new Error('row broken')
    yield row
  }
}

const lists = routes(Lists, (r) => ({
  list: r.get('/list', 'list'),
  endless: r.get('/endless', 'endless'),
  broken: r.get('/broken', 'broken'),
  brokenAtOnce: r.get('/broken-at-once', 'brokenAtOnce'),
}))

/** A connection that has asked for `path`. */
async function ask(path: string) {
  const app = await serve([lists], { files })
  const { port } = await app.app.listen(0)
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => (received += text))
  onTestFinished(async () => {
    socket.destroy()
    await app.app.close(0)
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return { app, socket, url: `http://127.0.0.1:${port}`, received: () => received }
}

test('the page is complete, typed and has what its layout and its scripts need of the request', async () => {
  const page = await (await serve([lists], { files })).get('/list')
  expect(page.status).toBe(200)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('content-length')).toBeNull()
  expect(page.headers.get('set-cookie')).toContain('HttpOnly')
  const [, nonce] = /<script nonce="([^"]+)"/.exec(page.body)!
  expect(page.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`)
  expect(page.body).toMatch(/^<title>Rows<\/title><meta name="csrf-token" content="[^"]+"><main>/)
  expect(page.body.match(/<li>/g)!.length).toBe(100)
  expect(page.body).toMatch(/<\/li>\n<\/main><footer>$/)
})

test('a client that does not read holds the template back', async () => {
  const { socket, url, received } = await ask('/endless')
  await expect.poll(() => received().length).toBeGreaterThan(100_000)
  socket.pause()
  await expect.poll(() => makesProgress(url, () => made)).toBe(false)
  const held = made
  expect(held).toBeLessThan(100_000)
  socket.resume()
  await expect.poll(() => made).toBeGreaterThan(held)
})

test('an error midway cuts the connection, and the log names the line of the template', async () => {
  const { app, socket, received } = await ask('/broken')
  await new Promise((resolve) => socket.once('close', resolve))
  expect(received()).toContain('<title>Rows</title>')
  expect(received()).not.toMatch(/\r\n0\r\n\r\n$/)
  expect(received()).not.toContain('<footer>')
  await expect
    .poll(() => app.lines.map(({ fields }) => String((fields['err'] as Error | undefined)?.stack)))
    .toEqual([expect.stringMatching(/WEB-INF\/views\/list\.html\.ssp:4:/)])
})

test('an error in the first part is a page of its own', async () => {
  const page = await (await serve([lists], { files })).get('/broken-at-once')
  expect(page.status).toBe(500)
  expect(page.body).not.toContain('<title>Rows')
})

describe.skipIf(!(await hasTestServer()))('in a transaction', () => {
  test('only the first part is made before the commit', async () => {
    const own = await emptyDatabase(['create table notes (id int)'])
    const database = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 2 })
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      useDatabase(undefined)
      await database.close()
      await own.drop()
    })
    let committedAt: number | undefined
    class Notes extends mix(FwController, TxPerRequestFilter) {
      async list() {
        await currentDatabase().query({ sql: 'insert into notes values (1)', parameters: [] })
        this.transaction.afterCommit(() => {
          committedAt = made
        })
        this.set('rows', rowsOf(60))
        return this.view.stream('/list')
      }
      async broken() {
        await currentDatabase().query({ sql: 'insert into notes values (2)', parameters: [] })
        this.set('rows', rowsOf(60, 1))
        return this.view.stream('/list')
      }
    }
    const controller = routes(Notes, (r) => ({
      list: r.get('/list', 'list'),
      broken: r.get('/broken', 'broken'),
    }))
    useDatabase(database)
    vi.stubEnv('DATABASE_URL', undefined)
    const app = await serve([controller], { files })
    expect((await app.get('/list')).body).toContain('<footer>')
    expect([committedAt, made]).toEqual([16, 60])
    expect((await app.get('/broken')).status).toBe(500)
    const { rows } = await own.direct.query({ sql: 'select id from notes', parameters: [] })
    expect(rows).toEqual([{ id: 1 }])
  })
})
