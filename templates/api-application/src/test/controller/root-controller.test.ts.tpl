/** The root and unknown paths. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { defaultUser } from '#test/default-user'

const app = await testApp(Bootstrap)

describe('the root', () => {
  it('has the name of the application', async () => {
    const visitor = app.session().as(await defaultUser())
    const response = await visitor.get('/')
    assert.equal(response.status, 200)
    assert.deepEqual(response.json(), { name: {{titleText}} })
  })
})

describe('an unknown path', () => {
  it('is a problem document', async () => {
    const response = await app.get('/nothing-is-here', { headers: { accept: 'application/json' } })
    assert.equal(response.status, 404)
  })
})
