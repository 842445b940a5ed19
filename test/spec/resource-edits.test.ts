/** Edits of a resource: what a form shows, and which fields an update writes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FwController } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { dateFormat, paramKey, required } from '../../src/runtime/validation.ts'
import { submittedForm } from '../support/browser-form.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const fields = {
  name: ParamType.String,
  day: ParamType.LocalDate,
  at: ParamType.optional(ParamType.DateTime),
  opens: ParamType.optional(ParamType.LocalTime),
  tags: ParamType.array(ParamType.String),
  sizes: ParamType.array(ParamType.Int),
  total: ParamType.optional(ParamType.Long),
  isOpen: ParamType.optional(ParamType.Boolean),
}
const Shop = model(
  'shops',
  {
    id: ParamType.Long,
    ...fields,
    lockVersion: ParamType.Int,
    updatedAt: ParamType.DateTime,
  },
  { lockVersion: 'lockVersion' },
)
const kinds = {
  name: 'text',
  day: 'date',
  at: 'datetime',
  opens: 'time',
  tags: 'list',
  sizes: 'list',
  total: 'text',
  isOpen: 'checkbox',
}
const folder = 'src/main/webapp/WEB-INF/views'
const field = readFileSync(
  join(import.meta.dirname, `../../templates/application/${folder}/shared/_field.html.ssp.tpl`),
  'utf8',
)
const files = {
  [`${folder}/shared/_field.html.ssp`]: field,
  [`${folder}/shops/edit.html.ssp`]: `<form method="post" action="/shops/1">
${Object.entries(kinds)
  .map(
    ([name, kind]) =>
      `<%@include '/shared/_field' { name: '${name}', label: '${name}', type: '${kind}' } %>`,
  )
  .join('\n')}
</form>`,
}

let written: PermittedValues[] = []
class ShopsController extends FwResource(FwController, {
  model: Shop,
  resourcesName: 'shops',
  resourceName: 'shop',
  createFormStrongParameters: fields,
  updateFormStrongParameters: { ...fields, lockVersion: ParamType.optional(ParamType.Int) },
}) {
  override createParams() {
    return super
      .createParams()
      .withDateTime('at')
      .withTime('opens')
      .withLines('tags')
      .withLines('sizes')
  }
  override createForm() {
    return this.validation(
      this.createParams(),
      paramKey('name').is(required),
      paramKey('day').is(required, dateFormat),
    )
  }
  override async doUpdate(id: number, permitted: PermittedValues) {
    written.push(permitted)
    return super.doUpdate(id, permitted)
  }
}
const shops = resource(ShopsController)
const query = (sql: string) =>
  currentDatabase().query<Record<string, unknown>>({ sql, parameters: [] })
const headers = { 'content-type': 'application/x-www-form-urlencoded' }

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query(`create table shops (id bigserial primary key, name text not null, day date not null, at timestamptz, opens time,
      tags text[] not null default '{}', sizes integer[] not null default '{}', total bigint, is_open boolean,
      lock_version integer not null default 1, updated_at timestamptz not null default '2020-01-01')`)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  /** Inserts the only row, and opens its form. */
  async function edit(values: Readonly<Record<string, string>> = {}) {
    written = []
    await query('truncate shops restart identity')
    const all = { name: "'a'", day: "'2024-01-02'", ...values }
    await query(
      `insert into shops (${Object.keys(all).join()}) values (${Object.values(all).join()})`,
    )
    const app = await serve([shops], { files })
    const page = await app.get('/shops/1/edit')
    const form = new URLSearchParams(submittedForm(page.body, '/shops/1'))
    const save = async (changes: Readonly<Record<string, string>> = {}) => {
      for (const [name, value] of Object.entries(changes)) form.set(name, value)
      return app.post('/shops/1', { body: String(form), headers })
    }
    return { app, page, form, save }
  }
  const row = async () =>
    (
      await query(
        'select name, day::text, at::text, opens::text, tags::text, sizes::text, total::text, is_open, lock_version, updated_at::text from shops',
      )
    ).rows[0]!

  it('an unchanged form writes nothing, not even the time of the last change', async () => {
    const { save } = await edit({
      at: "'2024-03-10 02:30:00.000001+00'",
      opens: "'10:20:30.123456'",
      tags: `'{"a b"}'`,
    })
    const before = await row()
    expect((await save()).status).toBe(302)
    expect(await row()).toEqual(before)
    expect(before).toMatchObject({ updated_at: '2020-01-01 00:00:00+00', lock_version: 1 })
    expect(Object.keys(written[0]!)).toEqual([])
  })

  it('the values of unchanged fields are there for code, and are not written', async () => {
    const { save } = await edit({ total: '7' })
    expect((await save({ name: 'b' })).status).toBe(302)
    const [permitted] = written as unknown as [{ name: string; total: number; tags: string[] }]
    expect([permitted.name, permitted.total, permitted.tags]).toEqual(['b', 7, []])
    expect({ ...permitted }).toEqual({ name: 'b' })
    expect(await row()).toMatchObject({ name: 'b', total: '7', lock_version: 2 })
  })

  it('a date that no date input holds is shown as text, stays, and can be replaced', async () => {
    const { page, form, save } = await edit({ day: "'infinity'" })
    expect([page.attribute('#day', 'type'), form.get('day')]).toEqual(['text', 'infinity'])
    expect((await save({ name: 'b' })).status).toBe(302)
    expect(await row()).toMatchObject({ name: 'b', day: 'infinity' })
    const refused = await save({ day: 'infinite' })
    expect([refused.status, refused.html('small'), refused.attribute('#day', 'value')]).toEqual([
      400,
      'Day must be a date value',
      'infinite',
    ])
    expect((await save({ day: '2024-02-29' })).status).toBe(302)
    expect(await row()).toMatchObject({ day: '2024-02-29' })
  })

  it('a time before our era is one text instead of a date and a time', async () => {
    const { page, form, save } = await edit({ at: "'0044-03-15 12:00+00 BC'" })
    expect([page.attribute('#at', 'name'), form.get('at')]).toEqual([
      'at',
      '-000043-03-15T12:00:00Z',
    ])
    expect((await save({ name: 'b' })).status).toBe(302)
    expect(await row()).toMatchObject({ at: '0044-03-15 12:00:00+00 BC' })
    expect((await save({ at: '2024-02-29 10:00' })).status).toBe(302)
    expect(await row()).toMatchObject({ at: '2024-02-29 10:00:00+00' })
  })

  it('a date and its time can be cleared', async () => {
    const { form, save } = await edit({
      at: "'2024-03-10 02:30:15.25+00'",
      opens: "'10:20:30.123456'",
    })
    expect([form.get('atDate'), form.get('atTime'), form.get('opens')]).toEqual([
      '2024-03-10',
      '02:30:15',
      '10:20:30',
    ])
    expect((await save({ atTime: '02:31:15' })).status).toBe(302)
    expect(await row()).toMatchObject({ at: '2024-03-10 02:31:15+00', opens: '10:20:30.123456' })
    expect((await save({ atDate: '', atTime: '', opens: '' })).status).toBe(302)
    expect(await row()).toMatchObject({ at: null, opens: null })
  })

  it('an integer beyond 2^53 stays, and a smaller one replaces it', async () => {
    const { form, save } = await edit({ total: '9007199254740993' })
    expect(form.get('total')).toBe('9007199254740993')
    expect((await save({ name: 'b' })).status).toBe(302)
    expect(await row()).toMatchObject({ total: '9007199254740993' })
    expect((await save({ total: '9007199254740995' })).status).toBe(400)
    expect((await save({ total: '5' })).status).toBe(302)
    expect(await row()).toMatchObject({ total: '5' })
  })

  it('a list that lines cannot hold is a JSON list, which can be edited', async () => {
    const { form, save } = await edit({
      tags: `array['a', ' b', E'c\\nd', '']`,
      sizes: '{{1,2},{3,4}}'.replace(/^/, "'") + "'",
    })
    expect([form.get('tags'), form.get('sizes')]).toEqual([
      '["a"," b","c\\nd",""]',
      '[[1,2],[3,4]]',
    ])
    expect((await save({ name: 'b' })).status).toBe(302)
    expect(await row()).toMatchObject({ tags: '{a," b","c\nd",""}', sizes: '{{1,2},{3,4}}' })
    const refused = await save({ tags: '["a", null]', name: '' })
    expect([refused.status, refused.html('#tags')]).toEqual([400, '["a",null]'])
    expect((await save({ tags: '["a", null]', name: 'c' })).status).toBe(400)
    expect((await save({ tags: '["x\\ny"," z"]', sizes: '7\n8' })).status).toBe(302)
    expect(await row()).toMatchObject({ tags: '{"x\ny"," z"}', sizes: '{7,8}' })
  })

  it('NULL and false are different, although both leave a checkbox unticked', async () => {
    const { save } = await edit()
    expect((await save({ name: 'b' })).status).toBe(302)
    expect((await row())['is_open']).toBeNull()
    expect((await save({ isOpen: 'true' })).status).toBe(302)
    expect((await row())['is_open']).toBe(true)
  })

  it('a concurrent change of another field survives, and the lock version still counts', async () => {
    const { app, form, save } = await edit()
    await query(`update shops set day = '2025-01-01'`)
    expect((await app.patch('/shops/1.json', { json: { name: 'b' } })).status).toBe(200)
    expect(await row()).toMatchObject({ name: 'b', day: '2025-01-01', lock_version: 2 })
    form.set('lockVersion', '1')
    expect((await save({ name: 'b', day: '2025-01-01' })).status).toBe(409)
    form.set('lockVersion', '2')
    expect((await save()).status).toBe(302)
    expect(await row()).toMatchObject({ lock_version: 2 })
  })

  it('JSON and XML give back what they took, and what SQL wrote', async () => {
    const { app } = await edit({
      day: "'-infinity'",
      total: '9007199254740993',
      tags: `array['a', ' b', E'c\\nd', '', null]`,
    })
    const json = await app.get('/shops/1.json')
    expect(json.body).toContain('"total":9007199254740993')
    expect(json.json()).toMatchObject({ day: '-infinity', tags: ['a', ' b', 'c\nd', '', null] })
    const before = await row()
    const put = (path: string, body: string, type: string) =>
      app.put(path, { body, headers: { 'content-type': type } })
    expect((await put('/shops/1.json', json.body, 'application/json')).status).toBe(200)
    const xml = await app.get('/shops/1.xml')
    expect((await put('/shops/1.xml', xml.body, 'application/xml')).status).toBe(200)
    expect(await row()).toEqual(before)
    const tags = ['a', ' b', 'c\nd', '', '["x"]']
    expect((await app.patch('/shops/1.json', { json: { tags } })).json()).toMatchObject({ tags })
    const items = tags.map((tag) => `<tags>${tag}</tags>`).join('')
    const sent = `<shop>${items}<name>c</name></shop>`
    expect(
      (
        await app.patch('/shops/1.xml', {
          body: sent,
          headers: { 'content-type': 'application/xml' },
        })
      ).status,
    ).toBe(200)
    expect((await app.get('/shops/1.json')).json()).toMatchObject({ tags, name: 'c' })
  })
})
