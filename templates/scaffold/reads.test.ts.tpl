/** The pages, JSON and XML of {{words}}, which can only be read. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
import { defaultUser } from '#test/default-user'

const app = await testApp(Bootstrap)

const queries = [
  {{listQueries}}
]

describe('{{words}}', () => {
  let visitor: ReturnType<typeof app.session>
  beforeEach(async () => {
    visitor = app.session().as(await defaultUser())
  })

  it('has a list as a page, JSON and XML', async () => {
    const page = await visitor.get({{path}})
    assert.equal(page.status, 200)
    assert.equal(page.html('h1'), '{{title}}')
    const list = await visitor.get('{{pathText}}.json')
    assert.equal(list.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(page.all('tbody tr').length, list.json().length)
    const xml = await visitor.get('{{pathText}}.xml')
    assert.equal(xml.headers.get('content-type'), 'application/xml; charset=utf-8')
  })

  for (const query of queries)
    it(`has a list by ${JSON.stringify(query)}`, async () => {
      assert.equal((await visitor.get({{path}}, { query })).status, 200)
    })

  it('has no form and no action that writes', async () => {
    assert.equal((await visitor.get('{{pathText}}/new')).status, 404)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      assert.equal((await visitor.request(method, {{path}})).status, 405)
  })
  {{showTest}}
})
