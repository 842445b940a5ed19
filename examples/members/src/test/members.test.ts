/** The pages of members: list, form, creation, refused input, details. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

const app = await testApp(Bootstrap)
const ann = { name: 'Ann', birthday: '2000-01-02', countryId: '81' }

describe('members', () => {
  it('has an empty list at first', async () => {
    const page = await app.get('/members')
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), 'Members')
    assert.equal(page.html('.empty'), 'Nobody yet. Add the first member.')
  })

  it('creates a member and redirects to the list', async () => {
    const visitor = app.session()
    await visitor.get('/members/new')
    const saved = await visitor.post('/members', { form: ann })
    assert.equal(saved.status, 302)
    assert.equal(saved.location, '/members')
    const list = await visitor.follow(saved)
    assert.equal(list.html('[role=status]'), 'The member was created.')
    assert.deepEqual(list.all('tbody td'), ['Ann', '2000-01-02'])
    const again = await visitor.get('/members')
    assert.equal(again.html('[role=status]'), undefined)
  })

  it('starts each test with an empty table', async () => {
    assert.deepEqual((await app.get('/members')).all('tbody td'), [])
  })

  it('shows the form again with messages and the sent values', async () => {
    const visitor = app.session()
    await visitor.get('/members/new')
    const page = await visitor.post('/members', { form: { name: 'A', birthday: '2000-13-01' } })
    assert.equal(page.status, 400)
    assert.equal(page.html('#name-error'), 'Name length must be greater than or equal to 2')
    assert.equal(page.html('#birthday-error'), 'Birthday must be a date value')
    assert.equal(page.attribute('#name', 'value'), 'A')
  })

  it('shows one member', async () => {
    const visitor = app.session()
    await visitor.get('/members/new')
    const list = await visitor.follow(await visitor.post('/members', { form: ann }))
    const link = list.attribute('tbody a', 'href')
    assert.ok(link)
    const page = await visitor.get(link)
    assert.equal(page.html('h1'), 'Ann')
    assert.deepEqual(page.all('dd'), ['2000-01-02', '81'])
  })

  for (const id of ['999999', 'x', '99999999999999999999']) {
    it(`responds 404 for the id ${id}`, async () => {
      const page = await app.get(`/members/${id}`)
      assert.equal(page.status, 404)
      assert.equal(page.html('h1'), 'Not found')
    })
  }

  it('refuses a form without the CSRF token', async () => {
    const headers = { accept: 'text/html' }
    const page = await app.post('/members', { form: ann, headers })
    assert.equal(page.status, 403)
    assert.equal(page.html('h1'), 'Not allowed')
  })
})
