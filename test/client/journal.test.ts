/** The JSON API of examples/journal: its document is valid, and both kinds of clients pass one suite. */
import { spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeHandler } from '../../src/runtime/server.ts'
import { describeApplication, generateClient } from '../../src/tools/openapi.ts'
import { testApp } from '../../src/tools/testing.ts'
import { mistakesOf } from '../openapi/response-checker.ts'
import type { NewClient } from './journal/operations.ts'

const root = join(import.meta.dirname, '../../examples/journal')
/** Imports by a computed path, because the journal compiles only with its own generated types. */
const load = (file: string) => import(pathToFileURL(join(root, file)).href)
const { Bootstrap } = await load('src/main/bootstrap.ts')
const { tokenStore } = await load('src/main/model/api-token.ts')
const { createArticle, createDraft } = await load('src/test/factory/article.ts')
const { createUser } = await load('src/test/factory/user.ts')
const clients = join(import.meta.dirname, 'journal')
const { typed, written }: Record<'typed' | 'written', NewClient> = await import(
  pathToFileURL(join(clients, 'clients.ts')).href
)
const { application } = await testApp(Bootstrap, { root })

let server: Server
let baseUrl: string

beforeAll(async () => {
  server = createServer(nodeHandler(application.handle))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const texts = { title: 'Low tide', summary: 'Mud.', body: 'And birds.' }
/** Creates a token with all scopes. */
const createToken = (user: unknown): Promise<string> =>
  tokenStore.create(user, { name: 'Test', scopes: ['read', 'write'], days: 1 })
const idIn = (headers: Headers) => Number(/(\d+)\.json$/.exec(headers.get('location') ?? '')?.[1])

describe.each([
  ['the client by type import', typed],
  ['the generated client', written],
])('%s', (_kind, newClient) => {
  const client = (token?: string) => newClient(baseUrl, token)

  test('lists and shows articles, comments and tags', async () => {
    const author = await createUser({ name: 'Ann' })
    const { id } = await createArticle({ authorId: author.id, title: 'Tide', tags: ['sea'] })
    await createArticle({ title: 'Ebb' })
    await createDraft({ title: 'Hidden' })
    const { articles, article, comment, comments, tags } = client(await createToken(author))
    const list = await articles({ sort: 'title', size: 1 })
    expect([list.status, list.headers.get('x-total-count'), list.body]).toMatchObject([
      200,
      '2',
      [{ title: 'Ebb' }],
    ])
    const shown = await article(id)
    expect([shown.ok, shown.body]).toMatchObject([
      true,
      { id, title: 'Tide', author: { name: 'Ann' }, tags: [{ name: 'sea' }] },
    ])
    expect((await comment(id, 'Good')).status).toBe(201)
    expect((await comments(id)).body).toMatchObject([{ body: 'Good', author: { name: 'Ann' } }])
    expect((await tags()).body).toMatchObject([{ name: 'sea' }])
  })

  test('creates, updates and deletes an article with a token', async () => {
    const { write, draft, drafts, change, replace, remove } = client(
      await createToken(await createUser()),
    )
    const created = await write({ ...texts, tags: ['Sea', 'birds'] })
    expect([created.status, created.body]).toMatchObject([201, { ...texts, status: 'draft' }])
    const id = idIn(created.headers)
    expect((await draft(id)).body).toMatchObject({ ...texts, status: 'draft', published_at: null })
    expect((await change(id, { title: 'Ebb', status: 'published' })).status).toBe(200)
    expect((await drafts()).body).toMatchObject([{ id, title: 'Ebb', status: 'published' }])
    expect((await replace(id, { ...texts, tags: ['sea'] })).ok).toBe(true)
    expect((await draft(id)).body).toMatchObject({ title: 'Low tide', tags: [{ name: 'sea' }] })
    expect((await remove(id)).status).toBe(204)
    expect((await draft(id)).status).toBe(404)
  })

  test('reports the errors of each field', async () => {
    const author = await createUser()
    const { id } = await createArticle({ authorId: author.id })
    const { write, change, comment } = client(await createToken(author))
    const refused = await write({ ...texts, title: '', tags: [...'abcdef'] })
    expect([refused.status, refused.ok, Object.keys(refused.body as object)]).toEqual([
      400,
      false,
      ['title', 'tags'],
    ])
    expect((await change(id, { title: '' })).body).toHaveProperty('title')
    expect((await comment(id, '')).body).toHaveProperty('body')
  })

  test('reports a missing token, a foreign article and a missing article', async () => {
    const { id } = await createDraft()
    const [stranger, visitor] = [client(await createToken(await createUser())), client()]
    for (const [result, status] of [
      [await visitor.drafts(), 401],
      [await visitor.write(texts), 401],
      [await client('unknown').comment(id, 'One'), 401],
      [await stranger.draft(id), 403],
      [await stranger.remove(id), 403],
      [await stranger.comment(id, 'One'), 404],
      [await visitor.article(id), 404],
      [await visitor.comments(id), 404],
    ] as const) {
      expect([result.status, result.body]).toMatchObject([status, { status }])
      expect(result.headers.get('content-type')).toBe('application/problem+json')
    }
  })

  test('keeps the changes of another client: If-Match', async () => {
    const author = await createUser()
    const { id } = await createArticle({ authorId: author.id })
    const { draft, change } = client(await createToken(author))
    const version = (await draft(id)).headers.get('etag')!
    expect((await change(id, { title: 'One' }, version)).status).toBe(200)
    const conflict = await change(id, { title: 'Two' }, version)
    expect([conflict.status, conflict.ok, conflict.body]).toMatchObject([
      412,
      false,
      { status: 412 },
    ])
    expect((await draft(id)).body).toMatchObject({ title: 'One' })
  })
})

test('the document is valid; the generated client is up to date (update it with vitest -u)', async () => {
  const { document } = await describeApplication(application, { sources: true })
  expect(await mistakesOf(document)).toEqual([])
  await expect(generateClient(document)).toMatchFileSnapshot('journal/api.ts')
})

test('the types of both clients have every operation', () => {
  const compiler = join(import.meta.dirname, '../../node_modules/.bin/tsc')
  const { stdout } = spawnSync(compiler, ['--project', clients, '--noEmit'], { encoding: 'utf8' })
  expect(stdout).toBe('')
})
