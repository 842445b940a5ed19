/** The API: its responses and refusals. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { tokenStore } from '#model/api-token'
import { Comment } from '#model/comment'
import type { User } from '#model/user'
import { createArticle, createDraft } from '#test/factory/article'
import { createComment } from '#test/factory/comment'
import { createUser } from '#test/factory/user'
import { statementsOf } from '#test/statements'

const app = await testApp(Bootstrap)

interface Shown {
  readonly title: string
  readonly summary: string
  readonly status: string
  readonly tags: readonly { readonly name: string }[]
}

/** The headers of a program that uses the API in the name of a user. */
const bearerOf = (user: User) => tokenStore.headersOf(user)

describe('articles of the API', () => {
  it('have their authors and tags, and no secrets', async () => {
    const author = await createUser({ name: 'Ann', bio: 'Walks.' })
    const { id } = await createArticle({ authorId: author.id, tags: ['sea'] })
    const article = await app.get(`/api/articles/${id}.json`)
    const body = article.json() as Record<string, unknown>
    assert.equal(article.status, 200)
    assert.deepEqual(Object.keys(body).toSorted(), [
      'author',
      'body',
      'id',
      'published_at',
      'status',
      'summary',
      'tags',
      'title',
      'updated_at',
    ])
    assert.deepEqual(body['author'], { id: author.id, name: 'Ann', bio: 'Walks.' })
    assert.deepEqual(
      (body['tags'] as { name: string }[]).map(({ name }) => name),
      ['sea'],
    )
  })

  it('have pages by key, a search and an order, in five statements', async () => {
    for (const title of ['Tide', 'Snow', 'Ebb']) await createArticle({ title, tags: ['sea'] })
    await createDraft({ title: 'Hidden' })
    const titles = (page: { json(): unknown }) =>
      (page.json() as { title: string }[]).map(({ title }) => title)
    const first = await app.get('/api/articles.json', { query: { sort: 'title', size: '2' } })
    assert.deepEqual(titles(first), ['Ebb', 'Snow'])
    assert.equal(first.headers.get('x-total-count'), '3')
    const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')!
    assert.deepEqual(titles(await app.get(next!)), ['Tide'])
    assert.deepEqual(titles(await app.get('/api/articles.json?q=now')), ['Snow'])
    assert.equal((await statementsOf(() => app.get('/api/articles.json'))).length, 5)
  })

  it('are not modified for a client that has them', async () => {
    const { id } = await createArticle()
    const path = `/api/articles/${id}.json`
    const headers = { 'if-none-match': (await app.get(path)).headers.get('etag')! }
    assert.equal((await app.get(path, { headers })).status, 304)
  })

  it('are problem details where they are missing', async () => {
    const { id } = await createDraft()
    for (const path of [`/api/articles/${id}.json`, '/api/articles/0.json', '/api/nowhere']) {
      const page = await app.get(path)
      assert.equal(page.headers.get('content-type'), 'application/problem+json')
      assert.equal((page.json() as { status: number }).status, 404)
    }
  })
})

describe('comments of the API', () => {
  it('are listed by everybody, and written with a token', async () => {
    const { id } = await createArticle()
    await createComment({ articleId: id, body: 'One' })
    const headers = await bearerOf(await createUser({ name: 'Ben' }))
    const path = `/api/articles/${id}/comments.json`
    const created = await app.post(path, { json: { body: 'Two' }, headers })
    assert.equal(created.status, 201)
    const list = (await app.get(path)).json() as { body: string; author: { name: string } }[]
    assert.deepEqual(
      list.map(({ body }) => body),
      ['One', 'Two'],
    )
    assert.equal(list[1]?.author.name, 'Ben')
    const shown = (await app.get(created.headers.get('location')!)).json() as { body: string }
    assert.equal(shown.body, 'Two')
  })

  it('need a text, a token and a published article', async () => {
    const [{ id }, draft] = [await createArticle(), await createDraft()]
    const token = await bearerOf(await createUser())
    const send = (articleId: number, body: string, headers = token) =>
      app.post(`/api/articles/${articleId}/comments.json`, { json: { body }, headers })
    const invalid = await send(id, '')
    assert.equal(invalid.status, 400)
    assert.match(invalid.body, /body is required/i)
    assert.equal((await send(draft.id, 'One')).status, 404)
    const refused = await send(id, 'One', { authorization: 'Bearer unknown' })
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /)
    assert.equal(refused.headers.get('content-type'), 'application/problem+json')
    assert.equal(await Comment.count(), 0)
  })
})

describe('the desk of the API', () => {
  const texts = { title: 'Low tide', summary: 'Mud.', body: 'And birds.' }

  it('writes, changes, publishes and deletes an article', async () => {
    const headers = await bearerOf(await createUser())
    const created = await app.post('/api/desk/articles.json', {
      json: { ...texts, tags: ['Sea', 'birds'] },
      headers,
    })
    assert.equal(created.status, 201)
    const path = created.headers.get('location')!
    const show = async () => (await app.get(path, { headers })).json() as Shown
    assert.deepEqual(await show(), created.json())
    assert.deepEqual(
      [(await show()).status, (await show()).tags.map(({ name }) => name).toSorted()],
      ['draft', ['birds', 'sea']],
    )
    const patched = await app.patch(path, { json: { status: 'published', title: 'Ebb' }, headers })
    assert.equal(patched.status, 200)
    const { title, summary, status, tags } = await show()
    assert.deepEqual([title, summary, status, tags.length], ['Ebb', 'Mud.', 'published', 2])
    assert.equal((await app.put(path, { json: { ...texts, tags: ['sea'] }, headers })).status, 200)
    assert.deepEqual(
      (await show()).tags.map(({ name }) => name),
      ['sea'],
    )
    assert.equal((await app.delete(path, { headers })).status, 204)
    assert.equal((await app.get(path, { headers })).status, 404)
  })

  it('refuses what a form refuses', async () => {
    const headers = await bearerOf(await createUser())
    const json = { title: '', summary: 'x', body: 'x', tags: [...'abcdef'], status: 'secret' }
    const page = await app.post('/api/desk/articles.json', { json, headers })
    assert.equal(page.status, 400)
    assert.deepEqual(Object.keys((page.json() as { errors: object }).errors ?? page.json()), [
      'title',
      'tags',
      'status',
    ])
  })

  it('shows and changes only what the owner of the token may change', async () => {
    const author = await createUser()
    const { id } = await createDraft({ authorId: author.id })
    const headers = await bearerOf(await createUser())
    const path = `/api/desk/articles/${id}.json`
    assert.deepEqual((await app.get('/api/desk/articles.json', { headers })).json(), [])
    assert.equal((await app.get(path, { headers })).status, 403)
    assert.equal((await app.delete(path, { headers })).status, 403)
    assert.equal((await app.get(path)).status, 401)
    assert.equal((await app.get(path, { headers: await bearerOf(author) })).status, 200)
  })

  it('keeps changes that another client has made: If-Match', async () => {
    const author = await createUser()
    const { id } = await createArticle({ authorId: author.id })
    const headers = await bearerOf(author)
    const path = `/api/desk/articles/${id}.json`
    const version = (await app.get(path, { headers })).headers.get('etag')!
    const change = (title: string) =>
      app.patch(path, { json: { title }, headers: { ...headers, 'if-match': version } })
    assert.equal((await change('One')).status, 200)
    assert.equal((await change('Two')).status, 412)
  })
})

describe('the tags of the API', () => {
  it('are listed', async () => {
    await createArticle({ tags: ['sea', 'night'] })
    const page = await app.get('/api/tags.json', { query: { sort: 'name' } })
    assert.deepEqual(
      (page.json() as { name: string }[]).map(({ name }) => name),
      ['night', 'sea'],
    )
  })
})
