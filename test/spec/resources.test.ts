/** Default FwResource routes of the specification, decision 18, over a hand-written model. */
import { describe, expect, it } from 'vitest'
import { Temporal } from '../../src/runtime/base.ts'
import { FwController, mix } from '../../src/runtime/controller.ts'
import { JsonParamsFeature } from '../../src/runtime/feature.ts'
import type { ResourceModel } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import { apiResource, FwResource, resource } from '../../src/runtime/resource.ts'
import { dateFormat, maxLength, paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

interface Person {
  readonly id: number
  readonly name: string
  readonly birthday: Temporal.PlainDate
}

/** Fulfils the contract without our model room: a list in memory. */
class People implements ResourceModel<Person, number> {
  rows: Person[] = []
  readonly idType = ParamType.Long
  idOf = ({ id }: Person) => id
  findAll = async () => this.rows
  findPage = async ({ page, size }: { page: number; size: number }) =>
    this.rows.slice((page - 1) * size, page * size)
  count = async () => this.rows.length
  findById = async (id: number) => this.rows.find((row) => row.id === id)
  async createWithPermittedAttributes(permitted: PermittedValues): Promise<number> {
    const id = this.rows.length + 1
    this.rows.push({ id, ...(permitted as unknown as Omit<Person, 'id'>) })
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

function members() {
  const model = new People()
  model.rows = [{ id: 1, name: 'Ann', birthday: Temporal.PlainDate.from('2000-01-02') }]
  class MembersController extends FwResource(FwController, {
    model,
    resourcesName: 'members',
    resourceName: 'member',
    createFormStrongParameters: { name: ParamType.String, birthday: ParamType.LocalDate },
  }) {
    override createParams() {
      return this.params.withDate('birthday')
    }
    override createForm() {
      return this.validation(
        this.createParams(),
        paramKey('name').is(required, maxLength(512)),
        paramKey('birthday').is(required, dateFormat),
      )
    }
  }
  return { model, MembersController }
}

const views = Object.fromEntries(
  ['index', 'show', 'new', 'edit'].map((name) => [
    `src/main/webapp/WEB-INF/views/members/${name}.html.ssp`,
    `<h1>${name}</h1><p>\${s.flash.get('notice')}</p>` +
      '#for (message of s.errorMessages)<small>${message}</small>#end<input name="name" value="${s.params.get(\'name\')}">',
  ]),
)

async function site() {
  const { model, MembersController } = members()
  const object = resource(MembersController)
  const app = await serve([object], { files: views })
  return { app, model, object }
}
const valid = { name: 'Bob', birthday: '2001-02-03' }
const invalid = { name: '', birthday: 'x' }

describe('pages of the default routes', () => {
  for (const [path, heading] of [
    ['/members', 'index'],
    ['/members/', 'index'],
    ['/members/new', 'new'],
    ['/members/1', 'show'],
    ['/members/1/edit', 'edit'],
  ] as const) {
    it(`GET ${path} renders ${heading}`, async () => {
      const page = await (await site()).app.get(path)
      expect([page.status, page.html('h1')]).toEqual([200, heading])
    })
  }

  it('edit shows the values of the record', async () => {
    const page = await (await site()).app.get('/members/1/edit')
    expect(page.attribute('input', 'value')).toBe('Ann')
  })

  for (const path of ['/members', '/members/']) {
    it(`POST ${path} creates, redirects with 302 and leaves a notice`, async () => {
      const { app, model } = await site()
      const visitor = app.visitor()
      const page = await visitor.post(path, { form: valid })
      expect([page.status, page.location]).toEqual([302, '/members/2'])
      expect(model.rows[1]).toMatchObject({ id: 2, name: 'Bob' })
      expect((await visitor.get('/members/2')).html('p')).toBe('The member was created.')
    })
  }

  it('POST with invalid fields renders the new view again with 400', async () => {
    const page = await (await site()).app.post('/members', { form: invalid })
    expect([page.status, page.html('h1')]).toEqual([400, 'new'])
    expect(page.all('small')).toEqual(['name is required', 'birthday must be a date value'])
  })

  // After a 302 to PUT or PATCH, `fetch` would repeat the write.
  for (const [method, status] of [
    ['POST', 302],
    ['PUT', 303],
    ['PATCH', 303],
  ] as const) {
    it(`${method} /members/1 updates and redirects with ${status}`, async () => {
      const { app, model } = await site()
      const page = await app.request(method, '/members/1', { form: valid })
      expect([page.status, page.location]).toEqual([status, '/members/1'])
      expect(model.rows[0]).toMatchObject({ id: 1, name: 'Bob' })
    })
  }

  it('PATCH validates and writes only the sent fields; a sent empty required key is an error', async () => {
    const { app, model } = await site()
    expect((await app.patch('/members/1', { form: { name: 'Cid' } })).status).toBe(303)
    expect(String(model.rows[0]?.birthday)).toBe('2000-01-02')
    expect((await app.patch('/members/1', { form: { name: '' } })).status).toBe(400)
    expect((await app.put('/members/1', { form: { name: 'Cid' } })).status).toBe(400)
  })

  it('DELETE /members/1 redirects with 303 to the index with a notice', async () => {
    const { app, model } = await site()
    const visitor = app.visitor()
    const page = await visitor.delete('/members/1')
    expect([page.status, page.location]).toEqual([303, '/members'])
    expect(model.rows).toEqual([])
    expect((await visitor.get('/members')).html('p')).toBe('The member was deleted.')
  })

  for (const path of [
    '/members/9',
    '/members/x',
    '/members/9/edit',
    '/members/99999999999999999999',
  ]) {
    it(`GET ${path} is 404`, async () => {
      expect((await (await site()).app.get(path)).status).toBe(404)
    })
  }
})

const bodies = {
  json: {
    list: '[{"id":1,"name":"Ann","birthday":"2000-01-02"}]',
    one: '{"id":1,"name":"Ann","birthday":"2000-01-02"}',
    errors: '{"name":["name is required"],"birthday":["birthday must be a date value"]}',
    missing: '"status":404',
  },
  xml: {
    list: '<?xml version="1.0" encoding="utf-8"?><members><member><id>1</id><name>Ann</name><birthday>2000-01-02</birthday></member></members>',
    one: '<?xml version="1.0" encoding="utf-8"?><members><id>1</id><name>Ann</name><birthday>2000-01-02</birthday></members>',
    errors:
      '<?xml version="1.0" encoding="utf-8"?><members><name>name is required</name><birthday>birthday must be a date value</birthday></members>',
    missing: '<status>404</status>',
  },
} as const

describe.each(['json', 'xml'] as const)('the suffix .%s', (format) => {
  const type = `application/${format}; charset=utf-8`

  it('GET returns the list and the record', async () => {
    const { app } = await site()
    const list = await app.get(`/members.${format}`)
    expect([
      list.status,
      list.headers.get('content-type'),
      list.headers.get('x-total-count'),
      list.body,
    ]).toEqual([200, type, '1', bodies[format].list])
    expect((await app.get(`/members/1.${format}`)).body).toBe(bodies[format].one)
  })

  it('POST responds 201 with Location, the record and its version', async () => {
    const { app } = await site()
    const page = await app.post(`/members.${format}`, { form: valid })
    expect([page.status, page.location]).toEqual([201, `/members/2.${format}`])
    const shown = await app.get(`/members/2.${format}`)
    expect([page.body, page.headers.get('content-type')]).toEqual([shown.body, type])
    expect(page.headers.get('etag')).toBe(shown.headers.get('etag'))
  })

  for (const method of ['POST', 'PUT', 'PATCH'] as const) {
    it(`${method} updates with 200 and the record`, async () => {
      const { app, model } = await site()
      const page = await app.request(method, `/members/1.${format}`, { form: valid })
      expect([page.status, model.rows[0]?.name]).toEqual([200, 'Bob'])
      const shown = await app.get(`/members/1.${format}`)
      expect([page.body, page.headers.get('content-type')]).toEqual([shown.body, type])
      // RFC 9110 9.3.4: no version for PUT, because the stored record differs from the request's body.
      const tag = method === 'PUT' ? null : shown.headers.get('etag')
      expect(page.headers.get('etag')).toBe(tag)
    })
  }

  it('DELETE responds 204 without a body and a type', async () => {
    const { app, model } = await site()
    const page = await app.delete(`/members/1.${format}`)
    expect([page.status, page.body, model.rows.length]).toEqual([204, '', 0])
    expect(page.headers.get('content-type')).toBeNull()
  })

  it('invalid fields answer 400 with every failing key', async () => {
    const { app } = await site()
    for (const page of [
      await app.post(`/members.${format}`, { form: invalid }),
      await app.put(`/members/1.${format}`, { form: invalid }),
    ]) {
      expect([page.status, page.headers.get('content-type'), page.body]).toEqual([
        400,
        type,
        bodies[format].errors,
      ])
    }
  })

  it('a missing record is 404 in the format, on every route', async () => {
    const { app } = await site()
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const id of ['9', 'abc']) {
        const page = await app.request(
          method,
          `/members/${id}.${format}`,
          method === 'GET' || method === 'DELETE' ? {} : { form: valid },
        )
        expect([page.status, page.body.includes(bodies[format].missing)]).toEqual([404, true])
      }
    }
  })
})

it('an unknown suffix is 404, .html too', async () => {
  const { app } = await site()
  for (const path of ['/members.html', '/members.csv', '/members/1.html'])
    expect((await app.get(path)).status).toBe(404)
  expect((await app.post('/members.html', { form: valid })).status).toBe(404)
})

it('pages: size and number from the query, nonsense counts as absent', async () => {
  const { app, model } = await site()
  for (let id = 2; id <= 30; id++) model.rows.push({ ...model.rows[0]!, id })
  const ids = async (query: string) =>
    (await app.get(`/members.json${query}`)).json().map((row: Person) => row.id)
  expect(await ids('')).toHaveLength(20)
  expect(await ids('?page=2')).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30])
  expect(await ids('?page=3&size=2')).toEqual([5, 6])
  expect(await ids('?page=x&size=-1')).toHaveLength(20)
})

it('apiResource has only the routes with a suffix of a resource with pages', async () => {
  const { MembersController } = members()
  const app = await serve([apiResource(MembersController)])
  expect([
    (await app.get('/members.json')).status,
    (await app.get('/members')).status,
    (await app.get('/members/new')).status,
  ]).toEqual([200, 404, 404])
})

it('routes are typed by the name of the resource', async () => {
  const { object } = await site()
  expect(object.showUrl.pattern).toBe('/members/:id')
  const pattern: '/members/:id' = object.showUrl.pattern
  expect(pattern).toBe(object.updateUrl.pattern)
})

it('a prefix comes before the path and the views, and is part of the type of the routes', async () => {
  class MembersController extends FwResource(FwController, {
    model: members().model,
    resourcesName: 'members',
    resourceName: 'member',
    resourcesBasePathPrefix: '/admin',
    createFormStrongParameters: { name: ParamType.String },
  }) {}
  const object = resource(MembersController)
  const pattern: '/admin/members/:id' = object.showUrl.pattern
  expect(pattern).toBe('/admin/members/:id')
  const folder = 'src/main/webapp/WEB-INF/views/admin/members'
  const app = await serve([object], { files: { [`${folder}/index.html.ssp`]: '<h1>Admins</h1>' } })
  expect((await app.get('/admin/members')).html('h1')).toBe('Admins')
  const created = await app.post('/admin/members.json', { form: valid })
  expect(created.location).toMatch(/^\/admin\/members\/\d+\.json$/)
})

it('only and except choose routes by their names, for the compiler too', async () => {
  const { MembersController } = members()
  const readOnly = resource(MembersController, { only: ['index', 'indexApi', 'show'] })
  const app = await serve([readOnly], { files: views })
  expect([
    (await app.get('/members/1')).status,
    (await app.get('/members.json')).status,
    (await app.get('/members/1.json')).status,
    (await app.post('/members', { form: valid })).status,
  ]).toEqual([200, 200, 404, 405])
  // @ts-expect-error: the route is not among them
  expect(readOnly.createUrl).toBeUndefined()
  const kept = resource(members().MembersController, { except: ['destroy', 'destroyApi'] })
  expect(kept.updateUrl.pattern).toBe('/members/:id')
  // @ts-expect-error: nor is this one
  expect(kept.destroyUrl).toBeUndefined()
  // @ts-expect-error: no route has that name
  expect(() => resource(MembersController, { only: ['shw'] })).toThrow(
    /the route 'shw', which the resource does not have/,
  )
})

it('a resource inside another one: its paths hold the id of that one', async () => {
  class ChildrenController extends FwResource(FwController, {
    model: members().model,
    resourcesName: 'members',
    resourceName: 'member',
    resourcesBasePathPrefix: '/companies/:companyId',
    createFormStrongParameters: { name: ParamType.String, birthday: ParamType.LocalDate },
  }) {
    override async findResources() {
      const id = this.params.getAsOrElse('companyId', ParamType.Long, 0)
      return [{ id, name: 'Ann', birthday: Temporal.PlainDate.from('2000-01-02') }]
    }
  }
  const children = resource(ChildrenController)
  const pattern: '/companies/:companyId/members/:id' = children.showUrl.pattern
  const folder = 'src/main/webapp/WEB-INF/views/companies/members'
  const app = await serve([children], { files: { [`${folder}/new.html.ssp`]: '<h1>New</h1>' } })
  expect((await app.get('/companies/7/members.json')).json()[0].id).toBe(7)
  expect((await app.get('/companies/7/members/new')).html('h1')).toBe('New')
  const created = await app.post('/companies/a%2Fb/members', { form: valid })
  expect([created.status, created.location]).toEqual([302, '/companies/a%2Fb/members/2'])
  expect(pattern).toBe('/companies/:companyId/members/:id')
})

it('text ids stay one segment of the path; a value that does not convert is 404', async () => {
  const Code = ParamType.of('Code', (text) => (/^[A-Z/ ]+$/.test(text) ? text : undefined))
  const model = { ...members().model, idType: Code } as unknown as ResourceModel<Person, string>
  const found: string[] = []
  class CodesController extends FwResource(FwController, {
    model,
    resourcesName: 'codes',
    resourceName: 'code',
    createFormStrongParameters: { name: ParamType.String },
  }) {
    override async findResource(id: string) {
      found.push(id)
      return undefined
    }
    override async doCreateAndReturnId() {
      return 'A/B C'
    }
  }
  const app = await serve([resource(CodesController)])
  const page = await app.post('/codes.json', { form: { name: 'x' } })
  expect(page.location).toBe('/codes/A%2FB%20C.json')
  for (const path of ['/codes/A%2FB%20C.json', '/codes/abc.json'])
    expect((await app.get(path)).status).toBe(404)
  // The response to the creation reads the record, too.
  expect(found).toEqual(['A/B C', 'A/B C'])
})

it('fields come in snake case as they are answered, or in their own', async () => {
  const seen: unknown[] = []
  class NotesController extends FwResource(mix(FwController, JsonParamsFeature), {
    model: members().model,
    resourcesName: 'notes',
    resourceName: 'note',
    createFormStrongParameters: { companyId: ParamType.Long },
  }) {
    override createForm() {
      return this.validation(this.createParams(), paramKey('companyId').is(required))
    }
    override async doCreateAndReturnId(permitted: PermittedValues) {
      seen.push({ ...permitted })
      return 1
    }
  }
  const app = await serve([resource(NotesController)])
  for (const json of [{ company_id: 7 }, { companyId: 8 }, { company_id: 7, companyId: 9 }])
    expect((await app.post('/notes.json', { json })).status).toBe(201)
  expect(seen).toEqual([{ companyId: 7 }, { companyId: 8 }, { companyId: 9 }])
  expect((await app.post('/notes.json', { json: {} })).status).toBe(400)
})

it('invalid options stop the start', () => {
  const model = new People()
  const options = {
    model,
    resourceName: 'x',
    createFormStrongParameters: { name: ParamType.String },
  }
  expect(() => FwResource(FwController, { ...options, resourcesName: 'a/b' })).toThrow(
    /resourcesName is a part of paths/,
  )
  expect(() =>
    FwResource(FwController, { ...options, resourcesName: 'a', createFormStrongParameters: {} }),
  ).toThrow(/strong parameters are empty/)
})

describe('hooks are members: an override counts (decision 35)', () => {
  const base = () =>
    FwResource(mix(FwController, JsonParamsFeature), {
      model: new People(),
      resourcesName: 'members',
      resourceName: 'member',
      createFormStrongParameters: { name: ParamType.String, birthday: ParamType.LocalDate },
    })
  const json = { name: 'Ann', birthday: '2000-01-02' }

  it('updateFormStrongParameters, without the fields of creation', async () => {
    class MembersController extends base() {
      override updateFormStrongParameters = { name: ParamType.String }
    }
    const app = await serve([resource(MembersController)])
    expect((await app.post('/members.json', { json })).status).toBe(201)
    const changed = await app.put('/members/1.json', {
      json: { name: 'Bob', birthday: '1999-09-09' },
    })
    expect(changed.status).toBe(200)
    expect((await app.get('/members/1.json')).json()).toEqual({
      id: 1,
      name: 'Bob',
      birthday: '2000-01-02',
    })
  })

  it('createFormStrongParameters, which those of the update follow', async () => {
    class MembersController extends base() {
      override createFormStrongParameters = { name: ParamType.String } as never
    }
    const app = await serve([resource(MembersController)])
    expect((await app.post('/members.json', { json })).status).toBe(201)
    expect((await app.get('/members/1.json')).json()).toEqual({ id: 1, name: 'Ann' })
    await app.put('/members/1.json', { json: { name: 'Bob', birthday: '1999-09-09' } })
    expect((await app.get('/members/1.json')).json()).toEqual({ id: 1, name: 'Bob' })
  })

  it('createParams and updateParams: the values that are validated and written', async () => {
    class MembersController extends base() {
      override createParams() {
        return this.params.withDate('birthday').with('name', 'created')
      }
      override updateParams() {
        return this.params.withDate('birthday').with('name', 'updated')
      }
      override createForm() {
        return this.validation(this.createParams(), paramKey('name').is(required))
      }
    }
    const app = await serve([resource(MembersController)])
    const parts = { birthdayYear: '2000', birthdayMonth: '1', birthdayDay: '2' }
    expect((await app.post('/members.json', { form: parts })).status).toBe(201)
    const row = { id: 1, name: 'created', birthday: '2000-01-02' }
    expect((await app.get('/members/1.json')).json()).toEqual(row)
    const changed = await app.put('/members/1.json', { form: { ...parts, birthdayDay: '3' } })
    expect(changed.status).toBe(200)
    expect((await app.get('/members/1.json')).json()).toEqual({
      id: 1,
      name: 'updated',
      birthday: '2000-01-03',
    })
  })

  it('model, pageSize, requireIfMatch, and a getter', async () => {
    const other = new People()
    other.rows = [1, 2, 3].map((id) => ({
      id,
      name: `number ${id}`,
      birthday: Temporal.PlainDate.from('2000-01-02'),
    }))
    class MembersController extends base() {
      override model = other
      override get pageSize() {
        return 2
      }
      override requireIfMatch = true
    }
    const app = await serve([resource(MembersController)])
    expect((await app.get('/members.json')).json()).toHaveLength(2)
    expect((await app.put('/members/1.json', { json: { name: 'x' } })).status).toBe(428)
  })

  it('itemsName, itemName, resourceName and messageResourceName', async () => {
    class MembersController extends base() {
      override itemsName = 'people'
      override itemName = 'person'
      override resourceName = 'person'
    }
    const files = {
      'src/main/webapp/WEB-INF/views/members/index.html.ssp':
        '<%@val people: readonly unknown[] %><p>${people.length}</p>',
      'src/main/webapp/WEB-INF/views/members/show.html.ssp':
        "<%@val person: { name: string } %><p>${person.name}, ${s.flash.get('notice')}</p>",
    }
    const app = await serve([resource(MembersController)], { files })
    const visitor = app.visitor()
    expect((await visitor.get('/members')).html('p')).toBe('0')
    await visitor.post('/members', { form: json })
    expect((await visitor.get('/members/1')).html('p')).toBe('Ann, The person was created.')
  })
})
