/** The JSON and XML API of {{words}}. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}
{{modelImport}}

const app = await testApp(Bootstrap)

{{formFunction}}
{{logIn}}

describe('{{words}}', () => {
  it('can be listed and shown', async () => {
    {{setup}}
    const id = await create{{Model}}({{owner}})
    assert.equal((await visitor.get({{q}}{{pathText}}.json{{q}})).json().length, 1)
    assert.equal((await visitor.get(`{{pathText}}/${id}.json`)).json().{{idMember}}, id)
    assert.equal((await visitor.get(`{{pathText}}/${id}.xml`)).status, 200)
  })

  {{listTests}}
  it('can be created', async () => {
    {{setup}}
    const saved = await visitor.post({{q}}{{pathText}}.json{{q}}, { json: await form({{formArgument}}) })
    assert.equal(saved.status, 201)
    assert.match(saved.location ?? '', /^{{pathPattern}}\/{{idPattern}}\.json$/)
    assert.deepEqual((await visitor.get(saved.location ?? '')).json(), saved.json())
  })

  {{invalidTest}}
  {{nestedTests}}
  {{scopeTest}}
  it('can be updated', async () => {
    {{setup}}
    const id = await create{{Model}}({{owner}})
    for (const method of ['PUT', 'PATCH']) {
      const page = await visitor.request(method, `{{pathText}}/${id}.json`, { json: await form({{formArgument}}) })
      assert.equal(page.status, 200)
    }
  })

  it('are only updated if the ETag matches', async () => {
    {{setup}}
    const record = `{{pathText}}/${await create{{Model}}({{owner}})}.json`
    const headers = { 'If-Match': (await visitor.get(record)).headers.get('etag') ?? '' }
    const stale = { 'If-Match': '"stale"' }
    assert.equal((await visitor.put(record, { json: await form({{formArgument}}), headers: stale })).status, 412)
    assert.equal((await visitor.put(record, { json: await form({{formArgument}}), headers })).status, 200)
  })

  it('can be deleted', async () => {
    {{setup}}
    const id = await create{{Model}}({{owner}})
    assert.equal((await visitor.delete(`{{pathText}}/${id}.json`)).status, 204)
    assert.equal((await visitor.get(`{{pathText}}/${id}.json`)).status, 404)
  })
})
