/** What programs send and read: representations after writes, formats without a suffix, refusals (decisions 7, 18, 25). */
import { describe, expect, it } from 'vitest'
import {
  FwApiController,
  FwController,
  microFilter,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { forgeryProtection, JsonParamsFeature } from '../../src/runtime/feature.ts'
import type { ReadOnlyResourceModel, ResourceModel } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource, FwResource, resource } from '../../src/runtime/resource.ts'
import { serve } from '../support/serve.ts'

interface Note {
  readonly id: number
  readonly text: string
  readonly isDraft: boolean
}

/** A model in memory, whose column `isDraft` has a default. */
class Notes implements ResourceModel<Note, number> {
  rows: Note[] = [{ id: 1, text: 'Ant', isDraft: false }]
  readonly idType = ParamType.Long
  idOf = ({ id }: Note) => id
  findAll = async () => this.rows
  findPage = async () => this.rows
  count = async () => this.rows.length
  findById = async (id: number) => this.rows.find((row) => row.id === id)
  async createWithPermittedAttributes(permitted: PermittedValues): Promise<number> {
    const id = this.rows.length + 1
    const { text } = permitted as unknown as Pick<Note, 'text'>
    this.rows.push({ id, text, isDraft: true })
    return id
  }
  updateById = (id: number) => ({
    withPermittedAttributes: async (permitted: PermittedValues) => {
      this.rows = this.rows.map((row) => (row.id === id ? { ...row, ...permitted } : row))
      return 1
    },
  })
  async deleteById(id: number): Promise<number> {
    this.rows = this.rows.filter((row) => row.id !== id)
    return 1
  }
}

const options = (model: Notes) =>
  ({
    model,
    resourcesName: 'notes',
    resourceName: 'note',
    createFormStrongParameters: { text: ParamType.String },
  }) as const

const accept = (type: string) => ({ headers: { accept: type } })

describe('the response to a write', () => {
  it('has the record with the values that the model sets', async () => {
    class NotesApi extends FwApiResource(FwApiController, options(new Notes())) {}
    const app = await serve([apiResource(NotesApi)])
    const made = await app.post('/notes.json', { json: { text: 'Bee' } })
    expect([made.status, made.json()]).toEqual([201, { id: 2, text: 'Bee', is_draft: true }])
    const changed = await app.patch('/notes/2.xml', { json: { text: 'Cat' } })
    expect([changed.status, changed.body]).toEqual([
      200,
      '<?xml version="1.0" encoding="utf-8"?><notes><id>2</id><text>Cat</text><is_draft>true</is_draft></notes>',
    ])
  })

  it('has the version that the next change can name', async () => {
    class NotesApi extends FwApiResource(FwApiController, {
      ...options(new Notes()),
      requireIfMatch: true,
    }) {}
    const app = await serve([apiResource(NotesApi)])
    const made = await app.post('/notes.json', { json: { text: 'Bee' } })
    const change = (tag: string | null) =>
      app.patch('/notes/2.json', { json: { text: 'Cat' }, headers: { 'if-match': tag ?? '' } })
    const changed = await change(made.headers.get('etag'))
    expect(changed.status).toBe(200)
    expect((await change(made.headers.get('etag'))).status).toBe(412)
    expect((await change(changed.headers.get('etag'))).status).toBe(200)
  })

  it('has neither body nor type if the client may not read what it has written', async () => {
    class NotesApi extends FwApiResource(FwApiController, options(new Notes())) {
      override async findResource(id: number) {
        const row = await this.model.findById(id)
        return row?.text === 'Secret' ? undefined : row
      }
    }
    const app = await serve([apiResource(NotesApi)])
    const made = await app.post('/notes.json', { json: { text: 'Secret' } })
    const changed = await app.put('/notes/1.json', { json: { text: 'Secret' } })
    for (const [page, status] of [
      [made, 201],
      [changed, 204],
    ] as const) {
      expect([page.status, page.body]).toEqual([status, ''])
      expect([page.headers.get('content-type'), page.headers.get('etag')]).toEqual([null, null])
    }
    expect(made.location).toBe('/notes/2.json')
  })

  it('204, 205 and 304 have no type, whatever an action sets', async () => {
    const app = await serve([
      microFilter((r) => ({
        text: r.get('/:status', (c) => {
          c.response.status = Number(c.params.get('status'))
          return c.response.json({})
        }),
      })),
    ])
    for (const status of ['204', '205', '304'])
      expect([status, (await app.get(`/${status}`)).headers.get('content-type')]).toEqual([
        status,
        null,
      ])
    expect((await app.get('/202')).headers.get('content-type')).toContain('application/json')
  })
})

describe('an API resource without a suffix', () => {
  const api = async () => {
    class NotesApi extends FwApiResource(FwApiController, options(new Notes())) {}
    return serve([apiResource(NotesApi)])
  }

  it.each([
    ['/notes', 'application/json', 'application/json'],
    ['/notes/1', 'application/json', 'application/json'],
    ['/notes/1', 'application/xml', 'application/xml'],
    ['/notes/1', 'text/xml, application/json;q=0.5', 'application/xml'],
    ['/notes/1', '*/*', 'application/json'],
    ['/notes/1', '', 'application/json'],
    ['/notes/1', 'application/vnd.api+json', 'application/json'],
    ['/notes/1.xml', 'application/json', 'application/xml'],
  ])('GET %s for %s is %s', async (path, type, expected) => {
    const page = await (await api()).get(path, accept(type))
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      `${expected}; charset=utf-8`,
    ])
    if (!path.includes('.')) expect(page.headers.get('vary')).toBe('Accept')
  })

  it('writes', async () => {
    const app = await api()
    const json = { text: 'Bee' }
    const made = await app.post('/notes', { json, ...accept('application/json') })
    expect([made.status, made.location, made.json().id]).toEqual([201, '/notes/2.json', 2])
    expect((await app.get(made.location!)).json().text).toBe('Bee')
    const changed = await app.put('/notes/2', { json: { text: 'Cat' }, ...accept('text/xml') })
    expect([changed.status, changed.body.includes('<text>Cat</text>')]).toEqual([200, true])
    expect((await app.patch('/notes/2', { json })).json().text).toBe('Bee')
    const refused = await app.post('/notes', { json: { text: [] } })
    expect([refused.status, refused.json().code]).toEqual([400, 'params.invalid'])
    expect((await app.delete('/notes/2')).status).toBe(204)
  })

  it('leaves requests of browsers to the pages of the same path, and is 404 without them', async () => {
    const browser = accept('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')
    expect((await (await api()).get('/notes', browser)).status).toBe(404)
    class NotesApi extends FwApiResource(FwApiController, options(new Notes())) {}
    class Pages extends FwController {
      index() {
        return '<h1>Notes</h1>'
      }
    }
    const pages = routes(Pages, (r) => ({ indexUrl: r.get('/notes', 'index') }))
    const app = await serve([apiResource(NotesApi), pages])
    expect((await app.get('/notes', browser)).html('h1')).toBe('Notes')
    expect((await app.get('/notes', accept('application/json'))).json()).toHaveLength(1)
    expect((await app.get('/notes', accept('text/csv'))).status).toBe(406)
  })

  it('links to its pages without a suffix', async () => {
    const page = await (await api()).get('/notes?size=1', accept('application/json'))
    expect(page.headers.get('link')).toContain('</notes?size=1&page=1>; rel="first"')
  })

  it('keeps ids with a dot', async () => {
    const texts = {
      idType: ParamType.String,
      findById: async (id: string) => ({ id }),
    } as unknown as ReadOnlyResourceModel<{ id: string }, string>
    class Texts extends FwApiResource(FwApiController, {
      model: texts,
      resourcesName: 'texts',
      resourceName: 'text',
    }) {}
    const app = await serve([apiResource(Texts)])
    expect((await app.get('/texts/a.b')).json()).toEqual({ id: 'a.b' })
    expect((await app.get('/texts/a.b.json')).json()).toEqual({ id: 'a.b' })
  })
})

describe('a media type with a suffix such as +json', () => {
  const shown = microFilter((r) => ({
    show: r.get('/show', (c) =>
      c.response.respondTo({ html: () => 'page', json: () => ({}), xml: () => '<x/>' }),
    ),
  }))

  it.each([
    ['application/vnd.api+json', 'application/json; charset=utf-8'],
    ['application/hal+json, text/html;q=0.5', 'application/json; charset=utf-8'],
    ['application/soap+xml', 'application/xml; charset=utf-8'],
    ['application/xhtml+xml', 'text/html; charset=utf-8'],
  ])('%s is %s', async (type, expected) => {
    class Pages extends FwResource(FwController, options(new Notes())) {}
    const app = await serve([shown, resource(Pages)])
    const page = await app.get('/show', accept(type))
    if (!type.includes('xhtml')) expect(page.headers.get('content-type')).toBe(expected)
    if (type.includes('xhtml')) return
    const record = await app.get('/notes/1', accept(type))
    expect([record.status, record.headers.get('content-type')]).toEqual([200, expected])
    const missing = await app.get('/notes/9', accept(type))
    expect([missing.status, missing.headers.get('content-type')]).toEqual([
      404,
      expected.includes('json') ? 'application/problem+json' : expected,
    ])
  })
})

describe('a program without a forgery token', () => {
  const files = { 'src/main/webapp/WEB-INF/views/error/403.html.ssp': '<h1>Sorry</h1>' }
  class Pages extends mix(FwController, JsonParamsFeature, forgeryProtection()) {
    create() {
      return 'made'
    }
  }
  const pages = routes(Pages, (r) => ({ createUrl: r.post('/notes', 'create') }))

  it('learns what to send, in the type of its body unless Accept names another', async () => {
    const app = await serve([pages], { files })
    const json = await app.post('/notes', { json: { text: 'a' } })
    expect([json.status, json.headers.get('content-type')]).toEqual([
      403,
      'application/problem+json',
    ])
    expect(json.json()).toMatchObject({ code: 'feature.forged-request' })
    expect(json.json().message).toMatch(/X-CSRF-Token/)
    const form = await app.post('/notes', { form: { text: 'a' }, ...accept('*/*') })
    expect([form.status, form.body]).toEqual([403, expect.stringMatching(/X-CSRF-Token/)])
    expect(form.body).not.toContain('reload the page')
    const asked = await app.post('/notes', { form: {}, ...accept('application/xml') })
    expect(asked.body).toMatch(/<message>.*X-CSRF-Token/)
  })

  it('a browser gets the page', async () => {
    const app = await serve([pages], { files })
    const page = await app.post('/notes', {
      form: { text: 'a' },
      headers: { accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': 'none' },
    })
    expect([page.status, page.body.includes('X-CSRF-Token')]).toEqual([422, false])
    const refused = await app.post('/notes', { form: { text: 'a' }, ...accept('text/html') })
    expect([refused.status, refused.html('h1')]).toEqual([403, 'Sorry'])
  })
})
