/** {{title}}: writing requires the CSRF token of a page. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from 'fwjs/testing'
import { Bootstrap } from '#main/bootstrap'
{{factories}}
import { {{Model}} } from '#model/{{modelFile}}'

const app = await testApp(Bootstrap)

{{formFunction}}
{{logIn}}

{{tokenFunction}}

describe('without the CSRF token', () => {
  it('creates no record', async () => {
    {{dataSetup}}
    assert.equal((await app.post({{path}}, { form: await form({{formArgument}}) })).status, 403)
    assert.equal(await {{allRows}}.count(), 0)
  })

  for (const method of ['POST', 'PUT', 'PATCH'])
    it(`${method} updates no record`, async () => {
      {{dataSetup}}
      const id = await create{{Model}}({{owner}})
      const fields = { form: await form({{formArgument}}) }
      const page = await app.request(method, `{{pathText}}/${id}`, fields)
      assert.equal(page.status, 403)
    })

  it('deletes no record', async () => {
    {{dataSetup}}
    const id = await create{{Model}}({{owner}})
    assert.equal((await app.delete(`{{pathText}}/${id}`)).status, 403)
    assert.equal(await {{allRows}}.count(), 1)
  })
})

describe('with the CSRF token', () => {
  it('creates a record', async () => {
    {{dataSetup}}
    {{tokenVisitor}}
    const saved = await visitor.post({{path}}, { form: await form({{formArgument}}) })
    assert.equal(saved.status, 302)
    assert.equal(await {{allRows}}.count(), 1)
  })

  for (const method of ['POST', 'PUT', 'PATCH'])
    it(`${method} updates a record`, async () => {
      {{dataSetup}}
      const id = await create{{Model}}({{owner}})
      {{tokenVisitor}}
      const fields = { form: await form({{formArgument}}) }
      const page = await visitor.request(method, `{{pathText}}/${id}`, fields)
      // After a 302, `fetch` would repeat PUT and PATCH.
      assert.equal(page.status, method === 'POST' ? 302 : 303)
      assert.equal(page.location, `{{pathText}}/${{{idInPath}}}`)
    })

  it('deletes a record', async () => {
    {{dataSetup}}
    const id = await create{{Model}}({{owner}})
    {{tokenVisitor}}
    const query = { _method: 'DELETE' }
    const page = await visitor.post(`{{pathText}}/${id}`, { query, form: {} })
    assert.equal(page.status, 303)
    assert.equal(await {{allRows}}.count(), 0)
  })
})
