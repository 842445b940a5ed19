/** The pages, JSON and XML of {{words}}. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}
{{modelImport}}

const app = await testApp(Bootstrap)

describe('{{words}}', () => {
  {{visitor}}
  {{countFound}}
  it('has an empty list', async () => {
    const page = await visitor.get({{path}})
    assert.equal(page.html('h1'), '{{title}}')
    assert.equal(page.html('.empty'), {{emptyText}})
  })

  it('has a list, a page and forms', async () => {
    const id = await create{{Model}}({{owner}})
    assert.equal((await visitor.get({{path}})).all('tbody tr').length, 1)
    for (const rest of ['/', '/new', `/${id}`, `/${id}/edit`])
      assert.equal((await visitor.get(`{{pathText}}${rest}`)).status, 200)
  })

  it('has several pages of a long list', async () => {
    for (let count = 0; count < 3; count++) await create{{Model}}({{owner}})
    const first = await visitor.get({{path}}, { query: { size: 2 } })
    assert.equal(first.all('tbody tr').length, 2)
    const second = await visitor.get(first.attribute('[rel=next]', 'href') ?? '')
    assert.equal(second.all('tbody tr').length, 1)
    const back = await visitor.get(second.attribute('[rel=prev]', 'href') ?? '')
    assert.deepEqual(back.all('tbody tr'), first.all('tbody tr'))
    const last = await visitor.get(first.attribute('[rel=last]', 'href') ?? '')
    assert.equal(last.all('[rel=next]').length, 0)
  })

  {{listTests}}
  it('creates a record and redirects to it', async () => {
    const form = {{form}}
    const saved = await visitor.post({{path}}, { form })
    assert.equal(saved.status, 302)
    assert.match(saved.location ?? '', /^{{pathPattern}}\/{{idPattern}}$/)
    const shown = await visitor.follow(saved)
    assert.equal(shown.html('[role=status]'), {{createdText}})
    {{titleCheck}}
  })

  {{optionTest}}
  {{invalidTest}}
  {{nestedTests}}
  {{scopeTest}}
  it('updates a record', async () => {
    const id = await create{{Model}}({{owner}})
    const form = {{form}}
    const saved = await visitor.post(`{{pathText}}/${id}`, { form })
    assert.equal(saved.status, 302)
    const shown = await visitor.follow(saved)
    assert.equal(shown.html('[role=status]'), {{updatedText}})
  })

  it('deletes a record', async () => {
    const id = await create{{Model}}({{owner}})
    const query = { _method: 'DELETE' }
    const deleted = await visitor.post(`{{pathText}}/${id}`, { query, form: {} })
    assert.equal(deleted.status, 303)
    assert.equal(deleted.location, {{path}})
    assert.equal((await visitor.get(`{{pathText}}/${id}`)).status, 404)
  })

  for (const id of [{{unknownIds}}])
    it(`responds 404 for the id ${id}`, async () => {
      assert.equal((await visitor.get(`{{pathText}}/${id}`)).status, 404)
    })

  it('responds with JSON and XML', async () => {
    const id = await create{{Model}}({{owner}})
    for (const format of ['json', 'xml'])
      for (const rest of ['', `/${id}`]) {
        const page = await visitor.get(`{{pathText}}${rest}.${format}`)
        assert.equal(page.status, 200)
        assert.equal(page.headers.get('content-type'), `application/${format}; charset=utf-8`)
      }
    const record = (await visitor.get(`{{pathText}}/${id}.json`)).json()
    assert.equal(record.{{idMember}}, id)
    assert.deepEqual((await visitor.get({{q}}{{pathText}}.json{{q}})).json(), [record])
  })
})
