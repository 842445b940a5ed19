/** The forms of a resource: for programs alone, as a servlet, its actions and its routes apart. */
import { describe, expect, it } from 'vitest'
import {
  FwApiController,
  FwController,
  FwServlet,
  routes,
  type ControllerClass,
} from '../../src/runtime/controller.ts'
import { parseXml } from '../../src/runtime/http.ts'
import type { ResourceModel } from '../../src/runtime/model.ts'
import { ParamType, type PermittedValues } from '../../src/runtime/params.ts'
import {
  apiResource,
  FwApiResource,
  FwApiResourceRoutes,
  FwApiResourceServlet,
  FwResource,
  FwResourceActions,
  FwResourceRoutes,
  FwResourceServlet,
  resource,
} from '../../src/runtime/resource.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

interface Task {
  readonly id: number
  readonly text: string
}

function tasks() {
  const rows: Task[] = [{ id: 1, text: 'Read' }]
  const model: ResourceModel<Task, number> = {
    idType: ParamType.Long,
    idOf: ({ id }) => id,
    findAll: async () => rows,
    findPage: async ({ page, size }) => rows.slice((page - 1) * size, page * size),
    count: async () => rows.length,
    findById: async (id) => rows.find((row) => row.id === id),
    createWithPermittedAttributes: async (permitted) =>
      rows.push({ id: rows.length + 1, ...(permitted as unknown as { text: string }) }),
    updateById: (id) => ({
      withPermittedAttributes: async (permitted) => {
        const at = rows.findIndex((row) => row.id === id)
        rows[at] = { ...rows[at]!, ...permitted }
        return 1
      },
    }),
    deleteById: async (id) =>
      rows.splice(
        rows.findIndex((row) => row.id === id),
        1,
      ).length,
  }
  return {
    rows,
    options: {
      model,
      resourcesName: 'tasks',
      resourceName: 'task',
      createFormStrongParameters: { text: ParamType.String },
    } as const,
  }
}

describe('FwApiResource', () => {
  function site() {
    const { rows, options } = tasks()
    class TasksController extends FwApiResource(FwApiController, options) {
      override createForm() {
        return this.validation(this.createParams(), paramKey('text').is(required))
      }
    }
    return { rows, TasksController }
  }

  it('has no pages, flash or session', async () => {
    const { rows, TasksController } = site()
    const app = await serve([apiResource(TasksController)])
    expect((await app.get('/tasks.json')).body).toBe('[{"id":1,"text":"Read"}]')
    const made = await app.post('/tasks.json', { json: { text: 'Write' } })
    expect([made.status, made.location]).toEqual([201, '/tasks/2.json'])
    for (const method of ['POST', 'PUT', 'PATCH'])
      expect((await app.request(method, '/tasks/2.xml', { json: { text: method } })).status).toBe(
        200,
      )
    expect(rows[1]).toEqual({ id: 2, text: 'PATCH' })
    const wrong = await app.put('/tasks/2.json', { json: { text: '' } })
    expect([wrong.status, wrong.body]).toEqual([400, '{"text":["text is required"]}'])
    const gone = await app.delete('/tasks/2.json')
    expect([gone.status, gone.body, gone.headers.get('set-cookie')]).toEqual([204, '', null])
    const missing = await app.get('/tasks/2.json')
    expect([missing.status, missing.json()]).toMatchObject([
      404,
      { status: 404, message: 'Not Found' },
    ])
    expect((await app.get('/tasks/2.xml')).body).toContain('<status>404</status>')
    for (const path of ['/tasks/new', '/tasks/1/edit', '/tasks/1.csv'])
      expect((await app.get(path)).status).toBe(404)
  })

  it('the value of a field named format comes from the body, not from the suffix', async () => {
    const { rows, options } = tasks()
    const createFormStrongParameters = {
      text: ParamType.String,
      format: ParamType.optional(ParamType.String),
    }
    class TasksController extends FwApiResource(FwApiController, {
      ...options,
      createFormStrongParameters,
    }) {}
    const app = await serve([apiResource(TasksController)])
    await app.post('/tasks.json', { json: { text: 'a', format: 'A4' } })
    await app.post('/tasks.xml', { form: { text: 'b', format: 'A5' } })
    expect(rows.slice(1)).toMatchObject([{ format: 'A4' }, { format: 'A5' }])
    await app.patch('/tasks/2.json', { json: { text: 'c' } })
    expect(rows[1]).toEqual({ id: 2, text: 'c', format: 'A4' })
  })

  it('XML: any key of a stored value becomes a valid name', async () => {
    const { rows, TasksController } = site()
    const data = { 'x/></data><role>admin</role><data><!--': 1, '7 a': { 'b c=""': '<' } }
    rows[0] = { ...rows[0]!, data } as never
    const app = await serve([apiResource(TasksController)])
    const { body } = await app.get('/tasks/1.xml')
    expect(body).not.toMatch(/<role>|<!--|c=/)
    expect(body).toMatch(/<_7_a><b_c___>&lt;<\/b_c___><\/_7_a><\/data><\/tasks>$/)
    const parsed = await parseXml(body)
    expect(parsed).toMatchObject({ id: '1', text: 'Read' })
    const list = (await app.get('/tasks.xml')).body
    expect(await parseXml(list)).toEqual({ task: parsed })
  })

  it('responds to own routes without a suffix in JSON, or by Accept, never with a page', async () => {
    const { TasksController } = site()
    const object = routes(TasksController, (r) => ({
      ...FwApiResourceRoutes(r, TasksController, { only: ['showApi'] }),
      plainUrl: r.get('/tasks/:id', 'showResource').as('plain'),
    }))
    const app = await serve([object])
    const typeFor = async (accept?: string) => {
      const page = await app.get('/tasks/1', { headers: accept === undefined ? {} : { accept } })
      return [page.status, page.headers.get('content-type')]
    }
    expect(await typeFor()).toEqual([200, 'application/json; charset=utf-8'])
    expect(await typeFor('application/xml')).toEqual([200, 'application/xml; charset=utf-8'])
    expect((await typeFor('text/html'))[0]).toBe(406)
    expect((await app.get('/tasks/1.json')).status).toBe(200)
    // @ts-expect-error: it was not chosen
    expect(object.indexApiUrl).toBeUndefined()
  })
})

describe('servlets', () => {
  it('own the paths below theirs: their 404 and 405 end the search', async () => {
    class TasksServlet extends FwResourceServlet(tasks().options) {}
    class ApiServlet extends FwApiResourceServlet(tasks().options) {}
    class ServletTasks extends FwResource(FwServlet, tasks().options) {}
    const last = routes(FwController as ControllerClass, (r) => ({
      any: r.get('/*', () => 'another'),
    }))
    const app = await serve([
      [resource(TasksServlet), '/a'],
      [apiResource(ApiServlet), '/b'],
      [resource(ServletTasks), '/c'],
      [last, '/d'],
    ])
    for (const prefix of ['/a', '/b', '/c']) {
      expect((await app.get(`${prefix}/tasks/1.json`)).json().text).toBe('Read')
      expect((await app.get(`${prefix}/none`)).status).toBe(404)
      expect((await app.delete(`${prefix}/tasks.json`)).status).toBe(405)
    }
    expect((await app.get('/d/none')).body).toBe('another')
  })
})

describe('actions and routes apart', () => {
  it('FwResourceActions has actions for routes of one’s own', async () => {
    class TasksController extends FwResourceActions(FwController, tasks().options) {}
    const object = routes(TasksController, (r) => ({
      todoUrl: r.get('/todo/:id.:format', 'showResource').as('todo'),
    }))
    const app = await serve([object])
    expect((await app.get('/todo/1.json')).json().text).toBe('Read')
    expect((await app.get('/tasks/1.json')).status).toBe(404)
  })

  it('FwResourceRoutes combines with own routes, typed, and only and except choose', async () => {
    class TasksController extends FwResource(FwController, tasks().options) {
      async finish() {
        return `finished ${this.params.get('id')}`
      }
    }
    const object = routes(TasksController, (r) => ({
      ...FwResourceRoutes(r, TasksController, { except: ['destroy', 'destroyApi'] }),
      finishUrl: r.post('/tasks/:id/finish', 'finish').as('finish'),
    })).beforeAction({ only: ['finish', 'update'] }, (c) => c.response.headers.set('X-Seen', '1'))
    const pattern: '/tasks/:id' = object.showUrl.pattern
    expect(pattern).toBe('/tasks/:id')
    const app = await serve([object])
    const finished = await app.post('/tasks/1/finish')
    expect([finished.body, finished.headers.get('x-seen')]).toEqual(['finished 1', '1'])
    expect((await app.get('/tasks/1.json')).headers.get('x-seen')).toBeNull()
    expect((await app.delete('/tasks/1.json')).status).toBe(405)
  })
})

it('every hook can be replaced, and calls the default one', async () => {
  const { rows, options } = tasks()
  const seen: unknown[] = []
  class TasksController extends FwResource(FwController, options) {
    override findResources(page: number, size: number) {
      seen.push(['list', page, size])
      return super.findResources(page, size)
    }
    override async countResources() {
      return (await super.countResources()) + 41
    }
    override async findResource(id: number) {
      return id === 3 ? undefined : super.findResource(id)
    }
    override async doCreateAndReturnId(permitted: PermittedValues) {
      const id = await super.doCreateAndReturnId(permitted)
      seen.push(['created', id])
      return id
    }
    override doUpdate(id: number, permitted: PermittedValues) {
      seen.push(['updated', id, { ...permitted }])
      return super.doUpdate(id, permitted)
    }
    override async doDestroy(id: number) {
      seen.push(['deleted', id])
    }
    override updateForm() {
      return this.validation(this.updateParams(), paramKey('text').is(required))
    }
  }
  const app = await serve([resource(TasksController)])
  const list = await app.get('/tasks.json?page=1&size=5')
  expect(list.headers.get('x-total-count')).toBe('42')
  for (const text of ['a', 'b']) await app.post('/tasks.json', { json: { text } })
  expect((await app.get('/tasks/3.json')).status).toBe(404)
  expect((await app.put('/tasks/2.json', { json: { text: 'c' } })).status).toBe(200)
  expect((await app.put('/tasks/2.json', { json: {} })).status).toBe(400)
  expect((await app.delete('/tasks/2.json')).status).toBe(204)
  expect(rows.map(({ text }) => text)).toEqual(['Read', 'c', 'b'])
  expect(seen).toEqual([
    ['list', 1, 5],
    ['created', 2],
    ['created', 3],
    ['updated', 2, { text: 'c' }],
    ['deleted', 2],
  ])
})

it('a record that findResource refuses after the write is stored, and the response has no body', async () => {
  const { rows, options } = tasks()
  let refuses = false
  class TasksController extends FwResource(FwController, options) {
    override async findResource(id: number) {
      return refuses ? this.haltWithBody(404) : super.findResource(id)
    }
    override async doCreateAndReturnId(permitted: PermittedValues) {
      refuses = true
      return super.doCreateAndReturnId(permitted)
    }
    override async doUpdate(id: number, permitted: PermittedValues) {
      refuses = true
      return super.doUpdate(id, permitted)
    }
  }
  const app = await serve([resource(TasksController)])
  const made = await app.post('/tasks.json', { json: { text: 'a' } })
  expect([made.status, made.body, made.location]).toEqual([201, '', '/tasks/2.json'])
  refuses = false
  const changed = await app.put('/tasks/2.json', { json: { text: 'b' } })
  expect([changed.status, changed.body]).toEqual([204, ''])
  expect(rows.map(({ text }) => text)).toEqual(['Read', 'b'])
})

it('a parent needs a parameter of the path, and a model that can look for its records', () => {
  const { options } = tasks()
  const parent = { model: options.model, field: 'id' } as const
  expect(() => FwResource(FwController, { ...options, parent })).toThrow(
    /each parent needs a parameter/,
  )
  const prefix = { resourcesBasePathPrefix: '/lists/:listId' } as const
  expect(() => FwResource(FwController, { ...options, ...prefix, parent })).toThrow(
    /needs a model with where/,
  )
  // @ts-expect-error: no field of the records
  const wrong = () => FwResource(FwController, { ...options, parent: { ...parent, field: 'no' } })
  expect(wrong).toThrow()
})
