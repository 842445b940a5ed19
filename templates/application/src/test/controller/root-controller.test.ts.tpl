/** The front page, and an address where there is nothing. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

const app = await testApp(Bootstrap)

describe('the front page', () => {
  it('is there', async () => {
    const page = await app.get('/')
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), 'It works')
  })
})

describe('an address where there is nothing', () => {
  it('has the page of its error', async () => {
    const page = await app.get('/nothing-is-here')
    assert.equal(page.status, 404)
    assert.equal(page.html('h1'), 'Not found')
  })
})
