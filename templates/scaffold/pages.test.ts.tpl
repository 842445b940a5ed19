/** The pages of {{words}} that need no row. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

const app = await testApp(Bootstrap)

describe('{{words}}', () => {
  it('has an empty list', async () => {
    const page = await app.get({{path}})
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
    assert.equal(page.html('.empty'), '{{emptyText}}')
  })

  it('has a form for a new record, and responds 404 for unknown ids', async () => {
    assert.equal((await app.get('{{pathText}}/new')).status, 200)
    for (const id of [{{unknownIds}}]) {
      const page = await app.get(`{{pathText}}/${id}`)
      assert.equal(page.status, 404)
    }
  })
})
