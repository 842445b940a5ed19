/** A resource whose records have owners: a record of somebody else does not exist, in pages, JSON and XML, for each action. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FwController, mix } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { belongsTo, model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { MethodOverride } from '../../src/runtime/app.ts'
import type { RequestOptions } from '../../src/tools/testing/client.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const Folder = model(
  'folders',
  { id: ParamType.Long, userId: ParamType.Long, name: ParamType.String },
  { scopedBy: 'userId' },
)
const Note = model(
  'notes',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    folderId: ParamType.optional(ParamType.Long),
    title: ParamType.String,
  },
  { scopedBy: 'userId' },
)
const noteFolder = belongsTo(Note, 'folderId', Folder)
const fields = { title: ParamType.String, folderId: ParamType.optional(ParamType.Long) }

/** The visitor's id is in a header. A member of an application's controllers reads it from the session. */
class Base extends mix(FwController, TxPerRequestFilter) {
  get currentUser(): { readonly id: number } | null {
    const id = this.request.header('x-user')
    return id === undefined ? null : { id: Number(id) }
  }
}

const shared = {
  model: Note,
  resourcesName: 'notes',
  resourceName: 'note',
  createFormStrongParameters: fields,
  include: { folder: noteFolder },
  output: Note.view({
    fields: ['id', 'title'],
    relations: { folder: [noteFolder, Folder.view({ fields: ['name'] })] },
  }),
} as const

class NotesController extends FwResource(Base, { ...shared, scope: (c) => c.currentUser?.id }) {}
class KeyNotesController extends FwResource(Base, {
  ...shared,
  scope: (c) => c.currentUser?.id,
  pageByKey: { sort: ['title'], search: ['title'] },
}) {}
class FolderNotesController extends FwResource(Base, {
  ...shared,
  resourcesBasePathPrefix: '/folders/:folderId',
  parent: { model: Folder, field: 'folderId' },
  scope: (c) => c.currentUser?.id,
}) {}

/** A mutant: one finder that forgets the scope. */
class ForgetfulController extends FwResource(Base, {
  ...shared,
  scope: (c) => c.currentUser?.id,
}) {
  override findResource(id: number) {
    return Note.unscoped.findById(id)
  }
}

const views = 'src/main/webapp/WEB-INF/views/notes'
const files = {
  [`${views}/index.html.ssp`]:
    '<%@val items: readonly { title: string; folder?: { name: string } }[] %>#for (item of items)<i>${item.title} ${item.folder?.name}</i>#end',
  [`${views}/show.html.ssp`]: '<%@val item: { title: string } %><h1>${item.title}</h1>',
  [`${views}/new.html.ssp`]: '<h1>new</h1>',
  [`${views}/edit.html.ssp`]: "<h1>${s.params.get('title')}</h1>",
}
const nestedFiles = Object.fromEntries(
  Object.entries(files).map(([path, text]) => [path.replace('/notes/', '/folders/notes/'), text]),
)

/** Each of the seven actions with a record of the path, by its request and what the owner gets. */
const requests = (path: string, id: number): readonly [string, string, RequestOptions][] => {
  const form = { title: 'changed' }
  const page = [
    ['GET', `${path}/${id}`, {}],
    ['GET', `${path}/${id}/edit`, {}],
    ['POST', `${path}/${id}`, { form }],
    ['PUT', `${path}/${id}`, { form }],
    ['PATCH', `${path}/${id}`, { form }],
    ['POST', `${path}/${id}?_method=DELETE`, { form: {} }],
    ['DELETE', `${path}/${id}`, {}],
  ] satisfies [string, string, RequestOptions][]
  const program = ['json', 'xml'].flatMap((format) => {
    const record = `${path}/${id}.${format}`
    return [
      ['GET', record, {}],
      ['POST', record, { json: form }],
      ['PUT', record, { json: form }],
      ['PATCH', record, { json: form }],
      ['PUT', record, { json: form, headers: { 'If-Match': '*' } }],
      ['DELETE', record, { headers: { 'If-Match': '*' } }],
      ['DELETE', record, {}],
    ] satisfies [string, string, RequestOptions][]
  })
  return [...page, ...program]
}

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })
  const bobs = async () => (await query('select *, xmin::text from notes where user_id = 2')).rows

  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query(
      'create table folders (id bigserial primary key, user_id bigint not null, name text not null)',
    )
    await query(
      'create table notes (id bigserial primary key, user_id bigint not null, folder_id bigint references folders, title text not null)',
    )
  })
  beforeEach(async () => {
    await query('truncate folders, notes restart identity')
    await query(`insert into folders (user_id, name) values (1, 'mine'), (2, 'theirs')`)
    await query(
      `insert into notes (user_id, folder_id, title) values (1, 1, 'own'), (2, 2, 'secret'), (1, 2, 'lent')`,
    )
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  const ann = { headers: { 'x-user': '1' } }

  for (const [which, Controller] of [
    ['numbered pages', NotesController],
    ['pages by key', KeyNotesController],
  ] as const) {
    it(`with ${which}, each action reaches the own records alone`, async () => {
      const app = await serve([new MethodOverride(), resource(Controller)], { files })
      const before = await bobs()
      for (const [method, path, options] of requests('/notes', 2)) {
        const headers = { ...ann.headers, ...options.headers }
        const page = await app.request(method, path, { ...options, headers })
        expect([method, path, page.status]).toEqual([method, path, 404])
        expect(page.body).not.toContain('secret')
      }
      for (const suffix of ['', '.json', '.xml']) {
        const list = await app.get(`/notes${suffix}`, ann)
        expect([list.status, list.body.includes('own')]).toEqual([200, true])
        expect(list.body).not.toContain('secret')
        expect(list.body).not.toContain('theirs')
      }
      expect((await app.get('/notes.json?q=secret&sort=title', ann)).body).not.toContain('secret')
      expect(await bobs()).toEqual(before)
    })
  }

  it('each action works with an own record, and a new one belongs to the visitor', async () => {
    const app = await serve([new MethodOverride(), resource(NotesController)], { files })
    for (const [method, path, options] of requests('/notes', 1)) {
      await query(
        `insert into notes (id, user_id, title) values (1, 1, 'own') on conflict (id) do nothing`,
      )
      const headers = { ...ann.headers, ...options.headers }
      const page = await app.request(method, path, { ...options, headers })
      expect([method, path, page.status < 400]).toEqual([method, path, true])
    }
    const json = { title: 'new', userId: 2, user_id: 2 }
    const created = await app.post('/notes.json', { ...ann, json })
    expect(created.status).toBe(201)
    const { rows } = await query(`select user_id from notes where title = 'new'`)
    expect(rows).toEqual([{ user_id: 1 }])
  })

  it('without an owner, every action is a 401', async () => {
    const app = await serve([resource(NotesController)], { files })
    for (const path of ['/notes', '/notes.json', '/notes/1', '/notes/1.xml', '/notes/1/edit'])
      expect((await app.get(path)).status).toBe(401)
    expect((await app.post('/notes.json', { json: { title: 'x' } })).status).toBe(401)
    expect((await app.delete('/notes/1')).status).toBe(401)
  })

  it('a parent of somebody else does not exist either', async () => {
    const app = await serve([resource(FolderNotesController)], { files: nestedFiles })
    expect((await app.get('/folders/1/notes.json', ann)).json()).toHaveLength(1)
    for (const path of ['/folders/2/notes', '/folders/2/notes.json', '/folders/2/notes/new'])
      expect((await app.get(path, ann)).status).toBe(404)
    const json = { title: 'x' }
    expect((await app.post('/folders/2/notes.json', { ...ann, json })).status).toBe(404)
  })

  it('one finder that forgets the scope is found by these requests', async () => {
    const app = await serve([new MethodOverride(), resource(ForgetfulController)], { files })
    const shown: string[] = []
    for (const [method, path, options] of requests('/notes', 2)) {
      const headers = { ...ann.headers, ...options.headers }
      const page = await app.request(method, path, { ...options, headers })
      if (page.status !== 404) shown.push(`${method} ${path}`)
    }
    expect(shown).toContain('GET /notes/2')
    expect(shown).toContain('GET /notes/2.json')
  })
})

it('a model with a scope needs the option, and the option such a model', () => {
  const invalid = expect.objectContaining({ code: 'resource.option-invalid' })
  // @ts-expect-error the option scope is missing
  expect(() => FwResource(Base, shared)).toThrow(invalid)
  expect(() => {
    const options = { ...shared, model: Note.unscoped, scope: () => 1 }
    FwResource(Base, options)
  }).toThrow(invalid)
  // @ts-expect-error a text is no owner of a note
  void (() => FwResource(Base, { ...shared, scope: () => 'ann' }))
  // @ts-expect-error the controller has no such member
  void (() => FwResource(Base, { ...shared, scope: (c) => c.visitor.id }))
})
