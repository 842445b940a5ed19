/** Resources over tables: versions and their races, ids that are no numbers, records of a parent, pages of a list. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { MethodOverride } from '../../src/runtime/app.ts'
import { FwController, mix } from '../../src/runtime/controller.ts'
import { openDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { model, type RowOf } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { maxLength, paramKey, required } from '../../src/runtime/validation.ts'
import { eventually } from '../support/data-app.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

// The tables are in a database of this file's own, whatever server an application would take.
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const Company = model('companies', { id: ParamType.Long, name: ParamType.String })
const Member = model('members', {
  id: ParamType.Long,
  companyId: ParamType.optional(ParamType.Long),
  name: ParamType.String,
})
type Member = RowOf<typeof Member>
const Token = model('tokens', { id: ParamType.Uuid, name: ParamType.String })
const Code = model(
  'codes',
  { code: ParamType.String, name: ParamType.String },
  { primaryKey: 'code' },
)

class WithTransaction extends mix(FwController, TxPerRequestFilter) {}

const members = (Base: typeof FwController, requireIfMatch = false) => {
  class MembersController extends FwResource(Base, {
    model: Member,
    resourcesName: 'members',
    resourceName: 'member',
    createFormStrongParameters: { name: ParamType.String },
    requireIfMatch,
  }) {
    override createForm() {
      return this.validation(this.createParams(), paramKey('name').is(required, maxLength(20)))
    }
  }
  return resource(MembersController)
}

class CompanyMembersController extends FwResource(WithTransaction, {
  model: Member,
  resourcesName: 'members',
  resourceName: 'member',
  resourcesBasePathPrefix: '/companies/:companyId',
  parent: { model: Company, field: 'companyId' },
  createFormStrongParameters: { name: ParamType.String },
}) {}

const Desk = model('desks', {
  id: ParamType.Long,
  memberId: ParamType.Long,
  name: ParamType.String,
})
const desksOptions = {
  model: Desk,
  resourcesName: 'desks',
  resourceName: 'desk',
  resourcesBasePathPrefix: '/:place/companies/:companyId/members/:memberId',
  createFormStrongParameters: { name: ParamType.String },
} as const
const memberParent = { model: Member, field: 'memberId' } as const
const openCompany = {
  idType: ParamType.Long,
  findById: async (id: number) => {
    const company = await Company.findById(id)
    return company?.name === 'Closed' ? undefined : company
  },
}
const companyParent = { model: openCompany, field: 'companyId' } as const
class DesksController extends FwResource(WithTransaction, {
  ...desksOptions,
  parent: { ...memberParent, parent: companyParent },
}) {}

class TokensController extends FwResource(FwController, {
  model: Token,
  resourcesName: 'tokens',
  resourceName: 'token',
  createFormStrongParameters: { name: ParamType.String },
}) {}

class CodesController extends FwResource(FwController, {
  model: Code,
  resourcesName: 'codes',
  resourceName: 'code',
  createFormStrongParameters: { code: ParamType.String, name: ParamType.String },
  updateFormStrongParameters: { name: ParamType.String },
}) {}

describe.each(engines)('on $name', ({ name, open }) => {
  let engine: OpenEngine
  const sql = (text: string) => engine.database.query({ sql: text, parameters: [] })
  const names = async () =>
    (await sql('select name from members order by id')).rows.map((row) => row['name'])

  /** Locks the first member until what it gives is called, which waits for two others that want the row. */
  async function holdMember(): Promise<() => Promise<void>> {
    const other = await openDatabase(engine.settings)
    const ask = (text: string) => other.pool.query({ sql: text, parameters: [] })
    const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = other.transaction(async () => {
      await other.query({ sql: 'select 1 from members where id = 1 for update', parameters: [] })
      locked.resolve()
      await released.promise
    })
    await locked.promise
    const waiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return async () => {
      await eventually(async () => (await ask(waiting)).rows.length).toBe(2)
      released.resolve()
      await holding
      await other.close()
    }
  }

  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await sql('create table companies (id bigserial primary key, name text not null)')
    await sql(
      'create table members (id bigserial primary key, company_id bigint references companies, name text not null)',
    )
    await sql(
      'create table desks (id bigserial primary key, member_id bigint not null, name text not null)',
    )
    await sql(
      'create table tokens (id uuid primary key default gen_random_uuid(), name text not null)',
    )
    await sql('create table codes (code text primary key, name text not null)')
  })
  beforeEach(async () => {
    await sql('truncate companies, members, desks, tokens, codes restart identity')
    await sql("insert into companies (name) values ('One'), ('Two')")
    await sql("insert into members (company_id, name) values (1, 'Ann'), (2, 'Bob')")
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  describe('the version of a record', () => {
    it('is a strong tag of show, different in each format and after each change', async () => {
      const app = await serve([members(FwController)])
      const tagOf = async (path: string) => (await app.get(path)).headers.get('etag')!
      const tag = await tagOf('/members/1.json')
      expect(tag).toMatch(/^"[\w-]+"$/)
      expect(await tagOf('/members/1.json')).toBe(tag)
      expect(await tagOf('/members/1.xml')).not.toBe(tag)
      expect(await tagOf('/members/2.json')).not.toBe(tag)
      await app.put('/members/1.json', { json: { name: 'Cid' } })
      expect(await tagOf('/members/1.json')).not.toBe(tag)
    })

    it('If-None-Match of it is 304, for the record, the list and HEAD', async () => {
      const app = await serve([members(FwController)])
      for (const path of ['/members/1.json', '/members/1.xml', '/members.json', '/members.xml']) {
        const page = await app.get(path)
        expect(page.headers.get('cache-control')).toBe('private, no-cache')
        const headers = { 'if-none-match': `"other", ${page.headers.get('etag')}` }
        for (const method of ['GET', 'HEAD']) {
          const again = await app.request(method, path, { headers })
          expect([again.status, again.body, again.headers.get('etag')]).toEqual([
            304,
            '',
            page.headers.get('etag'),
          ])
        }
        await sql("insert into members (name) values ('New')")
        await sql("update members set name = name || '!'")
        expect((await app.get(path, { headers })).status).toBe(200)
      }
    })

    it('a list has another one when records come that its page does not show', async () => {
      const app = await serve([members(FwController)])
      const query = { size: 1 }
      const { headers } = await app.get('/members.json', { query })
      await sql("insert into members (name) values ('New')")
      const conditions = { 'if-none-match': headers.get('etag')! }
      const again = await app.get('/members.json', { query, headers: conditions })
      expect([again.status, again.headers.get('x-total-count')]).toEqual([200, '3'])
    })

    it.each([
      ['a transaction for the request', WithTransaction],
      ['none', FwController],
    ])('If-Match of it changes and deletes, with %s', async (_which, Base) => {
      const app = await serve([members(Base)])
      for (const format of ['json', 'xml'] as const) {
        const path = `/members/1.${format}`
        const tag = (await app.get(path)).headers.get('etag')!
        const form = { name: `By ${format}` }
        for (const wrong of ['"other"', `"x${tag.slice(1)}`, 'W/"other"', 'no tag']) {
          const page = await app.put(path, { form, headers: { 'if-match': wrong } })
          expect([page.status, page.body.includes('412')]).toEqual([412, true])
        }
        const none = { 'if-none-match': '*' }
        expect((await app.patch(path, { form, headers: none })).status).toBe(412)
        expect((await app.put(path, { form: {}, headers: { 'if-match': tag } })).status).toBe(400)
        const headers = { 'if-match': `"other", W/${tag}` }
        expect((await app.put(path, { form, headers })).status).toBe(200)
        expect((await app.put(path, { form, headers: { 'if-match': '*' } })).status).toBe(200)
        expect((await app.delete(path, { headers })).status).toBe(412)
      }
      expect(await names()).toEqual(['By xml', 'Bob'])
      const missing = await app.delete('/members/9.json', { headers: { 'if-match': '*' } })
      expect([missing.status, missing.json().status]).toEqual([404, 404])
      const tag = (await app.get('/members/1.json')).headers.get('etag')!
      // A page's own route knows the tags of all formats.
      const page = await app.delete('/members/1', { headers: { 'if-match': tag } })
      expect([page.status, await names()]).toEqual([303, ['Bob']])
    })

    it('of XML is the same after the record is sent back, line ends included', async () => {
      const app = await serve([members(FwController)])
      const name = 'a\r\nb\rc\n\t"\'<&>'
      expect((await app.put('/members/1.json', { json: { name } })).status).toBe(200)
      const { body, headers } = await app.get('/members/1.xml')
      const sent = { 'content-type': 'application/xml', 'if-match': headers.get('etag')! }
      expect((await app.put('/members/1.xml', { body, headers: sent })).status).toBe(200)
      expect(await names()).toEqual([name, 'Bob'])
      expect((await app.get('/members/1.xml')).headers.get('etag')).toBe(headers.get('etag'))
    })

    it.each([
      ['a transaction for the request', WithTransaction],
      ['none', FwController],
    ])('of two changes at once of one version one is made, with %s', async (_which, Base) => {
      const app = await serve([members(Base)])
      const tag = (await app.get('/members/1.json')).headers.get('etag')!
      const headers = { 'if-match': tag }
      // Both have begun before either can end, where there are connections for both.
      const free = name === 'postgres' ? await holdMember() : undefined
      const changes = ['A', 'B'].map((by) =>
        app.put('/members/1.json', { json: { name: by }, headers }),
      )
      await free?.()
      const statuses = (await Promise.all(changes)).map(({ status }) => status)
      expect(statuses).toContain(200)
      expect(statuses).toContain(412)
      expect((await names())[0]).toBe(['A', 'B'][statuses.indexOf(200)])
    })

    it.each([
      ['a transaction for the request', WithTransaction],
      ['none', FwController],
    ])('a halt keeps what was changed, a failure does not, with %s', async (_which, Base) => {
      class HaltingController extends FwResource(Base, {
        model: Member,
        resourcesName: 'members',
        resourceName: 'member',
        createFormStrongParameters: { name: ParamType.String },
      }) {
        override async doUpdate(id: number, permitted: PermittedValues) {
          await super.doUpdate(id, permitted)
          this.halt((permitted as { name?: unknown }).name === 'Cid' ? 202 : 503)
        }
      }
      const app = await serve([resource(HaltingController)])
      const headers = { 'if-match': '*' }
      for (const [name, status] of [
        ['Cid', 202],
        ['Dan', 503],
      ] as const) {
        const page = await app.put('/members/1.json', { json: { name }, headers })
        expect([page.status, (await names())[0]]).toEqual([status, 'Cid'])
      }
    })

    it('must be named where the resource demands it: 428, but not of pages', async () => {
      const app = await serve([members(FwController, true), new MethodOverride()])
      const json = { name: 'Cid' }
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const page = await app.request(method, '/members/1.json', { json })
        expect([page.status, page.json().code]).toEqual([428, 'resource.version-missing'])
      }
      // Without a suffix too, and without a word of what the answer should be.
      expect((await app.put('/members/1', { json })).status).toBe(428)
      const xml = { body: '<m><name>Cid</name></m>', headers: { 'content-type': 'text/xml' } }
      expect((await app.patch('/members/1', xml)).status).toBe(428)
      expect((await app.delete('/members/1.json')).status).toBe(428)
      // No form sends these, whatever they hold and whatever they accept.
      for (const accept of ['*/*', 'text/html', undefined]) {
        const headers = accept === undefined ? {} : { accept }
        for (const method of ['PUT', 'PATCH'])
          expect((await app.request(method, '/members/1', { form: json, headers })).status).toBe(
            428,
          )
        expect((await app.delete('/members/1', { headers })).status).toBe(428)
      }
      const any = { 'if-match': ' * ' }
      for (const path of ['/members/1', '/members/1.json'])
        expect((await app.delete(path, { headers: any })).status).toBe(428)
      expect(await names()).toEqual(['Ann', 'Bob'])
      const tag = (await app.get('/members/1.json')).headers.get('etag')!
      const headers = { 'if-match': tag }
      expect((await app.put('/members/1.json', { json, headers })).status).toBe(200)
      expect((await app.post('/members/2', { form: json })).status).toBe(302)
      expect((await app.post('/members/2?_method=PUT', { form: json })).status).toBe(303)
      expect((await app.post('/members/2?_method=DELETE')).status).toBe(303)
      expect((await app.post('/members.json', { json })).status).toBe(201)
    })
  })

  describe('a list', () => {
    it('sets the number of records and the links to the other pages, with the query', async () => {
      const app = await serve([members(FwController)], { configuration: { contextPath: '/app' } })
      await sql("insert into members (name) select 'm' from generate_series(3, 7)")
      const page = await app.get('/app/members.json?size=3&page=2&q=%3E')
      const at = (number: number) => `</app/members.json?size=3&page=${number}&q=%3E>`
      expect([page.headers.get('x-total-count'), page.json().length]).toEqual(['7', 3])
      expect(page.headers.get('link')).toBe(
        `${at(1)}; rel="first", ${at(3)}; rel="last", ${at(1)}; rel="prev", ${at(3)}; rel="next"`,
      )
      const accept = { accept: 'application/json' }
      const bare = await app.get('/app/members', { headers: accept })
      expect([bare.headers.get('link'), bare.headers.get('vary')]).toEqual([
        '</app/members?page=1>; rel="first", </app/members?page=1>; rel="last"',
        expect.stringContaining('Accept'),
      ])
      const past = await app.get('/app/members.xml?page=9')
      expect(past.headers.get('link')).toContain('page=1>; rel="prev"')
      expect(past.headers.get('link')).not.toContain('next')
      await sql('truncate members')
      expect((await app.get('/app/members.json')).headers.get('link')).toBeNull()
    })
  })

  describe('ids', () => {
    it('are UUIDs in every action; another text is 404 without a query', async () => {
      const app = await serve([resource(TokensController)])
      const made = await app.post('/tokens.json', { json: { name: 'a' } })
      expect(made.location).toMatch(/^\/tokens\/[\da-f]{8}-[\da-f-]{27}\.json$/)
      const path = made.location!.replace('.json', '')
      expect((await app.get(`${path.toUpperCase().replace('TOKENS', 'tokens')}.xml`)).status).toBe(
        200,
      )
      expect((await app.get(`${path}.json`)).json().name).toBe('a')
      expect((await app.post(path, { form: { name: 'b' } })).location).toBe(path)
      const { headers } = await app.get(`${path}.json`)
      const version = { 'if-match': headers.get('etag')! }
      expect(
        (await app.patch(`${path}.json`, { json: { name: 'c' }, headers: version })).status,
      ).toBe(200)
      expect((await app.get('/tokens.json')).json()).toMatchObject([{ name: 'c' }])
      for (const id of ['1', 'x', path.slice(8, -1), `${path.slice(8)}%00`])
        for (const method of ['GET', 'DELETE'])
          expect([400, 404]).toContain((await app.request(method, `/tokens/${id}.json`)).status)
      expect((await app.delete(path)).location).toBe('/tokens')
      expect((await app.get(`${path}.json`)).status).toBe(404)
    })

    it('are texts through every action, dots and all', async () => {
      const app = await serve([resource(CodesController)])
      const accept = { accept: 'application/json' }
      for (const code of ['plain', 'A/B', 'a.b', 'v1.html', 'ü?&#% ', '..x', 'json', 'a.xml.b']) {
        const made = await app.post('/codes.json', { json: { code, name: 'a' } })
        const path = `/codes/${encodeURIComponent(code)}`
        expect([made.status, made.location]).toEqual([201, `${path}.json`])
        expect((await app.get(`${path}.json`)).json()).toEqual({ code, name: 'a' })
        expect((await app.get(path, { headers: accept })).json()).toEqual({ code, name: 'a' })
        expect((await app.put(`${path}.xml`, { form: { name: 'c' } })).status).toBe(200)
        expect((await app.get(`${path}.xml`)).body).toContain('<name>c</name>')
        const page = await app.post(path, { form: { code: 'other', name: 'd' } })
        expect(page.location).toBe(path)
        expect((await app.get('/codes.json')).json()).toEqual([{ code, name: 'd' }])
        expect((await app.delete(path)).status).toBe(303)
        expect((await app.delete(`${path}.json`)).status).toBe(404)
      }
    })
  })

  describe('a resource inside another one', () => {
    const site = () => serve([resource(CompanyMembersController)])

    it('lists and counts the records of its parent alone', async () => {
      const app = await site()
      const page = await app.get('/companies/1/members.json')
      expect([page.headers.get('x-total-count'), page.json()]).toEqual([
        '1',
        [{ id: 1, company_id: 1, name: 'Ann' }],
      ])
    })

    it('a record of another parent, and everything of a parent that is not there, is 404', async () => {
      const app = await site()
      const form = { name: 'No' }
      for (const base of ['/companies/2/members', '/companies/9/members', '/companies/x/members']) {
        for (const suffix of ['', '.json', '.xml']) {
          expect((await app.get(`${base}/1${suffix}`)).status).toBe(404)
          for (const method of ['POST', 'PUT', 'PATCH'])
            expect((await app.request(method, `${base}/1${suffix}`, { form })).status).toBe(404)
          const headers = { 'if-match': '*' }
          expect((await app.delete(`${base}/1${suffix}`, { headers })).status).toBe(404)
          expect((await app.delete(`${base}/1${suffix}`)).status).toBe(404)
        }
        expect((await app.get(`${base}/1/edit`)).status).toBe(404)
        if (base.includes('/2/')) continue
        for (const path of ['', '.json', '/new'])
          expect((await app.get(`${base}${path}`)).status).toBe(404)
        expect((await app.post(`${base}.json`, { form })).status).toBe(404)
      }
      expect(await names()).toEqual(['Ann', 'Bob'])
    })

    it('a created record belongs to the parent, even if the body names another one', async () => {
      const app = await site()
      for (const json of [
        { name: 'Cid', companyId: 1 },
        { name: 'Cid', company_id: 1 },
      ]) {
        const made = await app.post('/companies/2/members.json', { json })
        expect(made.location).toMatch(/^\/companies\/2\/members\/\d+\.json$/)
        expect((await app.get(made.location!)).json().company_id).toBe(2)
        expect((await app.put(made.location!, { json })).status).toBe(200)
        expect((await app.patch(made.location!, { json })).status).toBe(200)
        expect((await app.get(made.location!)).json().company_id).toBe(2)
      }
      const page = await app.post('/companies/2/members', { form: { name: 'Dan' } })
      expect(page.location).toBe('/companies/2/members/5')
      expect((await app.delete('/companies/2/members/5')).location).toBe('/companies/2/members')
    })

    it('of several parents each must be the next one’s, and be there', async () => {
      const app = await serve([resource(DesksController)])
      await sql("insert into desks (member_id, name) values (1, 'Left'), (2, 'Right')")
      await sql("insert into members (company_id, name) values (null, 'Cid')")
      const form = { name: 'New' }
      const at = (company: number | string, member: number) =>
        `/here/companies/${company}/members/${member}/desks`
      expect((await app.get(`${at(1, 1)}.json`)).json()).toEqual([
        { id: 1, member_id: 1, name: 'Left' },
      ])
      expect((await app.put(`${at(1, 1)}/1.json`, { form })).status).toBe(200)
      const made = await app.post(`${at(2, 2)}.json`, { form })
      expect([made.status, made.location]).toEqual([201, `${at(2, 2)}/3.json`])
      for (const base of [
        at(2, 1),
        at(9, 1),
        at('x', 1),
        at('', 1),
        at(1, 3),
        at(1, 9),
        at('null', 3),
      ]) {
        expect((await app.get(`${base}.json`)).status).toBe(404)
        expect((await app.post(`${base}.json`, { form })).status).toBe(404)
        for (const method of ['PUT', 'PATCH', 'DELETE'])
          expect((await app.request(method, `${base}/1.json`, { form })).status).toBe(404)
        for (const page of ['', '/new', '/1.json', '/1', '/1/edit'])
          expect((await app.get(`${base}${page}`)).status).toBe(404)
      }
      // A company that the model finds no more hides what is below it, though the members still name it.
      await sql("update companies set name = 'Closed' where id = 1")
      expect((await app.get(`${at(1, 1)}.json`)).status).toBe(404)
      expect((await app.get(`${at(2, 2)}.json`)).status).toBe(200)
    })

    it.each([
      [{ ...memberParent, parent: { ...companyParent, field: 'firm' } }, /no field 'firm'/],
      [
        {
          ...memberParent,
          parent: { ...companyParent, parent: { ...companyParent, parent: companyParent } },
        },
        /each parent needs a parameter/,
      ],
    ])('impossible parents stop the start', (parent, message) => {
      expect(() => FwResource(WithTransaction, { ...desksOptions, parent })).toThrow(message)
    })

    it('has pages that find the parent', async () => {
      const folder = 'src/main/webapp/WEB-INF/views/companies/members'
      const view = '<%@val parent: { name: string } %><h1>${parent.name}</h1>'
      const files = Object.fromEntries(
        ['index', 'show', 'new', 'edit'].map((name) => [`${folder}/${name}.html.ssp`, view]),
      )
      const app = await serve([resource(CompanyMembersController)], { files })
      for (const path of ['', '/', '/new', '/1', '/1/edit'])
        expect((await app.get(`/companies/1/members${path}`)).html('h1')).toBe('One')
      const refused = await app.post('/companies/1/members', { form: {} })
      expect(refused.status).toBe(400)
    })
  })
})
