/** The page of {{words}}. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

const app = await testApp(Bootstrap)

describe('{{words}}', () => {
  it('has a page', async () => {
    const page = await app.get('{{path}}')
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
  })
})
