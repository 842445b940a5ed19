/** The JSON and XML API of {{words}}. */
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
  it('can be listed and shown', async () => {
    const id = await create{{Model}}({{owner}})
    assert.equal((await visitor.get({{q}}{{pathText}}.json{{q}})).json().length, 1)
    assert.equal((await visitor.get(`{{pathText}}/${id}.json`)).json().{{idMember}}, id)
    assert.equal((await visitor.get(`{{pathText}}/${id}.xml`)).status, 200)
  })

  {{listTests}}
  it('can be created', async () => {
    const json = {{form}}
    const saved = await visitor.post({{q}}{{pathText}}.json{{q}}, { json })
    assert.equal(saved.status, 201)
    assert.match(saved.location ?? '', /^{{pathPattern}}\/{{idPattern}}\.json$/)
    assert.deepEqual((await visitor.get(saved.location ?? '')).json(), saved.json())
  })

  {{invalidTest}}
  {{nestedTests}}
  {{scopeTest}}
  it('can be updated', async () => {
    const id = await create{{Model}}({{owner}})
    const json = {{form}}
    for (const method of ['PUT', 'PATCH']) {
      const page = await visitor.request(method, `{{pathText}}/${id}.json`, { json })
      assert.equal(page.status, 200)
    }
  })

  it('are only updated if the ETag matches', async () => {
    const record = `{{pathText}}/${await create{{Model}}({{owner}})}.json`
    const json = {{form}}
    const headers = { 'If-Match': (await visitor.get(record)).headers.get('etag') ?? '' }
    const stale = { 'If-Match': '"stale"' }
    assert.equal((await visitor.put(record, { json, headers: stale })).status, 412)
    assert.equal((await visitor.put(record, { json, headers })).status, 200)
  })

  it('can be deleted', async () => {
    const id = await create{{Model}}({{owner}})
    assert.equal((await visitor.delete(`{{pathText}}/${id}.json`)).status, 204)
    assert.equal((await visitor.get(`{{pathText}}/${id}.json`)).status, 404)
  })
})
