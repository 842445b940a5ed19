/** Requests share no values that an action can change. */
import { expect, it } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Fields extends FwController {
  change() {
    this.request.query.set('x', ['changed'])
    this.request.form.set('x', ['changed'])
    this.request.headers.set('x', 'changed')
    for (const list of [...this.request.query.values(), ...this.request.form.values()])
      list.push('y')
    this.requestScope().set('x', 'changed')
    return 'changed'
  }
  read() {
    const { query, form, headers } = this.request
    const { params, queryParams, formParams } = this
    return {
      query: [...query],
      form: [...form],
      header: headers.get('x'),
      scope: this.requestScope().get('x') ?? null,
      params: [params, queryParams, formParams].map((each) => each.get('x') ?? null),
    }
  }
}
const fields = routes(Fields, (r) => ({
  change: r.get('/change', 'change'),
  changePost: r.post('/change', 'change'),
  read: r.get('/read', 'read'),
  readPost: r.post('/read', 'read'),
}))
const none = { query: [], form: [], header: null, scope: null, params: [null, null, null] }

it('a change of query, form, headers or scope of a request reaches no other request', async () => {
  const app = await serve([fields])
  for (const change of [app.get('/change'), app.post('/change')])
    expect((await change).body).toBe('changed')
  expect((await app.get('/read')).json()).toEqual(none)
  expect((await app.post('/read')).json()).toEqual(none)
})
