/** JSON columns with a schema: their types, their forms, and the writes of a model. */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, vi } from 'vitest'
import * as z from 'zod'
import type { HttpError } from '../../src/runtime/base.ts'
import { FwController } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { json, model, type RowOf } from '../../src/runtime/model.ts'
import { Params, ParamType, permitValues } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { createForm, formSchema } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

const Settings = z.object({ theme: z.enum(['dark', 'light']), size: z.int().default(12) })
const columns = {
  id: ParamType.Long,
  settings: json(Settings),
  more: ParamType.optional(json(v.array(v.string()))),
  own: ParamType.optional(json(formSchema({ name: ParamType.String }))),
}
const Page = model('pages', columns)
type Page = RowOf<typeof Page>

const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })

let engine: OpenEngine
beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  engine = await engines[0]!.open()
  useDatabase(engine.database)
  await query(
    'create table pages (id bigserial primary key, settings jsonb not null, more jsonb, own jsonb)',
  )
}, 60_000)
afterAll(async () => {
  useDatabase(undefined)
  await engine.close()
  vi.unstubAllEnvs()
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('a column with a schema', () => {
  it('has the type of the schema', () => {
    expectTypeOf<Page['settings']>().toEqualTypeOf<{ theme: 'dark' | 'light'; size: number }>()
    expectTypeOf<Page['more']>().toEqualTypeOf<string[] | undefined>()
    expectTypeOf<Page['own']>().toEqualTypeOf<{ readonly name: string } | undefined>()
  })

  it('permits what the schema accepts, with its defaults', () => {
    const params = Params.from({ settings: '{"theme":"dark"}', more: '' })
    const { settings, more } = columns
    expect({ ...params.permit({ settings, more }) }).toEqual({
      settings: { theme: 'dark', size: 12 },
      more: undefined,
    })
  })

  it.each([
    ['settings', '{"theme":"blue","size":"x"}', ['theme: Invalid option', 'size: Invalid input']],
    ['settings', '{', ['settings must be a JSON text']],
    ['more', '["a",1]', ['1: Invalid type']],
    ['own', '{}', ['name: name is required']],
  ] as const)('refuses %s = %s with the messages of the schema', (key, text, messages) => {
    const caught = catchError(() => Params.from({ [key]: text }).permit({ [key]: columns[key] }))
    expect(caught).toMatchObject({ status: 400, code: 'params.invalid' })
    const errors = (caught as HttpError).details?.['errors'] as Record<string, string[]>
    expect(errors[key]).toEqual(messages.map((message) => expect.stringContaining(message)))
  })

  it('is checked by each write of the model, and the form has the error', async () => {
    await query('truncate pages')
    const wrong = permitValues({ settings: { theme: 'blue' as 'dark', size: 1 } }, 'settings')
    const right = permitValues({ settings: { theme: 'light' as const, size: 1 } }, 'settings')
    const invalid = {
      code: 'params.invalid',
      details: { errors: { settings: [expect.any(String)] } },
    }
    const row = await Page.create(right)
    await expect(Page.create(wrong)).rejects.toMatchObject(invalid)
    await expect(Page.createAll([right, wrong])).rejects.toMatchObject(invalid)
    await expect(Page.updateById(row.id).withPermittedAttributes(wrong)).rejects.toMatchObject(
      invalid,
    )
    await expect(Page.query().updateAll(wrong)).rejects.toMatchObject(invalid)
    expect((await Page.findAll()).map(({ settings }) => settings)).toEqual([
      { theme: 'light', size: 1 },
    ])
    const form = createForm(Params.from({ settings: 'x' }), { settings: ParamType.String }, [])
    expect(await form.save(() => Page.create(wrong))).toBeUndefined()
    expect(form.keyAndErrorMessages.get('settings')).toEqual([
      expect.stringMatching(/^theme: Invalid option/),
    ])
  })

  it('gives the field of a form the messages of the schema', () => {
    const form = createForm(
      Params.from({ settings: '{"theme":"blue"}' }),
      { settings: columns.settings },
      [],
    )
    expect(form.validate()).toBe(false)
    expect(form.keyAndErrorMessages.get('settings')).toEqual([
      expect.stringMatching(/^theme: Invalid option/),
    ])
  })

  describe('in the form of a resource', () => {
    class PagesController extends FwResource(FwController, {
      model: Page,
      resourcesName: 'pages',
      resourceName: 'page',
      createFormStrongParameters: { settings: columns.settings },
    }) {}
    const pages = resource(PagesController)
    const form = `<textarea name="settings">\${s.params.get('settings')}</textarea>
<b>\${s.keyAndErrorMessages.get('settings').join()}</b>`
    const folder = 'src/main/webapp/WEB-INF/views/pages'
    const files = { [`${folder}/new.html.ssp`]: form, [`${folder}/edit.html.ssp`]: form }

    it('shows stored JSON as text, and what was sent beside the error', async () => {
      await query('truncate pages restart identity')
      await Page.create(permitValues({ settings: { theme: 'dark' as const, size: 1 } }, 'settings'))
      const app = await serve([pages], { files })
      const edit = await app.get('/pages/1/edit')
      expect(JSON.parse(edit.html('textarea') ?? '')).toEqual({ theme: 'dark', size: 1 })
      for (const [sent, message] of [
        ['{', 'settings is invalid'],
        ['{"theme":"blue"}', 'theme: Invalid option'],
      ] as const)
        for (const path of ['/pages', '/pages/1']) {
          const answer = await app.post(path, { form: { settings: sent } })
          expect([answer.status, answer.html('textarea')]).toEqual([400, sent])
          expect(answer.html('b')).toContain(message)
        }
      const json = { settings: { theme: 'blue' } }
      const refused = await app.post('/pages.json', { json })
      expect([refused.status, refused.json()]).toMatchObject([400, { code: 'params.invalid' }])
      expect(refused.body).toContain('theme: Invalid option')
    })

    it('gives the error of a write that the form did not check', async () => {
      class LooseController extends FwResource(FwController, {
        model: Page,
        resourcesName: 'pages',
        resourceName: 'page',
        createFormStrongParameters: { settings: json<{ theme: 'dark'; size: number }>() },
      }) {}
      const app = await serve([resource(LooseController)], { files })
      const answer = await app.post('/pages', { form: { settings: '{"theme":"blue"}' } })
      expect([answer.status, answer.html('b')]).toEqual([
        400,
        expect.stringContaining('theme: Invalid option'),
      ])
    })
  })
})
