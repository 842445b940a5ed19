/** The page of {{words}}. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { defaultUser } from '#test/default-user'

const app = await testApp(Bootstrap)

describe('{{words}}', () => {
  it('has a page', async () => {
    const visitor = app.session().as(await defaultUser())
    const page = await visitor.get('{{path}}')
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
  })
})
