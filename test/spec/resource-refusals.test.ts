/** What the database refuses of a resource is told as a mistake of the form, or as a conflict, and nothing of it is kept. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { FwApiController, FwController, mix } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { json, model, type ResourceModel } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues, permitValues } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource, FwResource, resource } from '../../src/runtime/resource.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

// The tables are in a database of this file's own, whatever server an application would take.
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const Company = model('companies', { id: ParamType.Long, name: ParamType.String })
const Member = model(
  'members',
  {
    id: ParamType.Long,
    companyId: ParamType.optional(ParamType.Long),
    name: ParamType.optional(ParamType.String),
    mail: ParamType.optional(ParamType.String),
    age: ParamType.optional(ParamType.Int),
    mood: ParamType.optional(ParamType.String),
    salary: ParamType.optional(ParamType.BigDecimal),
    starts: ParamType.optional(ParamType.Int),
    ends: ParamType.optional(ParamType.Int),
    zip: ParamType.optional(ParamType.String),
    slug: ParamType.optional(ParamType.String),
    data: ParamType.optional(json<unknown>()),
    deskNumber: ParamType.optional(ParamType.Int),
  },
  { columnNames: { deskNumber: 'Desk No' } },
)
const text = ParamType.optional(ParamType.String)
const fields = {
  companyId: ParamType.optional(ParamType.Long),
  name: text,
  mail: text,
  age: ParamType.optional(ParamType.Long),
  mood: text,
  salary: ParamType.optional(ParamType.BigDecimal),
  starts: ParamType.optional(ParamType.Int),
  ends: ParamType.optional(ParamType.Int),
  zip: text,
  deskNumber: ParamType.optional(ParamType.Int),
}

class WithTransaction extends mix(FwController, TxPerRequestFilter) {}
const bases: readonly (readonly [string, typeof FwController])[] = [
  ['a transaction for the request', WithTransaction],
  ['none', FwController],
]

const query = (sql: string, parameters: readonly unknown[] = []) =>
  currentDatabase().query({ sql, parameters })

const options = {
  model: Member,
  resourcesName: 'members',
  resourceName: 'member',
  createFormStrongParameters: fields,
} as const

/** Every request notes its visit in the database first, and its form asks the database for what can be chosen. */
const members = (Base: typeof FwController) => {
  class MembersController extends FwResource(Base, options) {
    static {
      this.beforeAction(() => query("insert into visits values ('seen')"))
    }
    override createParams() {
      this.set('companies', async () => (await Company.findAll()).map(({ name }) => name))
      return super.createParams()
    }
    override createForm() {
      return this.validation(this.createParams(), paramKey('name').is(required)).withPrefix(
        'member',
      )
    }
  }
  return resource(MembersController)
}
const companies = (Base: typeof FwController) => {
  class CompaniesController extends FwResource(Base, {
    model: Company,
    resourcesName: 'companies',
    resourceName: 'company',
    createFormStrongParameters: { name: ParamType.String },
  }) {}
  return resource(CompaniesController)
}

const folder = 'src/main/webapp/WEB-INF/views'
const form = `<%@val companies: () => Promise<readonly string[]> %>
#for (message of s.errorMessages)<small>\${message}</small>#end
<input name="name" value="\${s.params.get('name')}"><b>\${s.keyAndErrorMessages.getErrors('mail').join()}</b>
<select>#for (name of await companies())<option>\${name}</option>#end</select>`
const files = {
  [`${folder}/members/new.html.ssp`]: form,
  [`${folder}/members/edit.html.ssp`]: form,
  [`${folder}/companies/show.html.ssp`]:
    "<%@val item: { name: string } %><h1>${item.name}</h1><p>${s.flash.get('alert')}</p>",
}

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  const column = async (sql: string) =>
    (await engine.database.query({ sql, parameters: [] })).rows.map((row) => Object.values(row)[0])
  const names = () => column('select name from members order by id')
  const visits = () => column('select count(*) from visits')

  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query('create table companies (id bigserial primary key, name text not null)')
    await query("create type mood as enum ('good', 'bad')")
    await query('create domain zip as text check (value ~ $$^\\d{5}$$)'.replaceAll('$$', "'"))
    await query(`create table members (
      id bigserial primary key, company_id bigint references companies on delete restrict,
      name varchar(10) not null, mail text, age integer check (age between 0 and 150), mood mood,
      salary numeric(4, 2), starts integer, ends integer, zip zip, slug text unique, data jsonb, "Desk No" integer,
      constraint in_order check (starts < ends), constraint together unique (company_id, "Desk No"),
      exclude using gist (int4range(age, age + 1) with &&) where (age > 140))`)
    await query('create unique index mails on members (lower(mail))')
    await query('create table visits (name text)')
    await query('create table notes (id bigserial, name varchar(3) unique)')
  })
  beforeEach(async () => {
    await query('truncate companies, members, visits, notes restart identity')
    await query("insert into companies (name) values ('One'), ('Two')")
    await query(
      `insert into members (company_id, name, mail, "Desk No", age) values (1, 'Ann', 'ann@example.org', 7, 145)`,
    )
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  describe.each(bases)('with %s', (_which, Base) => {
    it.each([
      [{ mail: 'ANN@example.org' }, { mail: ['mail is already taken'] }],
      [{ companyId: 99 }, { companyId: ['companyId does not exist'] }],
      [{ age: 151 }, { age: ['age is invalid'] }],
      [{ age: 99999999999 }, { age: ['age is less or greater than expected range'] }],
      [{ age: 145 }, { age: ['age overlaps another record'] }],
      [{ name: 'n'.repeat(11) }, { name: ['name length must be less than or equal to 10'] }],
      [{ mood: 'sad' }, { mood: ['mood is invalid'] }],
      [{ salary: '100' }, { salary: ['salary is less or greater than expected range'] }],
      [{ zip: '1' }, { zip: ['zip is invalid'] }],
      [
        { starts: 2, ends: 1 },
        { starts: ['starts is invalid'], ends: ['ends is invalid'] },
      ],
      [
        { company_id: 1, deskNumber: 7 },
        { companyId: ['companyId is already taken'], deskNumber: ['deskNumber is already taken'] },
      ],
      [
        { name: 'n'.repeat(11), mood: 'sad' },
        { name: ['name length must be less than or equal to 10'], mood: ['mood is invalid'] },
      ],
    ])('%j is told by field, in JSON and XML, and nothing is kept', async (values, told) => {
      const app = await serve([members(Base)])
      const sent = { json: { name: 'Bob', ...values } }
      const answered = await app.post('/members.json', sent)
      expect([answered.status, answered.json()]).toEqual([400, told])
      expect(answered.headers.get('content-type')).toContain('application/json')
      const xml = await app.post('/members.xml', sent)
      expect(xml.status).toBe(400)
      for (const [message] of Object.values(told)) expect(xml.body).toContain(`>${message}</`)
      expect(await names()).toEqual(['Ann'])
    })

    it('of an update too; for PATCH only the sent fields', async () => {
      const app = await serve([members(Base)])
      for (const [method, told] of [
        ['POST', { age: ['age is invalid'] }],
        ['PUT', { age: ['age is invalid'] }],
        ['PATCH', { age: ['age is invalid'] }],
      ] as const) {
        const json = { ...(method === 'PATCH' ? {} : { name: 'Bob' }), age: -1 }
        const answered = await app.request(method, '/members/1.json', { json })
        expect([answered.status, answered.json()]).toEqual([400, told])
      }
      expect(await names()).toEqual(['Ann'])
    })

    it('a field left blank that the table demands is required', async () => {
      class LaxController extends FwResource(Base, options) {}
      const app = await serve([resource(LaxController)])
      const answered = await app.post('/members.json', { json: { age: 1 } })
      expect([answered.status, answered.json()]).toEqual([400, { name: ['name is required'] }])
    })

    it('the form is shown again with its values, a message at the field and its database values', async () => {
      const app = await serve([members(Base)], { files })
      await query("insert into members (name, mail) values ('Bob', 'bob@example.org')")
      const sent = { name: 'Cid <3', mail: 'Ann@Example.org' }
      for (const path of ['/members', '/members/2']) {
        const page = await app.post(path, { form: sent })
        expect([page.status, page.html('small'), page.html('b')]).toEqual([
          400,
          'mail is already taken',
          'mail is already taken',
        ])
        expect(page.body).toContain('value="Cid &lt;3"')
        expect(page.body).toContain('<option>One</option><option>Two</option>')
        expect(page.body).not.toMatch(/ann@example|insert|update|mails|SQLSTATE/)
      }
      expect(await names()).toEqual(['Ann', 'Bob'])
      // As after a failed validation: what a filter wrote before is kept.
      expect(await visits()).toEqual([2])
      expect(
        (await app.post('/members', { form: { ...sent, mail: 'cid@example.org' } })).status,
      ).toBe(302)
    })

    it('a message may come from the messages, as that of a rule', async () => {
      const app = await serve([members(Base)], {
        files: {
          'src/main/resources/messages_de.yml':
            "error:\n  unique: '{0} ist schon vergeben'\nmember:\n  mail: E-Mail\ncompany:\n  flash:\n    inUse: Wird noch gebraucht.\n",
        },
      })
      const headers = { 'accept-language': 'de' }
      const json = { name: 'Bob', mail: 'ann@example.org' }
      const page = await app.post('/members.json', { json, headers })
      expect(page.json()).toEqual({ mail: ['E-Mail ist schon vergeben'] })
    })

    it('of several statements of one write none is kept', async () => {
      class NotingController extends FwResource(Base, options) {
        override async doCreateAndReturnId(permitted: PermittedValues) {
          return currentDatabase().transaction(async () => {
            await query("insert into notes (name) values ('n')")
            return super.doCreateAndReturnId(permitted)
          })
        }
      }
      const app = await serve([resource(NotingController)])
      const page = await app.post('/members.json', { json: { name: 'Bob', companyId: 99 } })
      expect([page.status, page.json()]).toEqual([400, { companyId: ['companyId does not exist'] }])
      expect(await column('select name from notes')).toEqual([])
    })

    it('with If-Match the answer is the same', async () => {
      const app = await serve([members(Base)])
      const headers = { 'if-match': '*' }
      const page = await app.put('/members/1.json', {
        json: { name: 'Bob', companyId: 99 },
        headers,
      })
      expect([page.status, page.json()]).toEqual([400, { companyId: ['companyId does not exist'] }])
      expect((await app.put('/members/1.json', { json: { name: 'Bob' }, headers })).status).toBe(
        200,
      )
      expect(await names()).toEqual(['Bob'])
    })

    it('a record that others need is not deleted: 409, on its own page with the reason', async () => {
      const app = await serve([companies(Base)], { files })
      for (const headers of [{}, { 'if-match': '*' }]) {
        const answered = await app.delete('/companies/1.json', { headers })
        expect([answered.status, answered.json()]).toEqual([
          409,
          expect.objectContaining({
            code: 'resource.in-use',
            message: 'The company was not deleted: other records still need it.',
          }),
        ])
        expect(answered.body).not.toMatch(/members|Key|fkey/)
        const xml = await app.delete('/companies/1.xml', { headers })
        expect([xml.status, xml.body.includes('still need it')]).toEqual([409, true])
        const page = await app.delete('/companies/1', { headers })
        expect([page.status, page.html('h1'), page.html('p')]).toEqual([
          409,
          'One',
          'The company was not deleted: other records still need it.',
        ])
      }
      expect((await app.delete('/companies/2')).status).toBe(303)
      expect(await column('select name from companies')).toEqual(['One'])
      const bare = await serve([companies(Base)])
      const page = await bare.delete('/companies/1')
      expect([page.status, page.body.includes('other records still need it')]).toEqual([409, true])
    })

    it('a refusal without a field is an error of the record; one that no client can correct is a fault', async () => {
      class AuditedController extends FwResource(Base, options) {
        override async doCreateAndReturnId(permitted: PermittedValues) {
          const { name } = permitted as { name?: string }
          if (name === 'fault') await query('insert into companies (name) values (null)')
          else await query('insert into notes (name) values ($1)', [name])
          return 1
        }
      }
      const app = await serve([resource(AuditedController)])
      const post = (name: string) => app.post('/members.json', { json: { name } })
      expect((await post('abc')).status).toBe(201)
      const taken = await post('abc')
      expect([taken.status, taken.json()]).toEqual([400, { member: ['member is already taken'] }])
      const long = await post('abcd')
      expect([long.status, long.json()]).toEqual([
        400,
        { member: ['member length must be less than or equal to 3'] },
      ])
      expect((await post('fault')).status).toBe(500)
      expect(app.lines.find(({ message }) => message.includes('refused'))).toMatchObject({
        level: 'info',
        fields: { sqlState: '23505', table: 'notes', constraint: 'notes_name_key' },
      })
    })
  })

  it('a permitted field that the model does not have is none of its matter', async () => {
    class SecretController extends FwResource(WithTransaction, {
      ...options,
      createFormStrongParameters: { name: ParamType.String, secret: ParamType.String },
    }) {
      override async doCreateAndReturnId(permitted: PermittedValues) {
        const { name } = permitted as unknown as { name: string }
        if (name === 'halt') this.halt(202)
        return super.doCreateAndReturnId(permitValues({ name }, 'name'))
      }
    }
    const app = await serve([resource(SecretController)])
    const post = (name: string) => app.post('/members.json', { json: { name, secret: 's' } })
    expect((await post('halt')).status).toBe(202)
    const long = await post('n'.repeat(11))
    expect([long.status, long.json()]).toEqual([
      400,
      { name: ['name length must be less than or equal to 10'] },
    ])
  })

  it('a key that others point to is not changed', async () => {
    await query('create table codes (code text primary key, name text)')
    await query('create table uses (code text references codes)')
    await query("insert into codes values ('a', 'A'); ".trim().replace(';', ''))
    await query("insert into uses values ('a')")
    class CodesController extends FwApiResource(FwApiController, {
      model: model(
        'codes',
        { code: ParamType.String, name: ParamType.String },
        { primaryKey: 'code' },
      ),
      resourcesName: 'codes',
      resourceName: 'code',
      createFormStrongParameters: { code: ParamType.String },
    }) {}
    const app = await serve([apiResource(CodesController)])
    const page = await app.put('/codes/a.json', { json: { code: 'b' } })
    expect([page.status, page.json()]).toEqual([400, { code: ['code is still used elsewhere'] }])
  })

  it('columns of another model’s write are reported as the sent fields', async () => {
    const plain = {
      idType: ParamType.Long,
      createWithPermittedAttributes: async (permitted: PermittedValues) => {
        const { companyId } = permitted as { companyId?: number }
        await query("insert into members (name, company_id) values ('x', $1)", [companyId])
        return 1
      },
    } as unknown as ResourceModel<object, number>
    class PlainController extends FwApiResource(FwApiController, { ...options, model: plain }) {}
    const app = await serve([apiResource(PlainController)])
    const page = await app.post('/members.json', { json: { companyId: 99 } })
    expect([page.status, page.json()]).toEqual([400, { companyId: ['companyId does not exist'] }])
  })

  it.each([
    ['a halt', 202, ['n'], ['Ann', 'Bob']],
    ['a fault', 500, [], ['Ann']],
  ])('%s inside a write keeps its meaning', async (_which, status, noted, kept) => {
    class HaltingController extends FwResource(WithTransaction, options) {
      override async doCreateAndReturnId(permitted: PermittedValues): Promise<number> {
        await query("insert into notes (name) values ('n')")
        await super.doCreateAndReturnId(permitted)
        if (status === 202) return this.halt(202)
        throw new Error('no')
      }
    }
    const app = await serve([resource(HaltingController)])
    expect((await app.post('/members.json', { json: { name: 'Bob' } })).status).toBe(status)
    expect([await column('select name from notes'), await names()]).toEqual([noted, kept])
  })
})
