/** Both kinds of clients pass the same suite on a running application. */
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { FwLifeCycle, startApplication, type Application } from '../../src/runtime/app.ts'
import type { ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { nodeHandler } from '../../src/runtime/server.ts'
import { describeApplication, generateClient } from '../../src/tools/openapi.ts'
import { mistakesOf } from '../openapi/response-checker.ts'
import * as generated from './application/api.ts'
import { resetArticles } from './application/src/main/controller/articles-controller.ts'
import { controllers } from './application/src/main/controller/controllers.ts'
import { testOperations, type Operations } from './suite.ts'

class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    controllers.articles.mount(ctx)
  }
}

let application: Application
let server: Server
let baseUrl: string

beforeAll(async () => {
  application = await startApplication(new Bootstrap(), {
    root: join(import.meta.dirname, 'application'),
    logger: silentLogger,
    database: false,
  })
  server = createServer(nodeHandler(application.handle))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await application.close()
})
beforeEach(resetArticles)

/** The client that knows the application by its types. */
function typed(): Operations {
  const api = createClient<typeof controllers>({ baseUrl })
  return {
    list: (query) => api.get('/articles', { query }),
    create: (body) => api.post('/articles', { body }),
    show: (id) => api.get('/articles/:id', { path: { id } }),
    rename: (id, body) => api.patch('/articles/:id/title', { path: { id }, body }),
    destroy: (id) => api.delete('/articles/:id', { path: { id } }),
    comments: (id) => api.get('/articles/:id/comments', { path: { id } }),
    counts: () => api.get('/counts'),
    text: () => api.get('/text'),
    old: () => api.get('/old'),
    stats: (year, month) => api.get('/stats/:year(/:month)?', { path: { year, month } }),
    fail: () => api.get('/fail'),
  }
}

/** The client that `fw client` generated. */
function written(): Operations {
  const client = generated.createClient({ baseUrl })
  return {
    list: (query) => generated.articlesIndex(client, { query }),
    create: (body) => generated.articlesCreate(client, { body }),
    show: (id) => generated.articlesShow(client, { path: { id } }),
    rename: (id, body) => generated.articlesRename(client, { path: { id }, body }),
    destroy: (id) => generated.articlesDestroy(client, { path: { id } }),
    comments: (id) => generated.articlesComments(client, { path: { id } }),
    counts: () => generated.articlesCounts(client),
    text: () => generated.articlesText(client),
    old: () => generated.articlesOld(client),
    stats: (year, month) =>
      month === undefined
        ? generated.articlesStats2(client, { path: { year } })
        : generated.articlesStats(client, { path: { year, month } }),
    fail: () => generated.articlesFail(client),
  }
}

describe('the client by type import', () => {
  testOperations(typed)

  test('replaces a header by one of the request, whatever the case of its name', async () => {
    const sent: (string | null)[] = []
    const fetch = (_url: string, { headers }: RequestInit) => {
      sent.push(new Headers(headers).get('authorization'), new Headers(headers).get('accept'))
      return Promise.resolve(new Response())
    }
    const headers = { authorization: 'Bearer all', Accept: 'text/plain' }
    const api = createClient<typeof controllers>({ fetch, headers })
    await api.get('/text', { headers: { Authorization: 'Bearer one' } })
    expect(sent).toEqual(['Bearer one', 'text/plain'])
  })

  test.each([
    ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', Blob],
    ['application/xml; charset=utf-8', String],
    ['image/svg+xml', String],
  ])('reads a body of the type %s as a %o', async (type, kind) => {
    const fetch = () => Promise.resolve(new Response('x', { headers: { 'content-type': type } }))
    const { body } = await createClient<typeof controllers>({ fetch }).get('/text')
    expect(Object(body)).toBeInstanceOf(kind)
  })
})

describe('the generated client', () => {
  testOperations(written)

  test('is what the sources describe; update it with vitest -u', async () => {
    const { document, notes } = await describeApplication(application, { sources: true })
    expect(notes).toEqual([])
    expect(await mistakesOf(document)).toEqual([])
    const statuses = (path: string) => Object.keys(document.paths[path]!['get']!.responses)
    expect(statuses('/articles/{id}/archive')).toEqual(['202', '400', 'default'])
    expect(statuses('/articles/{id}/merge')).toEqual(['200', '202', '304', '409', 'default'])
    expect(statuses('/pause')).toEqual(['202', '400', 'default'])
    expect(statuses('/replay')).toEqual(['400', '2XX', 'default'])
    const moved = Object.entries(document.paths['/moved']!)
    expect(moved.map(([method, { responses }]) => [method, Object.keys(responses)])).toEqual([
      ['put', ['303', '403', 'default']],
      ['post', ['302', '403', 'default']],
    ])
    const cover = document.paths['/articles/{id}/cover']!['get']!.responses
    expect(cover['200']!.content).toEqual({ '*/*': {} })
    expect(cover['202']!.content).toEqual({ '*/*': { schema: { type: 'string' } } })
    expect(Object.keys(cover['410']!.content!)).not.toContain('application/json')
    await expect(generateClient(document)).toMatchFileSnapshot('application/api.ts')
  })
})
