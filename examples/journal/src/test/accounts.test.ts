/** Registration, login, logout, profile and password. */
import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { permitValues } from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { User } from '#model/user'
import { createUser } from '#test/factory/user'

const app = await testApp(Bootstrap)
const password = 'under the pier'

/** A visitor who has the token of a form. */
async function visitorAt(path: string) {
  const visitor = app.session()
  await visitor.get(path)
  return visitor
}

async function createAccount() {
  return createUser({ email: 'ann@example.com', passwordHash: await hashPassword(password) })
}

describe('registration', () => {
  it('creates an account, and its user is logged in', async () => {
    const visitor = await visitorAt('/register')
    const form = { name: 'Ann', email: 'Ann@example.com', password }
    const saved = await visitor.post('/register', { form })
    assert.equal(saved.location, '/desk/articles')
    const desk = await visitor.follow(saved)
    assert.equal(desk.html('[role=status]'), 'Welcome, Ann. Write your first article.')
    const user = await User.findBy({ email: 'ann@example.com' })
    assert.match(user!.passwordHash, /^\$argon2id\$/)
    assert.doesNotMatch(JSON.stringify(user), /argon2/)
  })

  it('shows what is wrong at its field, and keeps what was typed, but not the password', async () => {
    const visitor = await visitorAt('/register')
    const page = await visitor.post('/register', {
      form: { name: '', email: 'ann', password: 'short' },
    })
    assert.equal(page.status, 400)
    assert.equal(page.html('#name-error'), 'Name is required')
    assert.equal(page.attribute('#email', 'value'), 'ann')
    assert.equal(page.attribute('#password', 'value'), undefined)
    assert.ok(page.html('#password-error'))
  })

  it('refuses an address that is taken, in any case', async () => {
    await createAccount()
    const visitor = await visitorAt('/register')
    const form = { name: 'Ann', email: 'ANN@example.com', password }
    const page = await visitor.post('/register', { form })
    assert.equal(page.status, 400)
    assert.equal(page.html('#email-error'), 'Email is already taken')
  })
})

describe('login', () => {
  it('leads back to the page that asked for it', async () => {
    await createAccount()
    const visitor = app.session()
    const refused = await visitor.get('/desk/articles/new')
    assert.equal(refused.status, 303)
    const login = await visitor.follow(refused)
    assert.equal(login.html('[role=alert]'), 'Please log in first.')
    const entered = await visitor.post('/login', { form: { email: 'Ann@example.com', password } })
    assert.equal(entered.location, '/desk/articles/new')
    assert.equal((await visitor.follow(entered)).html('h1'), 'New article')
  })

  for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example'])
    it(`leads to no other site: ${next}`, async () => {
      await createAccount()
      const visitor = await visitorAt('/login')
      const form = { email: 'ann@example.com', password, next }
      assert.equal((await visitor.post('/login', { form })).location, '/desk/articles')
    })

  for (const [email, tried] of [
    ['ann@example.com', 'wrong password'],
    ['nobody@example.com', password],
  ] as const)
    it(`refuses ${email} with '${tried}' in the same words`, async () => {
      await createAccount()
      const visitor = await visitorAt('/login')
      const page = await visitor.post('/login', { form: { email, password: tried } })
      assert.equal(page.status, 401)
      assert.equal(page.html('[role=alert]'), 'Email and password do not match.')
      assert.equal((await visitor.get('/desk/articles')).status, 303)
    })

  it('refuses a password that is replaced while it is verified', async () => {
    const { id } = await createAccount()
    const visitor = await visitorAt('/login')
    const values = permitValues({ passwordHash: await hashPassword('over the dunes') })
    const replace = () => void User.updateById(id).withPermittedAttributes(values)
    diagnostics.subscribe('fw:password:end', replace)
    const form = { email: 'ann@example.com', password }
    const { status } = await visitor.post('/login', { form })
    diagnostics.unsubscribe('fw:password:end', replace)
    assert.equal(status, 401)
    assert.equal((await visitor.get('/desk/articles')).status, 303)
  })

  it('ends with the logout', async () => {
    const { id } = await createUser()
    const visitor = app.session({ attributes: { userId: id } })
    assert.equal((await visitor.get('/desk/articles')).status, 200)
    assert.equal((await visitor.post('/logout')).location, '/')
    assert.equal((await visitor.get('/desk/articles')).status, 303)
  })
})

describe('the profile', () => {
  it('changes name and bio', async () => {
    const { id } = await createUser()
    const visitor = app.session({ attributes: { userId: id } })
    const saved = await visitor.post('/profile', { form: { name: 'Anna', bio: 'Walks.' } })
    const page = await visitor.follow(saved)
    assert.equal(page.attribute('#name', 'value'), 'Anna')
    assert.equal((await visitor.get(`/authors/${id}`)).html('.summary'), 'Walks.')
  })

  it('changes the password, and logs out the other devices', async () => {
    await createAccount()
    const login = async (word: string) => {
      const visitor = await visitorAt('/login')
      const form = { email: 'ann@example.com', password: word }
      const { status } = await visitor.post('/login', { form })
      // The login has changed the forgery token.
      await visitor.get('/profile')
      return { visitor, status }
    }
    const { visitor: phone } = await login(password)
    const { visitor: desktop } = await login(password)
    const wrong = await desktop.post('/profile/password', {
      form: { currentPassword: 'no', password: 'over the dunes' },
    })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.html('#currentPassword-error'), 'Current password is wrong')
    await desktop.post('/profile/password', {
      form: { currentPassword: password, password: 'over the dunes' },
    })
    assert.equal((await desktop.get('/profile')).status, 200)
    assert.equal((await phone.get('/profile')).status, 303)
    assert.equal((await login(password)).status, 401)
    assert.equal((await login('over the dunes')).status, 303)
  })
})
