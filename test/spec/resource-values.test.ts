/** Values of records in the bodies of programs: bytes go as base64 text, stored JSON as it was stored. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FwApiController } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { parseXml } from '../../src/runtime/http.ts'
import { belongsTo, json, model, type ResourceModel } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource, FwResource, resource } from '../../src/runtime/resource.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { formatValue } from '../../src/tools/cli/console-values.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const Photo = model('photos', {
  id: ParamType.Long,
  rawBytes: ParamType.ByteArray,
  thumb: ParamType.optional(ParamType.ByteArray),
  parts: ParamType.array(ParamType.ByteArray),
  metaData: ParamType.optional(json<unknown>()),
  log: ParamType.optional(json<unknown>()),
  parentId: ParamType.optional(ParamType.Long),
})
const photoParent = belongsTo(Photo, 'parentId', Photo)
const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })

const options = {
  model: Photo,
  resourcesName: 'photos',
  resourceName: 'photo',
  createFormStrongParameters: {
    rawBytes: ParamType.ByteArray,
    thumb: ParamType.optional(ParamType.ByteArray),
    parts: ParamType.array(ParamType.ByteArray),
  },
} as const
class PhotosController extends FwResource(FwController, options) {}
const photos = resource(PhotosController)

const Note = model('notes', {
  id: ParamType.Long,
  must: json<unknown>(),
  metaData: ParamType.optional(json<unknown>()),
  log: ParamType.optional(json<unknown>()),
  logs: ParamType.array(json<unknown>()),
})
class NotesController extends FwResource(FwController, {
  model: Note,
  resourcesName: 'notes',
  resourceName: 'note',
  createFormStrongParameters: {
    must: Note.columns.must,
    metaData: Note.columns.metaData,
    log: Note.columns.log,
    logs: Note.columns.logs,
  },
}) {
  override createForm() {
    return this.validation(this.createParams(), paramKey('must').is(required))
  }
}
const notes = resource(NotesController)

const stored = {
  camelCase: { 'Kebab-Key': 1, snake_key: null, UPPER: [{ innerKey: 'x' }] },
  __proto: 1,
}

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query(`create table photos (id bigserial primary key, raw_bytes bytea not null, thumb bytea,
      parts bytea[] not null default '{}', meta_data jsonb, log json, parent_id bigint)`)
    await query(`create table notes (id bigserial primary key, must jsonb not null, meta_data jsonb,
      log json, logs jsonb[] not null)`)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  const bytes = async (column: string) =>
    (await query(`select encode(${column}, 'hex') as hex from photos order by id desc limit 1`))
      .rows[0]!['hex']

  it('bytes are base64 in JSON and XML, both ways, whatever they hold', async () => {
    const app = await serve([photos])
    const all = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const sent = { raw_bytes: all.toString('base64'), thumb: '/w==', parts: ['AA==', 'AQI='] }
    const made = await app.post('/photos.json', { json: sent })
    expect(made.status).toBe(201)
    expect([await bytes('raw_bytes'), await bytes('thumb'), await bytes('parts[2]')]).toEqual([
      all.toString('hex'),
      'ff',
      '0102',
    ])
    const read = (await app.get(made.location!)).json()
    expect(read).toMatchObject(sent)
    expect((await app.get('/photos.json')).json()[0]).toEqual(read)
    const path = made.location!.replace('.json', '.xml')
    const xml = await app.get(path)
    expect(xml.body).toContain('<parts>AA==</parts><parts>AQI=</parts>')
    expect(await parseXml(xml.body)).toMatchObject({ raw_bytes: sent.raw_bytes, thumb: '/w==' })
    // What was read can be sent back as it is.
    const headers = { 'content-type': 'application/xml' }
    expect((await app.put(path, { body: xml.body, headers })).status).toBe(200)
    expect((await app.get(made.location!)).json()).toEqual(read)
    const lines = '<photo><raw_bytes>\n  AAEC\n  AwQ=\n</raw_bytes><thumb/></photo>'
    expect((await app.patch(path, { body: lines, headers })).status).toBe(200)
    expect([await bytes('raw_bytes'), await bytes('thumb')]).toEqual(['0001020304', null])
    const patch = { json: { thumb: 'AA==' } }
    expect((await app.patch(made.location!, patch)).status).toBe(200)
    expect(await bytes('thumb')).toBe('00')
  })

  it.each(['AA=', 'AA', 'A', 'AAAA====', 'A-_A', 'A*==', 'AB==', 'ä'])(
    '%j is no base64: 400 at its field',
    async (text) => {
      const app = await serve([photos])
      for (const json of [
        { raw_bytes: text },
        { rawBytes: 'AA==', thumb: text },
        { rawBytes: 'AA==', parts: [text] },
      ]) {
        const answered = await app.post('/photos.json', { json })
        expect([answered.status, answered.body.includes('base64')]).toEqual([400, true])
      }
    },
  )

  it('bytes in one separated text are base64 in JSON and XML', async () => {
    const types = { ...options.createFormStrongParameters }
    const parts = ParamType.optional(ParamType.separated(ParamType.ByteArray, ';'))
    class SeparatedController extends FwResource(FwController, {
      ...options,
      createFormStrongParameters: { ...types, parts },
    }) {}
    const app = await serve([resource(SeparatedController)])
    const sent = { json: { raw_bytes: 'AA==', parts: 'AA==; AQI=' } }
    expect((await app.post('/photos.json', sent)).status).toBe(201)
    expect([await bytes('parts[1]'), await bytes('parts[2]')]).toEqual(['00', '0102'])
    const xml = '<photo><raw_bytes>AA==</raw_bytes><parts>AQI=;/w==</parts></photo>'
    const headers = { 'content-type': 'application/xml' }
    expect((await app.post('/photos.xml', { body: xml, headers })).status).toBe(201)
    expect([await bytes('parts[1]'), await bytes('parts[2]')]).toEqual(['0102', 'ff'])
    const form = { rawBytes: 'x', parts: 'a;b' }
    expect((await app.post('/photos.json', { form })).status).toBe(201)
    expect([await bytes('parts[1]'), await bytes('parts[2]')]).toEqual(['61', '62'])
    const listed = await app.post('/photos.json', { json: { raw_bytes: 'AA==', parts: ['AA=='] } })
    expect([listed.status, listed.body.includes('not a list')]).toEqual([400, true])
  })

  it('a form’s field is the text itself', async () => {
    const app = await serve([photos])
    const made = await app.post('/photos.json', { form: { rawBytes: 'AAAA' } })
    expect([made.status, await bytes('raw_bytes')]).toEqual([
      201,
      Buffer.from('AAAA').toString('hex'),
    ])
  })

  it('stored JSON is given as it was stored, of related records too; their own names in snake case', async () => {
    await query('truncate photos restart identity')
    const text = JSON.stringify(stored)
    await query(`insert into photos (raw_bytes, meta_data, log, parent_id)
      values ('', '${text}', '[${text}]', null), ('', '${text}', '"aB"', 1)`)
    class RelatedController extends FwResource(FwController, options) {
      override async findResource(id: number) {
        return Photo.include({ theParent: photoParent }).where({ id }).findFirst()
      }
    }
    const app = await serve([resource(RelatedController)])
    const { meta_data, log, the_parent, parent_id } = (await app.get('/photos/2.json')).json()
    expect([meta_data, log, parent_id]).toEqual([stored, 'aB', 1])
    expect(the_parent).toMatchObject({ id: 1, meta_data: stored, log: [stored], parts: [] })
    const [first] = (await (await serve([photos])).get('/photos.json')).json()
    expect([first.meta_data, first.log]).toEqual([stored, [stored]])
    const xml = (await app.get('/photos/2.xml')).body
    const {
      meta_data: metaText,
      log: logText,
      the_parent: parent,
    } = (await parseXml(xml)) as {
      readonly [key: string]: string
    }
    expect([JSON.parse(metaText!), logText]).toEqual([stored, '"aB"'])
    expect(JSON.parse((parent as unknown as { meta_data: string }).meta_data)).toEqual(stored)
  })

  it('any JSON value is stored as it was sent, and sent back as it was read', async () => {
    const app = await serve([notes])
    const key = fc.constantFrom('a', 'aB', 'a_b', '1st', 'a b', '', '__proto__x', 'é', 'null')
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, false, '', 'aB', '{"a":1}', 0, -1.5, 1e21),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(tree, tree, async (meta, log) => {
        const sent = { must: meta, meta_data: meta, log, logs: [log, meta] }
        const made = await app.post('/notes.json', { json: sent })
        expect(made.status).toBe(201)
        expect(made.json()).toEqual({ id: expect.any(Number), ...sent })
        const read = await app.get(made.location!)
        expect(read.json()).toEqual({ id: expect.any(Number), ...sent })
        const row = async () =>
          (await query('select notes::text from notes order by id desc limit 1')).rows
        const before = await row()
        expect((await app.put(made.location!, { json: read.json() })).status).toBe(200)
        expect(await row()).toEqual(before)
        const path = made.location!.replace('.json', '.xml')
        const headers = { 'content-type': 'application/xml' }
        const xml = await app.get(path)
        expect((await app.put(path, { body: xml.body, headers })).status).toBe(200)
        expect(await row()).toEqual(before)
      }),
      { numRuns: 50 },
    )
  })

  it('stored JSON keeps its keys on every way out: rows, parts of them, raw statements', async () => {
    const text = JSON.stringify({ aB: 1, a_b: 2, '1st': [{ cD: 3 }] })
    await query(`insert into notes (must, logs) values ('${text}', array['${text}'::jsonb])`)
    class Out extends FwController {
      async rows() {
        const rows = await Note.query().orderBy('id', 'desc').limit(1).findAll()
        const { must } = rows[0]! as { must: { '1st': object[] } }
        return this.response.json({ allRows: rows, aPart: must['1st'], items: [...must['1st']] })
      }
      async raw() {
        const { rows } = await query('select must as "theMust" from notes order by id desc limit 1')
        return this.response.json(rows[0])
      }
      async xml() {
        return this.response.xml(await Note.query().orderBy('id', 'desc').findFirst())
      }
    }
    const app = await serve([
      routes(Out, (r) => ({
        rows: r.get('/rows', 'rows'),
        raw: r.get('/raw', 'raw'),
        xml: r.get('/xml', 'xml'),
      })),
    ])
    const value = JSON.parse(text) as Record<string, unknown>
    expect((await app.get('/rows')).json()).toEqual({
      all_rows: [{ id: expect.any(Number), must: value, logs: [value] }],
      a_part: value['1st'],
      items: value['1st'],
    })
    expect((await app.get('/raw')).json()).toEqual({ the_must: value })
    const xml = (await parseXml((await app.get('/xml')).body)) as { must: string; logs: string }
    expect([JSON.parse(xml.must), JSON.parse(xml.logs)]).toEqual([value, value])
  })
})

describe('records in JSON and XML', () => {
  let engine: OpenEngine
  beforeAll(async () => {
    engine = await engines[0]!.open()
    useDatabase(engine.database)
    await query(`create table photos (id bigserial primary key, raw_bytes bytea not null, thumb bytea,
      parts bytea[] not null default '{}', meta_data jsonb, log json, parent_id bigint)`)
    await query(
      `insert into photos (raw_bytes, meta_data, parent_id) values ('', '{"aB":null}', null), ('', null, 1)`,
    )
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  it('NULL is null in JSON and absent in XML', async () => {
    const app = await serve([photos])
    const record = (await app.get('/photos/2.json')).json()
    expect(Object.keys(record)).toEqual(
      'id raw_bytes thumb parts meta_data log parent_id'.split(' '),
    )
    expect([record.thumb, record.meta_data, record.parent_id]).toEqual([null, null, 1])
    expect((await app.get('/photos.json')).json()[1]).toEqual(record)
    expect((await app.get('/photos/2.xml')).body).not.toContain('thumb')
  })

  it('a hidden field is neither in JSON nor in XML nor in the console', async () => {
    const Secret = model(
      'photos',
      { id: ParamType.Long, metaData: ParamType.optional(json<unknown>()) },
      { hidden: ['metaData'] },
    )
    class SecretsController extends FwResource(FwController, { ...options, model: Secret }) {}
    const app = await serve([resource(SecretsController)])
    const bodies = ['/photos.json', '/photos/1.json', '/photos.xml', '/photos/1.xml'].map(
      async (path) => (await app.get(path)).body,
    )
    const rows = await Secret.findAll()
    expect(rows[0]!.metaData).toEqual({ aB: null })
    for (const text of [...(await Promise.all(bodies)), formatValue(rows, 120, false)]) {
      expect(text).toContain('id')
      expect(text).not.toMatch(/meta|aB/)
    }
  })

  it('the option output chooses and shapes the members, in every body and in versions', async () => {
    class ShapedController extends FwResource(FwController, {
      ...options,
      output: Photo.view({
        fields: ['id', 'metaData'],
        computed: { partCount: [ParamType.Int, ({ parts }) => parts.length] },
        relations: { theParent: [photoParent, Photo.view({ fields: ['id', 'thumb'] })] },
      }),
    }) {}
    const app = await serve([resource(ShapedController)])
    const shown = await app.get('/photos/2.json')
    const record = { id: 2, meta_data: null, part_count: 0, the_parent: { id: 1, thumb: null } }
    expect(shown.json()).toEqual(record)
    const first = { id: 1, meta_data: { aB: null }, part_count: 0, the_parent: null }
    expect((await app.get('/photos.json')).json()).toEqual([first, record])
    expect((await app.get('/photos.xml')).body).toContain(
      '<photo><id>1</id><meta_data>{&quot;aB&quot;:null}</meta_data><part_count>0</part_count></photo>',
    )
    const tag = shown.headers.get('etag')!
    const change = (etag: string) =>
      app.patch('/photos/2.json', { json: { thumb: 'AA==' }, headers: { 'if-match': etag } })
    expect((await change('"another"')).status).toBe(412)
    expect((await change(tag)).status).toBe(200)
  })
})

it('the columns of another model determine stored JSON; other objects are records', async () => {
  const row = { id: 1, aB: stored, cD: { eF: { gH: 1 } }, bytes: Buffer.from([255]) }
  const plain = {
    idType: ParamType.Long,
    columns: { id: ParamType.Long, aB: ParamType.optional(json<unknown>()) },
    findById: async () => row,
  } as unknown as ResourceModel<object, number>
  class PlainController extends FwApiResource(FwApiController, {
    model: plain,
    resourcesName: 'plain',
    resourceName: 'plain',
    createFormStrongParameters: { text: ParamType.String },
  }) {}
  const app = await serve([apiResource(PlainController)])
  expect((await app.get('/plain/1.json')).json()).toEqual({
    id: 1,
    a_b: stored,
    c_d: { e_f: { g_h: 1 } },
    bytes: '/w==',
  })
})
