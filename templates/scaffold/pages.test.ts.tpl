/** The pages of {{words}} that need no row. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { defaultUser } from '#test/default-user'

const app = await testApp(Bootstrap)

describe('{{words}}', () => {
  it('has an empty list', async () => {
    const visitor = app.session().as(await defaultUser())
    const page = await visitor.get({{path}})
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
    assert.equal(page.html('.empty'), {{emptyText}})
  })

  it('has a form for a new record, and responds 404 for unknown ids', async () => {
    const visitor = app.session().as(await defaultUser())
    assert.equal((await visitor.get('{{pathText}}/new')).status, 200)
    for (const id of [{{unknownIds}}]) {
      const page = await visitor.get(`{{pathText}}/${id}`)
      assert.equal(page.status, 404)
    }
  })
})
