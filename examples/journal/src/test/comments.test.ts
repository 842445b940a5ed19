/** Comments: who writes them, and who removes them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Comment } from '#model/comment'
import type { User } from '#model/user'
import { createSampleAccount, samplePassword as password } from '#test/factory/account'
import { createArticle, createDraft } from '#test/factory/article'
import { createComment } from '#test/factory/comment'
import { createUser } from '#test/factory/user'

const app = await testApp(Bootstrap)
const visitorOf = (user: User) => app.session().as(user)

describe('a comment', () => {
  it('appears below the article', async () => {
    const { id } = await createArticle()
    const visitor = visitorOf(await createUser({ name: 'Ben' }))
    const path = `/articles/${id}/the-first-snow`
    const saved = await visitor.post(path, { form: { body: 'Well <said>.' } })
    const [comment] = await Comment.findAll()
    assert.equal(saved.location, `${path}#comment-${comment?.id}`)
    const page = await visitor.get(path)
    assert.deepEqual(page.all('.comment .text'), ['Well <said>.'])
    assert.equal(page.html('.comment .byline a'), 'Ben')
    assert.equal(page.html('[role=status]'), 'Your comment is published.')
  })

  it('is refused without a text, and the article is shown again', async () => {
    const { id } = await createArticle()
    const visitor = visitorOf(await createUser())
    const page = await visitor.post(`/articles/${id}/the-first-snow`, { form: { body: ' ' } })
    assert.equal(page.status, 400)
    assert.equal(page.html('h1'), 'The first snow')
    assert.equal(page.html('#body-error'), 'Your comment is required')
  })

  it('needs a login and a published article', async () => {
    const author = await createUser()
    const { id } = await createDraft({ authorId: author.id })
    const path = `/articles/${id}/the-first-snow`
    const form = { body: 'First!' }
    assert.equal((await visitorOf(author).post(path, { form })).status, 403)
    const published = await createArticle()
    assert.equal(
      (await app.get(`/articles/${published.id}/the-first-snow`)).html('.comments form'),
      undefined,
    )
    const visitor = app.session()
    await visitor.get('/login')
    const refused = await visitor.post(`/articles/${published.id}/the-first-snow`, { form })
    assert.equal(refused.location, '/login')
    assert.equal(await Comment.count(), 0)
  })

  it('is kept while its author logs in', async () => {
    const { id } = await createArticle()
    const { email } = await createSampleAccount()
    const visitor = app.session()
    await visitor.get('/login')
    const path = `/articles/${id}/the-first-snow`
    const headers = { Origin: 'http://localhost' }
    await visitor.post(path, { form: { body: 'Well said.' }, headers })
    const page = await visitor.post('/login', { form: { email, password } })
    assert.equal(page.attribute('main form', 'action'), path)
    assert.equal(page.html('main textarea')?.trim(), 'Well said.')
  })

  it('waits while another tab logs out', async () => {
    const { id } = await createArticle()
    const visitor = app.session()
    await visitor.get('/login')
    const path = `/articles/${id}/the-first-snow`
    const options = { form: { body: 'Well said.' }, headers: { Origin: 'http://localhost' } }
    await visitor.post(path, options)
    await visitor.post('/logout')
    const { email } = await createSampleAccount()
    const page = await visitor.post('/login', { form: { email, password } })
    assert.equal(page.html('main textarea')?.trim(), 'Well said.')
  })

  it('is removed by its author, the author of the article and editors, and by nobody else', async () => {
    const [writer, author, stranger] = [await createUser(), await createUser(), await createUser()]
    const editor = await createUser({ role: 'editor' })
    const { id: articleId } = await createArticle({ authorId: author.id })
    const statusFor = async (user: User) => {
      const { id } = await createComment({ articleId, authorId: writer.id })
      return (await visitorOf(user).delete(`/comments/${id}`)).status
    }
    assert.deepEqual(
      [
        await statusFor(writer),
        await statusFor(author),
        await statusFor(editor),
        await statusFor(stranger),
      ],
      [303, 303, 303, 403],
    )
    assert.equal(await Comment.count(), 1)
  })
})
