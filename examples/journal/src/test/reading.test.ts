/** The pages of readers: lists, an article, tags, authors, the feed, pictures. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Temporal } from 'fwjs'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { createArticle, createDraft, pixel } from '#test/factory/article'
import { createComment } from '#test/factory/comment'
import { createUser } from '#test/factory/user'
import { statementsOf } from '#test/statements'

const app = await testApp(Bootstrap)
const hoursLater = (hours: number) => Temporal.Instant.from('2026-02-01T00:00:00Z').add({ hours })

describe('the front page', () => {
  it('says that nothing is published yet', async () => {
    await createDraft()
    const page = await app.get('/')
    assert.equal(page.status, 200)
    assert.equal(page.html('.empty'), 'Nothing has been published yet.')
  })

  it('lists published articles, the newest first, with their authors, tags and comments', async () => {
    const ann = await createUser({ name: 'Ann' })
    const article = await createArticle({ authorId: ann.id, tags: ['winter', 'night'] })
    await createComment({ articleId: article.id })
    await createArticle({ title: 'Thaw', publishedAt: hoursLater(1), image: pixel })
    await createDraft({ title: 'Hidden' })
    const page = await app.get('/')
    assert.deepEqual(page.all('h2'), ['Thaw', 'The first snow'])
    assert.deepEqual(page.all('.teaser:last-child .tags a'), ['night', 'winter'])
    assert.deepEqual(page.all('.teaser:last-child .byline > *'), [
      'Ann',
      'January 2, 2026',
      '1 minute',
      '1 comment',
    ])
    assert.equal(page.attribute('.teaser img', 'alt'), 'A pixel')
  })

  it('has ten articles on a page, and cursors to the pages before and after it', async () => {
    for (let at = 0; at < 23; at++)
      await createArticle({ title: `Hour ${at}`, publishedAt: hoursLater(at) })
    const first = await app.get('/')
    assert.equal(first.all('h2').length, 10)
    assert.equal(first.all('h2')[0], 'Hour 22')
    assert.equal(first.attribute('a[rel=prev]', 'href'), undefined)
    const second = await app.get(first.attribute('a[rel=next]', 'href')!)
    assert.deepEqual([second.all('h2')[0], second.all('h2')[9]], ['Hour 12', 'Hour 3'])
    const third = await app.get(second.attribute('a[rel=next]', 'href')!)
    assert.deepEqual(third.all('h2'), ['Hour 2', 'Hour 1', 'Hour 0'])
    assert.equal(third.attribute('a[rel=next]', 'href'), undefined)
    const back = await app.get(third.attribute('a[rel=prev]', 'href')!)
    assert.deepEqual(back.all('h2'), second.all('h2'))
  })

  it('is revalidated by browsers of visitors, and kept by none for a user', async () => {
    await createArticle()
    const page = await app.get('/')
    const etag = page.headers.get('etag')!
    assert.equal(page.headers.get('cache-control'), 'private, no-cache')
    assert.equal((await app.get('/', { headers: { 'if-none-match': etag } })).status, 304)
    await createArticle({ title: 'Thaw' })
    assert.equal((await app.get('/', { headers: { 'if-none-match': etag } })).status, 200)
    const { id } = await createUser()
    const own = await app.session().as({ id }).get('/')
    assert.equal(own.headers.get('cache-control'), 'no-store')
  })
})

describe('an article', () => {
  it('has its text as blocks, and its comments', async () => {
    const { id } = await createArticle({ body: 'One <b>.\n\n## Two\n\n> Three\n\n- four\n- five' })
    await createComment({ articleId: id, body: 'Well said.' })
    const page = await app.get(`/articles/${id}/the-first-snow`)
    assert.equal(page.html('h1'), 'The first snow')
    assert.deepEqual(page.all('.prose > *'), ['One <b>.', 'Two', 'Three', 'four five'])
    assert.deepEqual(page.all('.comment .text'), ['Well said.'])
    assert.equal(page.html('#comments-title'), '1 comment')
  })

  it('has one address: another title in it redirects', async () => {
    const { id } = await createArticle({ title: 'Über Łódź & more' })
    const page = await app.get(`/articles/${id}/old-title`)
    assert.equal(page.status, 301)
    assert.equal((await app.session().follow(page)).html('h1'), 'Über Łódź & more')
  })

  it('is shown to nobody but its author and editors while it is a draft', async () => {
    const author = await createUser()
    const editor = await createUser({ role: 'editor' })
    const { id } = await createDraft({ authorId: author.id })
    const path = `/articles/${id}/the-first-snow`
    const statusFor = async (userId: number) =>
      (await app.session().as({ id: userId }).get(path)).status
    assert.equal((await app.get(path)).status, 404)
    assert.equal(await statusFor((await createUser()).id), 404)
    assert.equal(await statusFor(author.id), 200)
    assert.equal(await statusFor(editor.id), 200)
  })

  for (const path of [
    '/articles/999999/x',
    '/articles/x/x',
    '/tags/none',
    '/authors/0',
    '/images/1/x',
  ])
    it(`is not found at ${path}`, async () => {
      const page = await app.get(path)
      assert.equal(page.status, 404)
      assert.equal(page.html('h1'), 'Not found')
    })
})

describe('a tag and an author', () => {
  it('have their published articles', async () => {
    const ann = await createUser({ name: 'Ann', bio: 'Walks.' })
    await createArticle({ title: 'One', tags: ['sea'], authorId: ann.id })
    await createArticle({ title: 'Two', tags: ['sea', 'night'] })
    await createDraft({ title: 'Three', tags: ['sea', 'secret'], authorId: ann.id })
    assert.deepEqual((await app.get('/tags/sea')).all('h2'), ['Two', 'One'])
    assert.deepEqual((await app.get('/tags')).all('.tags a'), ['night 1', 'sea 2'])
    const page = await app.get(`/authors/${ann.id}`)
    assert.deepEqual([page.html('h1'), page.html('.summary')], ['Ann', 'Walks.'])
    assert.deepEqual(page.all('h2'), ['One'])
  })
})

describe('the feed', () => {
  it('is Atom with the published articles, and may be kept for minutes', async () => {
    const { id } = await createArticle({ title: 'Fish & chips', tags: ['sea'] })
    await createDraft({ title: 'Hidden' })
    const feed = await app.get('/feed.atom')
    assert.equal(feed.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    assert.equal(feed.headers.get('cache-control'), 'public, max-age=300')
    assert.match(feed.body, /<title>Fish &amp; chips<\/title>/)
    assert.match(feed.body, new RegExp(`<link href="http://[^/]+/articles/${id}/fish-chips"/>`))
    assert.doesNotMatch(feed.body, /Hidden/)
    const again = await app.get('/feed.atom', {
      headers: { 'if-none-match': feed.headers.get('etag')! },
    })
    assert.equal(again.status, 304)
  })
})

describe('a picture', () => {
  it('is kept for ever, because another one has another address', async () => {
    await createArticle({ image: pixel })
    const address = (await app.get('/')).attribute('.teaser img', 'src')!
    const picture = await app.get(address)
    assert.equal(picture.headers.get('content-type'), 'image/png')
    assert.equal(picture.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.deepEqual(Buffer.from(picture.bytes), pixel)
    const headers = { 'if-none-match': picture.headers.get('etag')! }
    assert.equal((await app.get(address, { headers })).status, 304)
  })
})

describe('the number of statements', () => {
  it('is the same for one article and for many', async () => {
    const ann = await createUser()
    const visitor = app.session().as(ann)
    const create = async (title: string) => {
      const article = await createArticle({ title, authorId: ann.id, tags: ['sea'], image: pixel })
      await createComment({ articleId: article.id })
      return article
    }
    const { id } = await create('One')
    await visitor.get('/')
    const paths = {
      '/': 9,
      [`/articles/${id}/one`]: 10,
      '/tags': 4,
      '/tags/sea': 10,
      [`/authors/${ann.id}`]: 10,
      '/search?q=night': 9,
      '/desk/articles': 9,
      '/feed.atom': 8,
    }
    const count = async () => {
      const counted: Record<string, number> = {}
      for (const path of Object.keys(paths))
        counted[path] = (await statementsOf(() => visitor.get(path))).length
      return counted
    }
    assert.deepEqual(await count(), paths)
    for (const title of ['Two', 'Three', 'Four']) await create(title)
    for (let at = 0; at < 3; at++) await createComment({ articleId: id })
    assert.deepEqual(await count(), paths)
  })
})
