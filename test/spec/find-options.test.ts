/** The options of a select, and the search among them without scripts. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { FwController } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

const Company = model('companies', { id: ParamType.Long, name: ParamType.String })
const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  companyId: ParamType.optional(ParamType.Long),
})

class MembersController extends FwResource(FwController, {
  model: Member,
  resourcesName: 'members',
  resourceName: 'member',
  createFormStrongParameters: {
    name: ParamType.String,
    companyId: ParamType.optional(ParamType.Long),
  },
}) {
  override createForm() {
    return this.validation(this.createParams(), paramKey('name').is(required))
  }

  override async preparePage() {
    this.set('options', await this.findOptions(Company, 'name', 'companyId'))
  }
}
const members = resource(MembersController)

const form = `<%@val options: readonly { id: number, name: string }[] %>
<input name="name" value="\${s.params.get('name')}">
#for (each of options)<i>\${each.id} \${each.name}</i>#end`
const folder = 'src/main/webapp/WEB-INF/views/members'
const files = { [`${folder}/new.html.ssp`]: form, [`${folder}/edit.html.ssp`]: form }

const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })

let engine: OpenEngine
beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  engine = await engines[0]!.open()
  useDatabase(engine.database)
  await query('create table companies (id bigserial primary key, name text not null)')
  await query(
    'create table members (id bigserial primary key, name text not null, company_id bigint references companies)',
  )
}, 60_000)
afterAll(async () => {
  useDatabase(undefined)
  await engine.close()
  vi.unstubAllEnvs()
})
beforeEach(async () => {
  await query('truncate companies, members restart identity')
  await query(
    `insert into companies (name) select 'Firm ' || lpad(n::text, 3, '0') from generate_series(1, 249) n`,
  )
  await query(`insert into companies (name) values ('Zest 100%')`)
  await query(`insert into members (name, company_id) values ('Ann', 250)`)
})

const start = () => serve([members], { files })
const rows = async () => (await Member.findAll()).map(({ name, companyId }) => [name, companyId])

it('are the first 200 by title, and before them the chosen record', async () => {
  const app = await start()
  const empty = (await app.get('/members/new')).all('i')
  expect([empty.length, empty[0], empty.at(-1)]).toEqual([200, '1 Firm 001', '200 Firm 200'])
  const edit = (await app.get('/members/1/edit')).all('i')
  expect([edit.length, edit[0], edit[1]]).toEqual([201, '250 Zest 100%', '1 Firm 001'])
})

it.each([
  ['/members', 'zest', ['250 Zest 100%']],
  ['/members', '0%', ['250 Zest 100%']],
  ['/members', 'nothing', []],
  [
    '/members/1',
    'firm 24',
    ['7 Firm 007', ...[...Array(10).keys()].map((n) => `${240 + n} Firm 24${n}`)],
  ],
])(
  'a form sent to %s with the search %s is shown again and not saved',
  async (path, text, found) => {
    const app = await start()
    const sent = {
      name: 'Bob',
      '_search.companyId': text,
      ...(path === '/members' ? {} : { companyId: '7' }),
    }
    const page = await app.post(path, { form: sent })
    expect([page.status, page.all('i')]).toEqual([200, found])
    expect(page.attribute('input', 'value')).toBe('Bob')
    expect(await rows()).toEqual([['Ann', 250]])
    const saved = await app.post(path, { form: { ...sent, '_searched.companyId': text } })
    expect(saved.status).toBe(302)
    expect((await rows()).at(-1)?.[0]).toBe('Bob')
  },
)

it('are those of the search after an invalid form too; an empty search is none', async () => {
  const app = await start()
  const searched = { '_search.companyId': 'zest', '_searched.companyId': 'zest' }
  const invalid = await app.post('/members', { form: { name: '', ...searched } })
  expect([invalid.status, invalid.all('i')]).toEqual([400, ['250 Zest 100%']])
  const cleared = await app.post('/members', { form: { ...searched, '_search.companyId': ' ' } })
  expect([cleared.status, cleared.all('i').length]).toEqual([200, 200])
  const blank = { name: 'Bob', '_search.companyId': '' }
  expect((await app.post('/members', { form: blank })).status).toBe(302)
})

it('an API client saves with any field', async () => {
  const app = await start()
  const json = { name: 'Bob', _search: { companyId: 'zest' } }
  expect((await app.post('/members.json', { json })).status).toBe(201)
})
