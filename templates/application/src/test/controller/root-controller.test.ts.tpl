/** The front page and the page for unknown paths. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { defaultUser } from '#test/default-user'

const app = await testApp(Bootstrap)

describe('the front page', () => {
  it('is served', async () => {
    const visitor = app.session().as(await defaultUser())
    const page = await visitor.get('/')
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), {{headingText}})
  })
})

describe('an unknown path', () => {
  it('has the error page', async () => {
    const page = await app.get('/nothing-is-here')
    assert.equal(page.status, 404)
    assert.equal(page.html('h1'), {{notFoundText}})
  })
})
