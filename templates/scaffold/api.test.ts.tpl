/** {{title}}, as programs read and write them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}

const app = await testApp(Bootstrap)

{{formFunction}}

describe('{{words}}', () => {
  it('are listed and shown', async () => {
    const id = await create{{Model}}()
    assert.equal((await app.get('{{path}}.json')).json().length, 1)
    assert.equal((await app.get(`{{path}}/${id}.json`)).json().{{idMember}}, id)
    assert.equal((await app.get(`{{path}}/${id}.xml`)).status, 200)
  })

  it('are created', async () => {
    const saved = await app.post('{{path}}.json', { json: await form() })
    assert.equal(saved.status, 201)
    assert.match(saved.location ?? '', /^{{pathPattern}}\/{{idPattern}}\.json$/)
    assert.equal((await app.get(saved.location ?? '')).status, 200)
  })

  {{invalidTest}}
  it('are changed', async () => {
    const id = await create{{Model}}()
    for (const method of ['PUT', 'PATCH']) {
      const page = await app.request(method, `{{path}}/${id}.json`, { json: await form() })
      assert.equal(page.status, 200)
    }
  })

  it('are changed in the version that was read, and in no other', async () => {
    const path = `{{path}}/${await create{{Model}}()}.json`
    const headers = { 'If-Match': (await app.get(path)).headers.get('etag') ?? '' }
    const stale = { 'If-Match': '"stale"' }
    assert.equal((await app.put(path, { json: await form(), headers: stale })).status, 412)
    assert.equal((await app.put(path, { json: await form(), headers })).status, 200)
  })

  it('are deleted', async () => {
    const id = await create{{Model}}()
    assert.equal((await app.delete(`{{path}}/${id}.json`)).status, 200)
    assert.equal((await app.get(`{{path}}/${id}.json`)).status, 404)
  })
})
