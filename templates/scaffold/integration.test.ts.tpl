/** {{title}}: writing requires the CSRF token of a page. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}
import { {{Model}} } from '#model/{{modelFile}}'

const app = await testApp(Bootstrap)

describe('the CSRF token of {{words}}', () => {
  it('is required to create, update and delete', async () => {
    {{dataSetup}}
    const form = {{form}}
    const record = `{{pathText}}/${await create{{Model}}({{owner}})}`
    const before = await {{allRows}}.findAll()
    const pages = [
      await app.post({{path}}, { form }),
      await app.post(record, { form }),
      await app.put(record, { form }),
      await app.patch(record, { form }),
      await app.delete(record),
    ]
    const statuses = pages.map(({ status }) => status)
    assert.deepEqual(statuses, [403, 403, 403, 403, 403])
    assert.deepEqual(await {{allRows}}.findAll(), before)
  })

  it('lets PUT and PATCH update', async () => {
    {{setup}}
    await visitor.get({{q}}{{pathText}}/new{{q}})
    const id = await create{{Model}}({{owner}})
    const form = {{form}}
    for (const method of ['PUT', 'PATCH']) {
      const page = await visitor.request(method, `{{pathText}}/${id}`, { form })
      // After a 302, `fetch` would repeat PUT and PATCH.
      assert.equal(page.status, 303)
      assert.equal(page.location, `{{pathText}}/${{{idInPath}}}`)
    }
  })
})
