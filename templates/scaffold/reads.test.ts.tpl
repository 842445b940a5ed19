/** The pages, JSON and XML of {{words}}, which can only be read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'

const app = await testApp(Bootstrap)

const queries = [
  {{listQueries}}
]

describe('{{words}}', () => {
  it('has a list as a page, JSON and XML', async () => {
    const page = await app.get({{path}})
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
    const list = await app.get('{{pathText}}.json')
    assert.equal(list.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(page.all('tbody tr').length, list.json().length)
    const xml = await app.get('{{pathText}}.xml')
    assert.equal(xml.headers.get('content-type'), 'application/xml; charset=utf-8')
  })

  for (const query of queries)
    it(`has a list by ${JSON.stringify(query)}`, async () => {
      assert.equal((await app.get({{path}}, { query })).status, 200)
    })

  it('has no form and no action that writes', async () => {
    assert.equal((await app.get('{{pathText}}/new')).status, 404)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await app.request(method, {{path}})).status, 405)
  })
  {{showTest}}
})
