/** The name and the description of a user, and what is the journal's own in its accounts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sentMails, testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { User } from '#model/user'
import { createArticle } from '#test/factory/article'
import { createComment } from '#test/factory/comment'
import { createUser } from '#test/factory/user'
import { createVisitor, visitorAt } from '#test/log-in'

const app = await testApp(Bootstrap)
const password = 'under the pier at noon'

describe('a registration', () => {
  /** Follows the link of the mail, and sends its form. */
  async function finish(form: Record<string, string>) {
    const visitor = await visitorAt(app, '/register')
    await visitor.post('/register', { form: { email: 'Ann@example.com' } })
    const href = (await sentMails()).at(-1)?.attribute('a.button', 'href') ?? ''
    const { pathname, search, searchParams } = new URL(href)
    await visitor.get(pathname + search)
    const token = searchParams.get('token') ?? ''
    return visitor.post(pathname, { form: { token, ...form } })
  }

  it('asks for the name that the articles show', async () => {
    assert.equal((await finish({ name: 'Ann', password })).location, '/login')
    const user = await User.findBy({ email: 'ann@example.com' })
    assert.equal(user?.name, 'Ann')
    assert.equal(user?.role, 'author')
  })

  it('shows what is wrong at its field, and keeps what was typed, but not the password', async () => {
    const page = await finish({ name: '', password: 'short' })
    assert.equal(page.status, 400)
    assert.equal(page.html('#name-error'), 'Name is required')
    assert.ok(page.html('#password-error'))
    assert.equal(page.attribute('#password', 'value'), undefined)
    assert.equal(await User.count(), 0)
  })
})

describe('a login', () => {
  it('leads back to the article that a visitor wants to comment on', async () => {
    const { id } = await createArticle({ title: 'Tide' })
    const { user } = await createVisitor(app)
    const visitor = app.session()
    const refused = await visitor.get(`/articles/${id}/tide/comment`)
    assert.equal(refused.location, '/login')
    await visitor.follow(refused)
    const entered = await visitor.post('/login', { form: { email: user.email, password } })
    assert.equal(entered.location, `/articles/${id}/tide/comment`)
    assert.equal((await visitor.follow(entered)).html('h1'), 'Tide')
  })
})

describe('the profile', () => {
  it('changes name and bio', async () => {
    const user = await createUser()
    const visitor = app.session().as(user)
    const saved = await visitor.post('/profile', { form: { name: 'Anna', bio: 'Walks.' } })
    const page = await visitor.follow(saved)
    assert.equal(page.attribute('#name', 'value'), 'Anna')
    assert.equal((await visitor.get(`/authors/${user.id}`)).html('.summary'), 'Walks.')
  })
})

describe('the deletion of an account', () => {
  it('removes its articles and comments', async () => {
    const { visitor, user } = await createVisitor(app)
    const own = await createArticle({ authorId: user.id })
    const other = await createArticle()
    await createComment({ articleId: own.id })
    await createComment({ articleId: other.id, authorId: user.id })
    await visitor.post('/account/security/delete', { form: {} })
    assert.deepEqual([await Article.count(), await Comment.count()], [1, 0])
  })
})
