/** Resources and their fields › Parameter access of the specification; decisions 11 and 12. */
import { describe, expect, it } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { serve } from '../support/serve.ts'

class Reads extends FwController {
  sources() {
    return {
      params: this.params.get('x'),
      multi: this.multiParams.get('x'),
      query: this.queryParams.get('x'),
      form: this.formParams.get('x'),
      queryMulti: this.queryMultiParams.get('x'),
      formMulti: this.formMultiParams.get('x'),
    }
  }
  typed() {
    return {
      page: this.params.getAs('page', ParamType.Int),
      or: this.params.getAsOrElse('page', ParamType.Int, 1),
      ids: this.multiParams.getAs('id', ParamType.Long),
    }
  }
  absent() {
    const { params, multiParams, queryParams, formParams, queryMultiParams, formMultiParams } = this
    return [params, multiParams, queryParams, formParams, queryMultiParams, formMultiParams].map(
      (each) => each.get('none') === undefined && each.getAs('none', ParamType.Int) === undefined,
    )
  }
  async body() {
    return { text: await this.request.body(), x: this.params.get('x') }
  }
}
const reads = routes(Reads, (r) => ({
  form: r.post('/form', 'sources').as('form'),
  path: r.post('/path/:x', 'sources').as('path'),
  typed: r.get('/typed', 'typed'),
  absent: r.post('/absent', 'absent'),
  body: r.post('/body', 'body'),
}))

describe('parameters', () => {
  it('query comes before form; path replaces both and is not part of the form', async () => {
    const app = await serve([reads])
    const form = (await app.post('/form', { query: { x: 'q' }, form: { x: 'f' } })).json()
    expect(form).toEqual({
      params: 'q',
      multi: ['q', 'f'],
      query: 'q',
      form: 'f',
      queryMulti: ['q'],
      formMulti: ['f'],
    })
    const path = (await app.post('/path/p', { query: { x: 'q' }, form: { x: 'f' } })).json()
    expect(path).toMatchObject({ params: 'p', multi: ['p'], query: 'q', form: 'f' })
  })

  it.each(['q=100%', 'q=%ff', 'q=a%00', 'x=1&q=%', '%=1'])(
    'a malformed parameter is a 400 only where it is read: ?%s',
    async (query) => {
      class Search extends FwController {
        list() {
          return this.params.get('page') ?? 'first'
        }
        find() {
          return this.params.get('q') ?? 'none'
        }
        permit() {
          return this.params.permit({ page: ParamType.optional(ParamType.Int) })
        }
        every() {
          return [...this.multiParams.toMap()]
        }
        fields() {
          return [...this.request.query]
        }
      }
      const search = routes(Search, (r) => ({
        list: r.get('/list', 'list'),
        find: r.get('/find', 'find'),
        permit: r.get('/permit', 'permit'),
        every: r.get('/every', 'every'),
        fields: r.get('/fields', 'fields'),
      }))
      const app = await serve([search])
      expect((await app.get(`/list?page=2&${query}`)).body).toBe('2')
      expect((await app.get(`/list?${query}&page=2`)).body).toBe('2')
      expect((await app.get(`/permit?${query}&page=2`)).json()).toEqual({ page: 2 })
      // A malformed name cannot be asked for.
      const isNamed = query.includes('q=')
      for (const path of ['/find', '/every', '/fields'])
        expect([path, (await app.get(`${path}?${query}`)).status]).toEqual([
          path,
          isNamed || path !== '/find' ? 400 : 200,
        ])
    },
  )

  it('are converted, or undefined', async () => {
    const app = await serve([reads])
    expect((await app.get('/typed', { query: { page: 3, id: ['1', 'a', '2'] } })).json()).toEqual({
      page: 3,
      or: 3,
      ids: [1, 2],
    })
    expect((await app.get('/typed', { query: { page: 'x' } })).json()).toEqual({ or: 1 })
  })

  it('are undefined if they are absent, in every source', async () => {
    const app = await serve([reads])
    const page = await app.post('/absent', { query: { x: 'q' }, form: { x: 'f' } })
    expect(page.json()).toEqual(Array.from({ length: 6 }, () => true))
  })

  it('leave the body readable', async () => {
    const app = await serve([reads])
    expect((await app.post('/body', { form: { x: '1 2' } })).json()).toEqual({
      text: 'x=1+2',
      x: '1 2',
    })
  })

  for (const query of ['?page=%ff', '?page=%', '?page=%00']) {
    it(`${query} answers 400 where the action reads it`, async () => {
      expect((await (await serve([reads])).get(`/typed${query}`)).status).toBe(400)
    })
  }

  for (const path of ['/a%00b', '/a%5Cb', '/%ff', '/%']) {
    it(`the path ${path} answers 400 before anything runs (decision 12)`, async () => {
      expect((await (await serve([reads])).get(path)).status).toBe(400)
    })
  }

  it('a form over the limit answers 413 before the action', async () => {
    const app = await serve([reads], { configuration: { 'limits.body': '1KiB' } })
    expect((await app.post('/form', { form: { x: 'y'.repeat(2000) } })).status).toBe(413)
  })
})
