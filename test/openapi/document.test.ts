/** The OpenAPI document of routes of every kind, `describe`, the client and the development pages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { parseSync } from 'oxc-parser'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import {
  AssetsController,
  FwLifeCycle,
  type Mountable,
  type ServletContext,
  startApplication,
} from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import {
  FwApiController,
  FwController,
  microFilter,
  microServlet,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import {
  FileUploadFeature,
  forgeryProtection,
  JsonParamsFeature,
  XmlParamsFeature,
} from '../../src/runtime/feature.ts'
import type { Handler } from '../../src/runtime/http.ts'
import { belongsTo, model } from '../../src/runtime/model.ts'
import { generateClient, describeApplication, OpenApiPages } from '../../src/tools/openapi.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { fetchHandler, type FetchHandler } from '../../src/runtime/server.ts'
import { TestClient, Visitor } from '../../src/tools/testing.ts'
import {
  email,
  maxLength,
  minLength,
  numeric,
  oneOf,
  paramKey,
  required,
  rule,
} from '../../src/runtime/validation.ts'
import { temporaryFolder } from '../support/serve.ts'
import { mistakesOf } from './response-checker.ts'

const explorerScript = readFileSync(
  join(import.meta.dirname, '../../templates/openapi/explorer.js'),
  'utf8',
)

type Mounts = readonly (Mountable | readonly [Mountable, string])[]

async function started(
  mounts: Mounts,
  settings: Readonly<Record<string, unknown>> = {},
  environment = 'development',
  manifest: object = {},
) {
  class Bootstrap extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      for (const one of mounts) {
        if ('mount' in one) one.mount(ctx)
        else one[0].mount(ctx, one[1])
      }
    }
  }
  const application = await startApplication(new Bootstrap(), {
    root: temporaryFolder({
      'package.json': JSON.stringify({ name: 'shop', version: '1.2.0', ...manifest }),
    }),
    configuration: Configuration.from(settings, new FwEnv(environment)),
    logger: silentLogger,
    database: false,
  })
  onTestFinished(() => application.close())
  return application
}

/** Sends requests from this machine, unless `remoteAddress` names another one. */
function local(handle: Handler, remoteAddress = '127.0.0.1'): FetchHandler {
  const fetch = fetchHandler(handle, { logger: silentLogger })
  return (request) => fetch(request, { remoteAddress })
}

/** Describes an application, and checks that the document is valid. */
async function described(mounts: Mounts, settings: Readonly<Record<string, unknown>> = {}) {
  const { document, notes } = await describeApplication(await started(mounts, settings))
  expect(await mistakesOf(document)).toEqual([])
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.operationId),
  )
  expect(ids).toEqual([...new Set(ids)])
  return { ...document, notes }
}

const Company = model('companies', { id: ParamType.Long, legalName: ParamType.String })
const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  companyId: ParamType.optional(ParamType.Long),
})

test('a pattern becomes paths; a route that OpenAPI cannot express becomes a note', async () => {
  const files = microFilter((r) => ({
    listUrl: r.get('/files/?', () => ''),
    readUrl: r.get('/files/*', () => ''),
    pairUrl: r.get('/pairs/*.*', () => ''),
    pageUrl: r.get('/pages(/:number)?', () => ''),
    feed: r.get('/feed(.:format)?', () => ''),
    other: r.post('/files/:name', () => ''),
    braces: r.get('/{x}', () => ''),
    found: r.get(/^\/find\/(\d+)$/, () => ''),
    asked: r.query('/files', () => ''),
    all: r.get({}, () => ''),
  }))
  const alike = microFilter((r) => ({
    'a-b': r.get('/a-b', () => ''),
    aB: r.get('/a/b', () => ''),
  }))
  const { paths, notes, servers, info } = await described([[files, '/public'], alike], {
    contextPath: '/shop',
  })
  expect(Object.keys(paths)).toEqual([
    '/public/files',
    '/public/files/{splat}',
    '/public/pairs/{splat}.{splat2}',
    '/public/pages/{number}',
    '/public/pages',
    '/public/feed.{format}',
    '/public/feed',
    '/public/%7Bx%7D',
    '/a-b',
    '/a/b',
  ])
  const idOf = (path: string) => paths[path]!['get']!.operationId
  expect(idOf('/public/pages')).toBe('publicFilesPage2')
  expect([idOf('/a-b'), idOf('/a/b')]).toEqual(['aBAB', 'aBAB2'])
  // Two patterns that differ only in a parameter name share the first path.
  const named = paths['/public/files/{splat}']!['post']!.parameters
  expect(named?.map(({ name }) => name)).toEqual(['splat'])
  expect(paths['/public/files']!['get']!.operationId).toBe('publicFilesList')
  expect(notes).toEqual([
    'GET /shop/public^\\/find\\/(\\d+)$: a regular expression has no path to describe.',
    'QUERY /shop/public/files: OpenAPI 3.1 has no such method.',
    'GET /shop/public: a route without a pattern has no path to describe.',
  ])
  expect(servers).toEqual([{ url: '/shop' }])
  expect(info).toEqual({ title: 'shop', version: '1.2.0' })
})

test('every operation has a summary, its security, a refusal, and a tag that differs by more than case', async () => {
  class ReportsController extends FwController {
    index() {
      return []
    }
  }
  class ApiReports extends FwApiController {
    index() {
      return []
    }
    create() {
      return {}
    }
  }
  class Saved extends mix(FwController, forgeryProtection()) {
    save() {
      return ''
    }
  }
  const pages = routes(ReportsController, (r) => ({ indexUrl: r.get('/reports', 'index') }))
  const api = routes(ApiReports, (r) => ({
    indexUrl: r.get('/api/reports', 'index'),
    createUrl: r.post('/api/reports', 'create'),
  })).describe({ tag: 'Reports', routes: { index: { responses: { 200: {} } } } })
  const saved = routes(Saved, (r) => ({ saveByNameUrl: r.post('/saved', 'save') })).describe({
    routes: { save: { tags: ['SAVED', 'reports'] } },
  })
  const { paths, tags } = await described([pages, api, saved])
  const index = paths['/reports']!['get']!
  expect(index).toMatchObject({ summary: 'Reports index', security: [], tags: ['Reports'] })
  expect(Object.keys(index.responses)).toEqual(['400', 'default'])
  expect(index.responses['400']).toMatchObject({
    description: 'The request is malformed.',
    content: { 'application/problem+json': {} },
  })
  const apiIndex = paths['/api/reports']!['get']!
  expect(apiIndex).toMatchObject({ summary: 'Api reports index', security: [] })
  expect(Object.keys(apiIndex.responses)).toEqual(['200', '304', '400', 'default'])
  expect(paths['/api/reports']!['post']).toMatchObject({ security: [] })
  expect(paths['/saved']!['post']).toMatchObject({
    summary: 'Saved save by name',
    security: [{ session: [], csrfToken: [] }],
    tags: ['SAVED', 'Reports'],
  })
  expect(tags).toEqual([
    { name: 'Reports', description: 'The routes of ReportsController, ApiReports, Saved.' },
    { name: 'SAVED', description: 'The routes of Saved.' },
  ])
})

test('the license is that of package.json', async () => {
  const licenseOf = async (license: unknown) => {
    const application = await started([], {}, 'development', { license })
    return (await describeApplication(application)).document.info.license
  }
  expect(await licenseOf('MIT')).toEqual({ name: 'MIT', identifier: 'MIT' })
  expect(await licenseOf('(MIT OR Apache-2.0)')).toEqual({
    name: '(MIT OR Apache-2.0)',
    identifier: '(MIT OR Apache-2.0)',
  })
  expect(await licenseOf('UNLICENSED')).toEqual({ name: 'UNLICENSED' })
  expect(await licenseOf('SEE LICENSE IN TERMS.md')).toEqual({ name: 'SEE LICENSE IN TERMS.md' })
  expect(await licenseOf(7)).toBeUndefined()
})

test('two patterns need allOf only if one does not imply the other', async () => {
  const texts = routes(ReportsController, (r) => ({
    saveUrl: r.post('/texts', 'create'),
  })).describe({
    routes: {
      create: {
        body: { mail: ParamType.String, code: ParamType.String, both: ParamType.String },
        rules: [
          paramKey('mail').is(required, email),
          paramKey('code').is(
            rule('code', () => true).withSchema({ pattern: '^[a-z]+$' }),
            required,
          ),
          paramKey('both').is(
            rule('a', () => true).withSchema({ pattern: 'a' }),
            rule('b', () => true).withSchema({ pattern: 'b' }),
            required,
          ),
        ],
        responses: { 201: {} },
      },
    },
  })
  const { components } = await described([texts])
  const { mail, code, both } = components.schemas['ReportsSaveForm']!.properties!
  expect(mail).toMatchObject({ pattern: expect.stringContaining('@'), minLength: 1 })
  expect(mail).not.toHaveProperty('allOf')
  expect(code).toEqual({ type: 'string', minLength: 1, pattern: '^[a-z]+$' })
  expect(both).toEqual({ type: 'string', minLength: 1, pattern: 'a', allOf: [{ pattern: 'b' }] })
})

test('of two routes for one method and path, the first one is described, as it is the one that runs', async () => {
  const first = microFilter((r) => ({ show: r.get('/items/:id', () => 'first') }))
  const second = microFilter((r) => ({ other: r.get('/items/:key', () => 'second') }))
  const { paths } = await described([first, second])
  expect(Object.keys(paths)).toEqual(['/items/{id}'])
  expect(paths['/items/{id}']!['get']!.operationId).toBe('itemsShow')
})

class ReportsController extends FwController {
  index(): unknown {
    return []
  }
  show(): unknown {
    return {}
  }
  create(): unknown {
    return {}
  }
}

test('describe adds to what the code says', async () => {
  const fields = { title: ParamType.String, pages: ParamType.optional(ParamType.Int) }
  const reports = routes(ReportsController, (r) => ({
    indexUrl: r.get('/reports', 'index'),
    showUrl: r.get('/reports/:id', 'show'),
    createUrl: r.post('/reports', 'create').as('make'),
    secretUrl: r.get('/secret', () => '').as('secret'),
  })).describe({
    description: 'Told each night.',
    routes: {
      index: {
        summary: 'All of them',
        tags: ['Lists'],
        query: { since: ParamType.LocalDate, sort: { enum: ['title', 'pages'] } },
        responses: { 200: { body: [Member] } },
      },
      show: {
        deprecated: true,
        path: { id: ParamType.Long },
        headers: { 'X-Own': ParamType.NullableString },
        responses: { 200: { body: { at: ParamType.DateTime } }, 404: 'Not told yet', 422: {} },
      },
      make: {
        body: fields,
        rules: [paramKey('title').is(required, maxLength(9))],
        responses: {
          201: { headers: { Location: ParamType.String } },
          400: { body: z.array(z.string()) },
        },
      },
      secret: { hidden: true },
    },
  })
  const { paths, components, tags } = await described([reports])
  expect(Object.keys(paths)).toEqual(['/reports', '/reports/{id}'])
  const { get: index, post: create } = paths['/reports']!
  expect(index).toMatchObject({
    operationId: 'reportsIndex',
    summary: 'All of them',
    tags: ['Lists'],
    parameters: [
      { name: 'since', in: 'query', required: true, schema: { type: 'string', format: 'date' } },
      { name: 'sort', in: 'query', schema: { enum: ['title', 'pages'] } },
    ],
  })
  expect(index!.responses['200']!.content).toEqual({
    'application/json': {
      schema: { type: 'array', items: { $ref: '#/components/schemas/Members' } },
    },
  })
  // A model's row that a controller returns keeps the names of its fields.
  expect(components.schemas['Members']).toMatchObject({
    properties: { companyId: { type: 'integer' } },
    required: ['id', 'name'],
  })
  const show = paths['/reports/{id}']!['get']!
  expect(show).toMatchObject({ deprecated: true, tags: ['reports'] })
  expect(show.parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path', required: true }),
    { name: 'X-Own', in: 'header', schema: { type: 'string' } },
  ])
  expect(show.responses['404']).toMatchObject({
    description: 'Not told yet',
    content: { 'application/problem+json': {}, 'text/html': {} },
  })
  expect(show.responses['422']!.description).toBe('Unprocessable Content')
  expect(create!.requestBody).toEqual({
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: { $ref: '#/components/schemas/ReportsCreateForm' },
      },
    },
  })
  expect(components.schemas['ReportsCreateForm']).toEqual({
    type: 'object',
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 9, pattern: '\\S' },
      pages: {
        type: ['integer', 'null'],
        format: 'int32',
        minimum: -(2 ** 31),
        maximum: 2 ** 31 - 1,
      },
    },
    required: ['title'],
  })
  expect(Object.keys(create!.responses)).toEqual(['201', '400', '403', '413', '415', 'default'])
  expect(create!.responses['default']!.content).toHaveProperty(['application/json'], {})
  expect(create!.responses['400']!.content).toMatchObject({
    'application/json': { schema: { type: 'array', items: { type: 'string' } } },
    'application/problem+json': {},
  })
  expect(tags).toEqual([
    { name: 'Lists', description: 'Told each night.' },
    { name: 'reports', description: 'Told each night.' },
  ])
})

test('describe refuses an unknown route name, and so does the compiler', () => {
  const reports = routes(ReportsController, (r) => ({ indexUrl: r.get('/', 'index') }))
  // @ts-expect-error: no route has this name
  expect(() => reports.describe({ routes: { indx: {} } })).toThrow(
    expect.objectContaining({ code: 'controller.route-invalid' }),
  )
  // @ts-expect-error: no option has this name
  reports.describe({ routes: { index: { sumary: '' } } })
  // @ts-expect-error: the name is taken
  expect(() => routes(ReportsController, (r) => ({ describe: r.get('/', 'index') })).x).toThrow()
})

test('the body of an action follows from the form method of its name', async () => {
  const zip = rule('zip', () => true).withSchema({ pattern: '^[0-9]{5}$' })
  class SignUpController extends mix(FwController, JsonParamsFeature, XmlParamsFeature) {
    static {
      this.protectFromForgery({ only: ['create'] })
    }
    private createForm() {
      return this.validation(
        this.params.withDate('birthday'),
        paramKey('name').is(required, minLength(2)),
        paramKey('mail').is(email),
        paramKey('zip').is(zip),
        paramKey('age').is(numeric),
      )
    }
    private inviteForm() {
      return this.validation(this.params, { seats: ParamType.Int }, paramKey('seats').is(required))
    }
    private bookForm() {
      return this.validation(
        this.request.parsedBody,
        z.object({ day: z.iso.date(), seats: z.int().max(9) }),
      )
    }
    private brokenForm(): never {
      throw new Error(this.params.get('code') ?? 'no code')
    }
    create() {
      return this.createForm().validate()
    }
    invite() {
      return this.inviteForm().validate()
    }
    book() {
      return this.bookForm().validate()
    }
    broken() {
      return this.brokenForm()
    }
  }
  const signUp = routes(SignUpController, (r) => ({
    createUrl: r.post('/sign-up', 'create'),
    inviteUrl: r.post('/invite/:id', 'invite'),
    bookUrl: r.put('/book', 'book'),
    brokenUrl: r.post('/broken', 'broken'),
  }))
  const { paths, components, notes } = await described([signUp])
  const { schemas } = components
  const create = paths['/sign-up']!['post']!
  expect(Object.keys(create.requestBody!.content)).toEqual([
    'application/json',
    'application/x-www-form-urlencoded',
    'application/xml',
  ])
  expect(schemas['SignUpCreateForm']).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, pattern: '\\S' },
      mail: expect.objectContaining({ format: 'email', maxLength: 254 }),
      zip: { type: 'string', pattern: '^[0-9]{5}$' },
      age: expect.objectContaining({ type: 'string' }),
    },
    required: ['name'],
  })
  expect(schemas['SignUpInviteForm']).toMatchObject({ required: ['seats'] })
  expect(schemas['SignUpBookForm']).toMatchObject({
    properties: { day: { format: 'date' }, seats: { type: 'integer', maximum: 9 } },
    required: ['day', 'seats'],
  })
  expect(notes).toEqual([
    'SignUpController.brokenForm failed for an empty request, so the document lacks the limits of its fields: no code',
  ])
  expect(create.responses).toEqual({
    400: expect.objectContaining({ description: 'The request is malformed.' }),
    default: { description: 'Any response of the action.' },
  })
  expect(create.security).toEqual([{ session: [], csrfToken: [] }])
  expect(paths['/book']!['put']!.security).toEqual([])
  expect(components.securitySchemes).toMatchObject({
    session: { in: 'cookie', name: 'fw_session' },
    csrfToken: { in: 'header', name: 'x-csrf-token' },
  })
})

test('describing an application calls no action, not even one that is named like a form', async () => {
  const done: string[] = []
  class OrdersController extends FwController {
    submit() {
      return 'sent'
    }
    submitForm() {
      done.push('submitForm')
      return this.validation(this.params, { text: ParamType.String })
    }
  }
  class ShopOrdersController extends OrdersController {}
  const shop = routes(ShopOrdersController, (r) => ({ submitUrl: r.post('/shop', 'submit') }))
  const orders = routes(OrdersController, (r) => ({
    submitUrl: r.post('/orders', 'submit'),
    submitFormUrl: r.post('/orders/form', 'submitForm'),
  })).describe({ routes: { submitForm: { hidden: true } } })
  class PeopleController extends FwResource(FwController, { ...options, resourcesName: 'people' }) {
    override updateForm() {
      done.push('updateForm')
      return super.updateForm()
    }
  }
  const acted = routes(PeopleController, (r) => ({ formUrl: r.get('/form', 'updateForm') }))
  const { paths, components } = await described([shop, orders, acted, resource(PeopleController)])
  expect(paths['/shop']!['post']!.requestBody).toBeUndefined()
  expect(paths['/orders']!['post']!.requestBody).toBeUndefined()
  expect(components.schemas['MemberForm']).toBeDefined()
  expect(done).toEqual([])
})

test('the features of a controller determine the media types of its bodies', async () => {
  class Uploads extends mix(FwApiController, FileUploadFeature) {
    create() {
      return ''
    }
  }
  const uploads = routes(Uploads, (r) => ({
    createUrl: r.post('/uploads', 'create'),
    rawUrl: r.put('/raw', () => '').as('raw'),
  })).describe({
    tag: 'Files',
    routes: {
      create: { body: { title: ParamType.String } },
      raw: { body: { type: 'object' }, bodyTypes: ['application/merge-patch+json'] },
    },
  })
  const { paths, tags } = await described([uploads])
  const typesOf = (path: string, method: string) =>
    Object.keys(paths[path]![method]!.requestBody!.content)
  expect(typesOf('/uploads', 'post')).toEqual([
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
  expect(typesOf('/raw', 'put')).toEqual(['application/merge-patch+json'])
  expect(tags).toEqual([{ name: 'Files', description: 'The routes of Uploads.' }])
})

const options = {
  model: Member,
  resourceName: 'member',
  createFormStrongParameters: { name: ParamType.String },
} as const

test('schemas of other libraries keep their definitions, even recursive ones', async () => {
  const category = z.object({
    name: z.string(),
    get parts() {
      return z.array(category)
    },
  })
  const day = z.iso.date().meta({ id: 'day' })
  const tree = routes(ReportsController, (r) => ({
    treeUrl: r.get('/tree', 'index').as('tree'),
    planUrl: r.post('/plan', 'create').as('plan'),
  })).describe({
    routes: {
      tree: { responses: { 200: { body: [category] } } },
      plan: { body: z.object({ from: day, to: day }), responses: { 204: 'Kept.' } },
    },
  })
  const { paths, components, notes: _notes, ...rest } = await described([tree])
  const { schemas } = components
  const parts = { type: 'array', items: { $ref: '#/components/schemas/ReportsTree' } }
  expect(schemas['ReportsTree']).toMatchObject({ type: 'object', properties: { parts } })
  expect(paths['/tree']!['get']!.responses['200']!.content!['application/json']!.schema).toEqual(
    parts,
  )
  const ref = { $ref: '#/components/schemas/ReportsPlanFormDay' }
  expect(schemas['ReportsPlanForm']).toMatchObject({ properties: { from: ref, to: ref } })
  expect(schemas['ReportsPlanFormDay']).toMatchObject({ format: 'date' })
  const client = generateClient({ paths, components, ...rest })
  expect(client).toContain('parts: readonly ReportsTree[]')
  expect(client).toContain('export type ReportsPlanFormDay = string')
})

test('every schema name is a valid type name and has one schema', async () => {
  const titled = (title: string, key: string) => ({
    type: 'object' as const,
    title,
    properties: { [key]: { type: 'string' as const } },
  })
  const listed = (id: string, part: z.ZodType) => z.object({ [id]: part.meta({ id }) })
  const odd = routes(ReportsController, (r) => ({
    indexUrl: r.get('/odd', 'index'),
    createUrl: r.post('/odd', 'create'),
  })).describe({
    routes: {
      index: {
        responses: {
          200: { body: listed('shop-address', z.object({ street: z.string() })) },
          201: { body: listed('shop-address', z.object({ town: z.string() })) },
          202: { body: titled('3D model', 'x') },
          203: { body: titled('会員', 'y') },
          206: { body: listed('会員', z.object({ name: z.string() })) },
        },
      },
      create: { body: listed('a.b', z.object({ c: z.string() })) },
    },
  })
  const { paths, components, notes: _notes, ...rest } = await described([odd])
  const { schemas } = components
  expect(Object.keys(schemas)).toEqual([
    'Problem',
    'ReportsCreateForm',
    'ReportsCreateFormAB',
    'ReportsIndex2ShopAddress',
    'ReportsIndexPart',
    'ReportsIndexShopAddress',
    'The3DModel',
  ])
  const told = (status: string) =>
    paths['/odd']!['get']!.responses[status]!.content!['application/json']!.schema!
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const address = (status: string) => told(status).properties!['shop-address']
  expect(address('200')).toEqual(ref('ReportsIndexShopAddress'))
  expect(address('201')).toEqual(ref('ReportsIndex2ShopAddress'))
  expect(schemas['ReportsIndex2ShopAddress']!.properties).toHaveProperty('town')
  expect(told('203').properties).toHaveProperty('y')
  expect(told('206').properties!['会員']).toEqual(ref('ReportsIndexPart'))
  const client = generateClient({ paths, components, ...rest })
  expect(parseSync('client.ts', client).errors).toEqual([])
})

test('every parameter type has a schema; a type of the application is a text', async () => {
  const own = ParamType.of('Colour', (text) => text, 'a colour')
  const types = Object.entries(ParamType).filter(([, type]) => typeof type === 'object')
  const body = {
    ...(Object.fromEntries(types) as Record<string, typeof ParamType.String>),
    own,
    tags: ParamType.array(ParamType.String),
    ids: ParamType.separated(ParamType.Long),
    day: ParamType.optional(ParamType.LocalDate),
  }
  const all = routes(ReportsController, (r) => ({ url: r.post('/all', 'create') }))
  const { components } = await described([
    all.describe({ routes: { create: { body, responses: { 200: { body } } } } }),
  ])
  const { properties = {} } = components.schemas['ReportsUrlForm']!
  for (const [name] of types) {
    expect([name, properties[name]!.title]).toEqual([name, undefined])
    expect(properties[name]!.type).toBeDefined()
  }
  expect(properties['own']).toEqual({ type: 'string', title: 'Colour', description: 'a colour' })
  expect(properties['tags']).toEqual({ type: 'array', items: { type: 'string' } })
  expect(properties['ids']).toMatchObject({ type: 'string' })
  expect(properties['day']).toEqual({ type: ['string', 'null'], format: 'date' })
})

test('the output of a resource is the schema of its record, with the views of relations', async () => {
  const Author = model('authors', { id: ParamType.Long, penName: ParamType.String })
  const Book = model('books', {
    id: ParamType.Long,
    authorId: ParamType.optional(ParamType.Long),
    secret: ParamType.String,
  })
  class BooksController extends FwResource(FwController, {
    model: Book,
    resourcesName: 'books',
    resourceName: 'book',
    createFormStrongParameters: { secret: ParamType.String },
    output: Book.view({
      fields: ['id'],
      computed: { shortName: [ParamType.String, ({ id }) => `B${id}`] },
      relations: {
        theAuthor: [belongsTo(Book, 'authorId', Author), Author.view({ fields: ['penName'] })],
      },
    }),
  }) {}
  const { components } = await described([resource(BooksController)])
  expect(components.schemas['Book']).toMatchObject({
    properties: {
      id: { type: 'integer' },
      short_name: { type: 'string' },
      the_author: { type: ['object', 'null'], properties: { pen_name: { type: 'string' } } },
    },
    required: ['id', 'short_name', 'the_author'],
  })
  expect(components.schemas['Book']!.properties).not.toHaveProperty('secret')
})

test('bytes of a resource are base64 in requests and responses', async () => {
  const bytes = {
    rawBytes: ParamType.ByteArray,
    parts: ParamType.optional(ParamType.array(ParamType.ByteArray)),
  }
  const forms = { ...bytes, joined: ParamType.separated(ParamType.ByteArray) }
  class PhotosController extends FwResource(FwController, {
    model: model('photos', { id: ParamType.Long, ...bytes }),
    resourcesName: 'photos',
    resourceName: 'photo',
    createFormStrongParameters: forms,
  }) {}
  const { paths, components } = await described([resource(PhotosController)])
  const base64 = { type: 'string', contentEncoding: 'base64' }
  const { Photo, PhotoForm } = components.schemas
  expect(Photo!.properties).toMatchObject({
    raw_bytes: base64,
    parts: { type: ['array', 'null'], items: base64 },
  })
  expect(Photo!.required).toEqual(['id', 'raw_bytes', 'parts'])
  expect(PhotoForm!.properties!['rawBytes']).toMatchObject(base64)
  expect(PhotoForm!.properties!['parts']).toMatchObject({ items: base64 })
  expect(PhotoForm!.properties!['joined']).toMatchObject({ type: 'string' })
  expect(PhotoForm!.required).toEqual(['rawBytes'])
  expect(Object.keys(paths['/photos/{id}.json']!['delete']!.responses)).toContain('409')
})

test('a read-only resource has a path for JSON, too', async () => {
  class MembersController extends FwResource(FwController, {
    model: Member,
    resourcesName: 'members',
    resourceName: 'member',
  }) {}
  const { paths } = await described([resource(MembersController)])
  expect(Object.keys(paths).toSorted()).toEqual([
    '/members',
    '/members.json',
    '/members/{id}',
    '/members/{id}.json',
  ])
})

test('a nested resource that requires If-Match', async () => {
  class MembersController extends FwResource(FwController, {
    ...options,
    resourcesName: 'members',
    resourcesBasePathPrefix: '/companies/:companyId',
    parent: { model: Company, field: 'companyId' },
    requireIfMatch: true,
  }) {}
  const { paths } = await described([resource(MembersController)])
  const update = paths['/companies/{companyId}/members/{id}.json']!['put']!
  expect(update.parameters).toMatchObject([
    { name: 'companyId', schema: { type: 'integer' } },
    { name: 'id', schema: { type: 'integer' } },
    { name: 'If-Match', in: 'header', required: true },
  ])
  expect(Object.keys(update.responses)).toEqual(expect.arrayContaining(['412', '428']))
  const list = paths['/companies/{companyId}/members']!['get']!
  expect(list.operationId).toBe('companiesMembersIndex')
  expect(Object.keys(list.responses)).toContain('404')
})

test('an overridden action of a resource may send any response', async () => {
  class MembersController extends FwResource(FwController, {
    ...options,
    resourcesName: 'members',
  }) {
    override showResource() {
      return Promise.resolve('something else')
    }
    override newResource() {
      return Promise.resolve('something else')
    }
  }
  const members = resource(MembersController).describe({
    routes: { show: { summary: 'Our own', responses: { 200: { body: Member } } } },
  })
  const { paths, components } = await described([members])
  const told = (path: string) => Object.keys(paths[path]!['get']!.responses)
  expect(told('/members')).toContain('200')
  expect(told('/members/{id}')).toEqual(['200', '304', '400', 'default'])
  expect(told('/members/{id}.json')).toEqual(['400', 'default'])
  expect(told('/members/new')).toEqual(['400', 'default'])
  expect(paths['/members/{id}']!['get']!.summary).toBe('Our own')
  // The described response has the model's field names, the resource's responses have snake case.
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Member', 'Member2']))
})

test('a model of another library has its `columns` as schema, or is any object', async () => {
  const { columns, idType } = Member
  const other = { idType } as unknown as typeof Member
  class OthersController extends FwResource(FwController, {
    ...options,
    model: other,
    resourcesName: 'others',
  }) {}
  class ToldController extends FwResource(FwController, {
    ...options,
    model: { ...other, columns } as unknown as typeof Member,
    resourcesName: 'told',
  }) {}
  const { paths } = await described([resource(OthersController), resource(ToldController)])
  const listOf = (path: string) =>
    paths[path]!['get']!.responses['200']!.content!['application/json']!.schema
  expect(listOf('/others')).toEqual({ type: 'array', items: { type: 'object' } })
  expect(listOf('/told')!.items).toEqual({ $ref: '#/components/schemas/Member' })
})

test('controllers with the same name get numbers, and hidden ones are omitted', async () => {
  const one = routes(ReportsController, (r) => ({ indexUrl: r.get('/a', 'index') }))
  const two = routes(ReportsController, (r) => ({ indexUrl: r.get('/b', 'index') }))
  const hidden = routes(ReportsController, (r) => ({ indexUrl: r.get('/c', 'index') }))
  const { paths, notes } = await described([
    one,
    two,
    hidden.describe({ hidden: true }),
    new AssetsController(),
  ])
  expect(notes).toEqual([])
  const names = Object.values(paths).map((path) => path['get']!.operationId)
  expect(names).toEqual(['reportsIndex', 'reports2Index'])
})

test('the client is valid TypeScript for any description', async () => {
  const odd = microFilter((r) => ({
    answer: r.get('/odd/:id', () => '').as('answer'),
    'no-name': r.post('/odd/:id', () => '').as('other'),
  })).describe({
    routes: {
      answer: {
        description: 'Ends */ comments.\nAnd goes on.',
        path: { id: { enum: ['a', 'b'] } },
        responses: {
          200: {
            body: {
              title: 'ApiResponse',
              type: 'object',
              properties: { 'a-b': { type: ['string', 'null'] }, c: { const: 1 }, d: {} },
              required: ['a-b'],
            },
          },
        },
      },
      other: {
        body: {
          anyOf: ['a', 'b'].map((key) => ({ type: 'object', properties: { [key]: {} } })),
        },
      },
    },
  })
  const { notes: _notes, ...document } = await described([odd], { contextPath: '/shop' })
  const client = generateClient(document)
  expect(parseSync('client.ts', client).errors).toEqual([])
  expect(client).toMatch(/export type OddNoNameForm = \{\n.*\n\} \| \{/)
  expect(client).toContain('* Ends *\\/ comments.')
  expect(client).toContain('export interface ApiResponseSchema {\n  "a-b": string | null\n')
  expect(client).toContain('readonly path: { id: "a" | "b" }')
  expect(client).toContain('path: "/shop/odd/{id}"')
  expect(client).toMatch(/export const oddNoName = \(\n {2}client: Client,\n {2}request: \{/)
})

test('development serves the document and the page, unless the application has these routes', async () => {
  const own = microFilter((r) => ({ mine: r.get('/openapi.json', () => ({ mine: true })) }))
  const api = microFilter((r) => ({ hello: r.get('/hello', () => '<b>') }))
  const application = await started([api], { contextPath: '/shop' })
  const wrapped = new OpenApiPages(application)
  const clientFor = (one: OpenApiPages, handle: typeof application.handle) =>
    new TestClient(local(one.wrap(handle)))
  const client = clientFor(wrapped, application.handle)
  expect((await client.get('/shop/openapi.json?x=1')).json().paths).toHaveProperty('/hello')
  expect((await client.get('/openapi.json')).status).toBe(404)
  expect((await client.post('/shop/openapi')).status).toBe(404)
  const page = await client.get('/shop/openapi')
  const policy = page.headers.get('content-security-policy') ?? ''
  const nonce = page.attribute('script', 'nonce')
  expect(policy).toContain(`script-src 'self' 'nonce-${nonce}'`)
  expect(page.attribute('style', 'nonce')).toBe(nonce)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.attribute('main', 'data-document')).toBe('/shop/openapi.json')
  const mine = await started([own, microServlet((r) => ({ root: r.get('/', () => '') }))])
  const other = clientFor(new OpenApiPages(mine), mine.handle)
  expect((await other.get('/openapi.json')).json()).toEqual({ mine: true })
  // A servlet matches every path, but has no route for this one.
  expect((await other.get('/openapi')).html('h1')).toBe('shop')
  expect(wrapped.path).toBe('/shop/openapi')
})

test('a 404 from a route stays; a 404 without a route, even from a fallback handler, is replaced by the page', async () => {
  const nothing = (c: { status: number }) => {
    c.status = 404
    return 'mine'
  }
  const own = microFilter((r) => ({ mine: r.get('/openapi', nothing) }))
  const mine = await started([own])
  const client = new TestClient(local(new OpenApiPages(mine).wrap(mine.handle)))
  const { status, body } = await client.get('/openapi')
  expect([status, body]).toEqual([404, 'mine'])
  let isReleased = false
  const cancel = () => void (isReleased = true)
  class EndController extends FwController {
    static {
      this.notFound(() => new ReadableStream({ cancel }))
    }
  }
  const end = await started([routes(EndController, (r) => ({ rootUrl: r.get('/', () => '') }))])
  const other = new TestClient(local(new OpenApiPages(end).wrap(end.handle)))
  expect((await other.get('/openapi')).html('h1')).toBe('shop')
  expect(isReleased).toBe(true)
})

const production = { secretKeyBase: 'x'.repeat(64), server: { hosts: ['localhost'] } }

test.each([
  ['this machine in development', 'development', '127.0.0.1', {}, 200],
  ['the network', 'development', '10.0.0.7', {}, 404],
  ['a proxy', 'development', '127.0.0.1', { 'x-forwarded-for': '10.0.0.7' }, 404],
  ['this machine in production', 'production', '127.0.0.1', {}, 404],
])('%s: the status of the pages', async (_who, environment, peer, headers, status) => {
  const api = microFilter((r) => ({ hello: r.get('/hello', () => '') }))
  const application = await started([api], production, environment)
  const handle = new OpenApiPages(application).wrap(application.handle)
  const client = new TestClient(local(handle, peer))
  for (const path of ['/openapi', '/openapi.json'])
    expect((await client.get(path, { headers })).status).toBe(status)
})

test('the page samples a recursive schema', () => {
  const [from, to] = ['const resolve', 'const xmlText'].map((part) => explorerScript.indexOf(part))
  const node = { $ref: '#/components/schemas/Node' }
  const properties = { name: { type: 'string' }, parent: node, twin: { type: 'integer' } }
  const spec = { components: { schemas: { Node: { type: 'object', properties } } } }
  const code = `${explorerScript.slice(from, to)}; JSON.stringify(sample(node))`
  expect(JSON.parse(runInNewContext(code, { spec, node }))).toEqual({
    name: 'text',
    parent: null,
    twin: 0,
  })
})

test.each([
  ['multipart/form-data', 'name=Ann+%26+Bo\r\n&age=7'],
  ['application/x-www-form-urlencoded', 'name=Ann+%26+Bo\r\n&age=7'],
  ['application/json', '{\r\n  "name": "Ann & Bo", "age": 7\r\n}'],
])('the page sends a body as %s', async (type, body) => {
  class PeopleController extends mix(FwController, FileUploadFeature, JsonParamsFeature) {
    create() {
      const sent = this.request.http.header('content-type')!.split(';')[0]!
      return `${sent} ${this.params.get('name')} ${this.params.get('age')}`
    }
  }
  const people = routes(PeopleController, (r) => ({ createUrl: r.post('/people', 'create') }))
  const fetch = local((await started([people])).handle)
  // In a browser, the constructor reads a form element.
  class Fields extends FormData {
    constructor(form: readonly (readonly [string, string])[] = []) {
      super()
      for (const [name, value] of form) this.append(name, value)
    }
  }
  const answer = Promise.withResolvers<unknown>()
  const [from, to] = ['function encodeBody', '/** The headers'].map((part) =>
    explorerScript.indexOf(part),
  )
  runInNewContext(`${explorerScript.slice(from, to)}; send(form, 'post', '/people', {}, output)`, {
    base: '',
    form: Object.entries({ type, body, accept: 'text/html' }),
    output: { replaceChildren: answer.reject },
    show: (...[, , , , text]: readonly unknown[]) => answer.resolve(text),
    element: (...[, , text]: readonly unknown[]) => text,
    fetch: (address: string, init: RequestInit) =>
      fetch(new Request(`http://localhost${address}`, init)),
    FormData: Fields,
    Headers,
    URLSearchParams,
    performance,
  })
  expect(await answer.promise).toBe(`${type} Ann & Bo 7`)
})

test('an optional field with an enum may be null, a required one may not', async () => {
  const fields = { size: ParamType.NullableString, kind: ParamType.NullableString }
  const shirts = routes(ReportsController, (r) => ({ createUrl: r.post('/shirts', 'create') }))
  const rules = [paramKey('size').is(oneOf('S', 'L')), paramKey('kind').is(required, oneOf('T'))]
  const {
    components,
    notes: _notes,
    ...rest
  } = await described([shirts.describe({ routes: { create: { body: fields, rules } } })])
  const { properties = {} } = components.schemas['ReportsCreateForm']!
  expect(properties['size']).toMatchObject({ type: ['string', 'null'], enum: ['S', 'L', null] })
  expect(properties['kind']).toMatchObject({ type: 'string', enum: ['T'] })
  expect(generateClient({ components, ...rest })).toContain('size?: "S" | "L" | null | undefined')
})

test('the page contains the CSRF token of its visitor', async () => {
  class NotesController extends FwController {
    static {
      this.protectFromForgery()
    }
    create() {
      return 'kept'
    }
  }
  const notes = routes(NotesController, (r) => ({ createUrl: r.post('/notes', 'create') }))
  const application = await started([notes])
  const handle = new OpenApiPages(application).wrap(application.handle)
  const visitor = new Visitor(local(handle))
  const page = await visitor.get('/openapi')
  const token = page.attribute('meta[name="csrf-token"]', 'content')!
  const headers = { 'x-csrf-token': token }
  expect((await visitor.post('/notes', { headers })).body).toBe('kept')
  expect((await visitor.post('/notes', { headers: { 'x-csrf-token': 'x' } })).status).toBe(403)
})
