/** The desk: drafts, tags, pictures, publication, and who may do what. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Article } from '#model/article'
import { Image } from '#model/image'
import { articleTags } from '#model/relations'
import { createArticle, createDraft, pixel } from '#test/factory/article'
import { createUser } from '#test/factory/user'
import type { User } from '#model/user'

const app = await testApp(Bootstrap)
const visitorOf = (user: User) => app.session().as(user)
const texts = { title: 'Low tide', summary: 'Mud.', body: 'And birds.', tags: 'Sea, sea,  birds ' }
const path = (id: number) => `/desk/articles/${id}`

async function tagsOf(id: number): Promise<string[]> {
  const article = await Article.where({ id }).include({ tags: articleTags }).findFirst()
  return article!.tags.map(({ name }) => name).toSorted()
}

describe('an author', () => {
  it('writes a draft with tags and a picture, and publishes it', async () => {
    const author = await createUser()
    const visitor = visitorOf(author)
    const image = new File([pixel], 'mud.png', { type: 'image/png' })
    const saved = await visitor.post('/desk/articles', {
      multipart: { ...texts, image, alt: 'Mud at low tide' },
    })
    assert.equal(saved.status, 302)
    const page = await visitor.follow(saved)
    assert.equal(page.html('.panel .badge'), 'Draft')
    assert.deepEqual(page.all('.tags a'), ['birds', 'sea'])
    assert.equal(page.attribute('img.picture', 'alt'), 'Mud at low tide')
    assert.deepEqual((await app.get('/')).all('h2'), [])

    const published = await visitor.post(`${saved.location}/publish`)
    assert.equal((await visitor.follow(published)).html('.panel .badge'), 'Published')
    assert.deepEqual((await app.get('/')).all('h2'), ['Low tide'])
    const first = await Article.query().findFirst()

    await visitor.post(`${saved.location}/withdraw`)
    assert.deepEqual((await app.get('/')).all('h2'), [])
    await visitor.post(`${saved.location}/publish`)
    const again = await Article.query().findFirst()
    assert.equal(String(again?.publishedAt), String(first?.publishedAt))
  })

  it('changes texts, tags and picture', async () => {
    const author = await createUser()
    const { id } = await createArticle({
      authorId: author.id,
      tags: ['sea', 'night'],
      image: pixel,
    })
    const visitor = visitorOf(author)
    const edit = await visitor.get(`${path(id)}/edit`)
    assert.equal(edit.attribute('#title', 'value'), 'The first snow')
    assert.equal(edit.attribute('#tags', 'value'), 'night, sea')
    assert.equal(edit.attribute('#alt', 'value'), 'A pixel')
    const gif = new File([Buffer.from('GIF89a-and-more')], 'a.gif')
    await visitor.post(path(id), {
      multipart: { ...texts, lockVersion: '0', tags: 'sea, dunes', image: gif, alt: 'New' },
    })
    assert.equal((await Article.findById(id))?.title, 'Low tide')
    assert.deepEqual(await tagsOf(id), ['dunes', 'sea'])
    const images = await Image.where({ articleId: id }).findAll()
    assert.deepEqual(
      images.map(({ alt, contentType }) => [alt, contentType]),
      [['New', 'image/gif']],
    )
  })

  it('learns what is wrong at its field, and loses nothing', async () => {
    const visitor = visitorOf(await createUser())
    const page = await visitor.post('/desk/articles', {
      multipart: {
        ...texts,
        title: '',
        tags: 'a,b,c,d,e,f',
        image: new File(['<svg onload="alert(1)"/>'], 'a.png', { type: 'image/png' }),
      },
    })
    assert.equal(page.status, 400)
    assert.equal(page.html('#title-error'), 'Title is required')
    assert.equal(page.html('#tags-error'), 'Tags: at most 5')
    assert.equal(page.html('#image-error'), 'Picture must be a PNG, JPEG, WebP or GIF file')
    assert.equal(page.attribute('#tags', 'value'), 'a,b,c,d,e,f')
    assert.equal(page.html('#body'), 'And birds.')
    assert.equal(await Article.count(), 0)
  })

  it('does not overwrite what somebody else has saved meanwhile', async () => {
    const author = await createUser()
    const { id } = await createArticle({ authorId: author.id })
    const visitor = visitorOf(author)
    const save = (title: string) =>
      visitor.post(path(id), { multipart: { ...texts, title, lockVersion: '0' } })
    assert.equal((await save('One')).status, 302)
    const late = await save('Two')
    assert.equal(late.status, 409)
    assert.equal(late.html('h1'), 'Changed in the meantime')
    assert.equal((await Article.findById(id))?.title, 'One')
  })

  it('deletes an article with its picture and comments', async () => {
    const author = await createUser()
    const { id } = await createArticle({ authorId: author.id, tags: ['sea'], image: pixel })
    const visitor = visitorOf(author)
    const deleted = await visitor.post(path(id), { query: { _method: 'DELETE' } })
    assert.equal(deleted.status, 303)
    assert.equal((await visitor.follow(deleted)).html('[role=status]'), 'The article was deleted.')
    assert.deepEqual([await Article.count(), await Image.count()], [0, 0])
  })

  it('searches and sorts the own articles, by state too', async () => {
    const author = await createUser()
    await createArticle({ title: 'Beach', authorId: author.id })
    await createDraft({ title: 'Anchor', authorId: author.id })
    await createArticle({ title: 'Of somebody else' })
    const visitor = visitorOf(author)
    const titles = async (query: Record<string, string>) =>
      (await visitor.get('/desk/articles', { query })).all('tbody a')
    await createDraft({ title: 'Cliff', authorId: author.id })
    assert.deepEqual(await titles({}), ['Cliff', 'Anchor', 'Beach'])
    assert.deepEqual(await titles({ sort: 'title' }), ['Anchor', 'Beach', 'Cliff'])
    assert.deepEqual(await titles({ sort: '-title' }), ['Cliff', 'Beach', 'Anchor'])
    assert.deepEqual(await titles({ status: 'draft' }), ['Cliff', 'Anchor'])
    assert.deepEqual(await titles({ q: 'each' }), ['Beach'])
  })
})

describe('permission', () => {
  const requests = [
    ['get', ''],
    ['get', '/edit'],
    ['post', ''],
    ['post', '/publish'],
    ['post', '/withdraw'],
    ['delete', ''],
  ] as const

  for (const [method, end] of requests)
    it(`is refused for ${method} ${end} of somebody else's article, and given to editors`, async () => {
      const { id } = await createArticle()
      const send = async (user: User) => {
        const options =
          method === 'post' && end === '' ? { multipart: { ...texts, lockVersion: '0' } } : {}
        return visitorOf(user).request(method.toUpperCase(), `${path(id)}${end}`, options)
      }
      const refused = await send(await createUser())
      assert.equal(refused.status, 403)
      assert.equal(refused.html('h1'), 'Not allowed')
      assert.equal((await Article.findById(id))?.title, 'The first snow')
      assert.ok((await send(await createUser({ role: 'editor' }))).status < 400)
    })

  it('is not a matter of the form: nobody chooses an author or a state', async () => {
    const [author, other] = [await createUser(), await createUser()]
    await visitorOf(author).post('/desk/articles', {
      multipart: { ...texts, authorId: String(other.id), status: 'published' },
    })
    const article = await Article.query().findFirst()
    assert.deepEqual([article?.authorId, article?.status], [author.id, 'draft'])
  })

  it('needs a login', async () => {
    const page = await app.get('/desk/articles')
    assert.equal(page.location, '/login')
  })

  it('needs the forgery token', async () => {
    assert.equal((await app.post('/desk/articles', { form: texts })).status, 403)
  })
})
