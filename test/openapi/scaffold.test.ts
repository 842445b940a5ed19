/** A generated application: its responses match its document, it accepts what the document allows, and its client works. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeClient, writeOpenApi } from '../../src/tools/cli/write-openapi.ts'
import { fieldTypes } from '../../src/tools/generate/field-type.ts'
import {
  generateClient,
  describeApplication,
  type OpenApiDocument,
  shareComponents,
} from '../../src/tools/openapi.ts'
import { testApp, type Page, type RequestOptions, type Visitor } from '../../src/tools/testing.ts'
import { generate, linkSources, newFolder, removeFolder } from '../generate/folder.ts'
import { mistakesOf, ResponseChecker } from './response-checker.ts'
import { anything, record, text, valid } from './values.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
const types = [...fieldTypes.keys()].filter((type) => type !== 'Json')
const every = types.flatMap((type) => [`a${type}:${type}`, `b${type}:${type}?`])
generate(root, `scaffold admin.things thing ${every.join(' ')} code:String:varchar(5)`)
generate(root, 'api-resource tasks task text:String done:Boolean')
linkSources(root)

const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })
const { document, notes } = await describeApplication(app.application)

type Operation = OpenApiDocument['paths'][string][string]

const inXml = (operation: Operation): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      response.content === undefined
        ? response
        : { ...response, content: { 'application/xml': {} } },
    ]),
  ),
})

/** The paths that the document omits: those with `.xml` respond like those with `.json`. */
const xmlPaths = Object.entries(document.paths)
  .filter(([path]) => path.endsWith('.json'))
  .map(([path, methods]) => [
    path.replace(/json$/, 'xml'),
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => [method, inXml(operation)]),
    ),
  ])
const paths: OpenApiDocument['paths'] = { ...document.paths, ...Object.fromEntries(xmlPaths) }
const checker = new ResponseChecker({ ...document, paths })

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the document is valid and complete', async () => {
  expect(await mistakesOf(document)).toEqual([])
  expect(notes).toEqual([])
})

test('the document has every route, with the suffix .json', () => {
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
  expect(Object.keys(document.paths).filter((path) => path.endsWith('.xml'))).toEqual([])
  const mounted = app.application.routes.flatMap(({ method, path }) =>
    ['json', 'xml'].map((format) =>
      `${method} ${path}`
        .replace(/\/\?$/, '')
        .replace(':format', format)
        .replace(/:(\w+)/g, '{$1}'),
    ),
  )
  expect(described.toSorted()).toEqual([...new Set(mounted)].toSorted())
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

function bodySchema({ requestBody }: Operation) {
  const [content] = Object.values(requestBody?.content ?? {})
  return document.components.schemas[content!.schema!.$ref!.split('/').at(-1)!]!
}

const filled = (body: object) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))

let visitor: Visitor
let token: Record<string, string>
beforeEach(async () => {
  visitor = app.session()
  const page = await visitor.get('/admin/things/new')
  token = { 'x-csrf-token': page.attribute('meta[name="csrf-token"]', 'content') ?? '' }
})

/** Creates a row of the path's resource and returns its id. */
async function createRow(path: string): Promise<string> {
  const list = path.startsWith('/tasks') ? '/tasks.json' : '/admin/things.json'
  const schema = bodySchema(document.paths[list]!['post']!)
  const [json] = fc.sample(record(schema, valid), 1)
  const saved = await visitor.post(list, { json, headers: token })
  expect(saved.status).toBe(201)
  return /(\d+)\.json$/.exec(saved.location ?? '')![1]!
}

/** Sends a request and compares the response with the document. */
async function send(
  { path, method }: { readonly path: string; readonly method: string },
  id: string,
  { query = '', options = {} }: { readonly query?: string; readonly options?: RequestOptions },
): Promise<Page> {
  const at = path.replace('{id}', id) + query
  const page = await visitor.request(method.toUpperCase(), at, options)
  const mismatch = checker.findMismatch(path, method, page)
  if (mismatch !== undefined) throw new Error(`${method} ${at}: ${mismatch}`)
  return page
}

const accepts = ['text/html', 'application/json', 'application/xml'] as const
const accept = fc.constantFrom(...accepts, 'text/csv', '*/*')

/** A body in every encoding, and malformed bodies. */
const encodings = (body: Record<string, unknown>): fc.Arbitrary<RequestOptions> =>
  fc.constantFrom<RequestOptions>(
    { json: body },
    { json: body },
    { form: filled(body) },
    { body: 'x', headers: { 'content-type': 'text/csv' } },
    { body: '{"', headers: { 'content-type': 'application/json' } },
    { body: '<a><b></a>', headers: { 'content-type': 'application/xml' } },
    {},
  )

// Both resources share the code for programs, so one suffix of the second resource is enough.
const tried = operations.filter(({ path }) => !/^\/tasks.*xml$/.test(path))

describe.each(tried)('$method $path', (route) => {
  const { path, operation } = route
  const hasBody = operation.requestBody !== undefined
  const schema = hasBody ? bodySchema(operation) : {}

  test('accepts valid requests, with a documented response', async () => {
    await fc.assert(
      fc.asyncProperty(record(schema, valid), fc.constantFrom(...accepts), async (json, type) => {
        const id = path.includes('{id}') ? await createRow(path) : ''
        const headers = { ...token, accept: type }
        for (const body of hasBody ? [{ json }, { form: filled(json) as never }] : [{}]) {
          const page = await send(route, id, { options: { ...body, headers } })
          if (page.status >= 400) throw new Error(`${page.status} ${page.body}`)
        }
      }),
      { numRuns: 6 },
    )
  })

  test('refuses invalid requests with a documented response', async () => {
    const id = path.includes('{id}') ? await createRow(path) : ''
    const cases = fc
      .oneof(
        record(schema, () => anything),
        fc.dictionary(text, anything, { maxKeys: 4 }),
      )
      .chain((body) =>
        fc.record({
          id: fc.constantFrom(id, id, '999999', 'x', '1.5', '%20'),
          query: fc.constantFrom(
            '',
            '?page=2',
            '?before=',
            '?after=x',
            '?page=x&size=0',
            '?size=999',
            '?sort=-text',
          ),
          accept,
          isOurs: fc.integer({ min: 0, max: 4 }),
          more: fc.constantFrom({}, {}, { 'if-match': '"x"' }, { 'if-none-match': '*' }),
          options: hasBody ? encodings(body) : fc.constant<RequestOptions>({}),
        }),
      )
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const own = one.isOurs > 0 ? token : {}
        const headers = { ...own, accept: one.accept, ...one.more, ...one.options.headers }
        await send(route, one.id, { query: one.query, options: { ...one.options, headers } })
      }),
      { numRuns: hasBody ? 24 : 12 },
    )
  })
})

test('a response that differs from the document is found', async () => {
  const [path, method] = ['/admin/things.json', 'get']
  const id = await createRow(path)
  const page = await visitor.get(path)
  expect(checker.findMismatch(path, method, page)).toBeUndefined()
  const [row] = page.json()
  const changed = (body: unknown) => ({ ...page, body: '[]', json: () => body }) as unknown as Page
  expect(checker.findMismatch(path, method, changed([{ ...row, id }]))).toContain('/0/id')
  expect(
    checker.findMismatch(path, method, changed([{ ...row, a_string: undefined }])),
  ).toBeDefined()
})

describe('the client', () => {
  const folder = join(root, 'client')
  mkdirSync(folder)
  writeFileSync(join(folder, 'api.ts'), generateClient(document))

  const usage = `import * as operations from './api.ts'
import { createClient, type TaskForm, type Thing } from './api.ts'
import { adminThingsIndex, adminThingsIndexApi, adminThingsShow, tasksCreateApi, tasksUpdatePatchApi } from './api.ts'
const api = createClient({ baseUrl: 'https://example.com', csrfToken: () => 'x' })
const form: TaskForm = { text: 'Sow', done: true }

export async function use(): Promise<string | undefined> {
  const list = await adminThingsIndexApi(api, { query: { sort: '-aString' } })
  if (list.status === 200) return list.body[0]?.a_string
  const made = await tasksCreateApi(api, { body: form, signal: AbortSignal.timeout(1000) })
  if (made.status === 201) return made.body.text
  if (made.status === 415) return made.body.code
  const one = await adminThingsShow(api, { path: { id: 1 } })
  if (one.status === 404) return one.body.title
  if (one.status === 500) return one.body.requestId
  // @ts-expect-error: a problem has no such member
  if (one.status === 404) return one.body.a_string
  // @ts-expect-error: the id of a thing is a number
  await adminThingsShow(api, { path: { id: 'x' } })
  // @ts-expect-error: an id is missing
  await adminThingsShow(api)
  // @ts-expect-error: a field is missing
  await tasksCreateApi(api, { body: { done: true } })
  // @ts-expect-error: no such field
  await tasksUpdatePatchApi(api, { path: { id: 1 }, body: { nope: true } })
  // @ts-expect-error: no such query
  await adminThingsIndex(api, { query: { nope: 1 } })
  // @ts-expect-error: a page for browsers
  operations.adminThingsEdit
  // @ts-expect-error: a suffix for other programs
  operations.adminThingsIndexApiXml
  return undefined
}

export const nameOf = (thing: Thing): string => thing.code + (thing.b_string ?? '')
`

  test('compiles in strict projects, and rejects invalid requests', () => {
    const options = {
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      isolatedModules: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      noImplicitReturns: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    writeFileSync(join(folder, 'usage.ts'), usage)
    // Schemas with the names of platform types.
    const schemas = { ...document.components.schemas }
    for (const name of ['Headers', 'Promise', 'Readonly', 'Record', 'Response'])
      schemas[name] = { type: 'object', properties: { id: { type: 'integer' } } }
    const named = generateClient({ ...document, components: { schemas } })
    writeFileSync(join(folder, 'named.ts'), named)
    const page = readFileSync(join(import.meta.dirname, '../../docs/openapi.md'), 'utf8')
    const documented = /^```typescript\n([\s\S]*?)^```$/m.exec(page)![1]!
    writeFileSync(join(folder, 'documented.ts'), documented)
    const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc')
    const { stdout, status } = spawnSync(tsc, ['-p', folder], { encoding: 'utf8' })
    expect([stdout, status]).toEqual(['', 0])
  })

  test('sends requests to the application', async () => {
    const { createClient, ...api } = await import(pathToFileURL(join(folder, 'api.ts')).href)
    const seen: string[] = []
    const send = async (url: string, init: RequestInit): Promise<Response> => {
      const headers = Object.fromEntries(new Headers(init.headers))
      seen.push(`${init.method} ${url} ${headers['accept']} ${headers['x-csrf-token']}`)
      const body = init.body === undefined ? {} : { body: init.body as string }
      const {
        status,
        headers: answered,
        ...page
      } = await app.request(init.method!, new URL(url).pathname + new URL(url).search, {
        headers,
        ...body,
      })
      return new Response(page.body === '' ? null : page.body, { status, headers: answered })
    }
    const options = { baseUrl: 'https://example.com', fetch: send, csrfToken: async () => 't' }
    const client = createClient({ ...options, headers: () => ({ 'x-own': '1' }) })
    const refused = await api.tasksCreateApi(client, { body: { text: '' } })
    expect([refused.status, refused.ok, refused.body.text]).toEqual([
      400,
      false,
      [expect.any(String)],
    ])
    const made = await api.tasksCreateApi(client, { body: { text: 'Sow & reap', done: true } })
    expect([made.status, made.ok]).toEqual([201, true])
    expect(made.body).toMatchObject({ text: 'Sow & reap', done: true })
    const id = Number(/\d+/.exec(made.headers.get('location') ?? '')?.[0])
    expect(
      (await api.tasksUpdatePatchApi(client, { path: { id }, body: { done: false } })).status,
    ).toBe(200)
    const shown = await api.tasksShowApi(client, { path: { id } })
    expect(shown.body).toMatchObject({ id, text: 'Sow & reap', done: false })
    const list = await api.tasksIndexApi(client, { query: { sort: undefined, size: 50 } })
    expect([list.body.length, list.headers.get('x-total-count')]).toEqual([1, '1'])
    expect((await api.tasksDestroyApi(client, { path: { id } })).status).toBe(204)
    expect((await api.tasksShowApi(client, { path: { id: 'a/b?' } })).body.status).toBe(404)
    expect(seen.filter((line) => !line.startsWith('POST'))).toEqual([
      `PATCH https://example.com/tasks/${id}.json application/json t`,
      `GET https://example.com/tasks/${id}.json application/json undefined`,
      'GET https://example.com/tasks.json?size=50 application/json undefined',
      `DELETE https://example.com/tasks/${id}.json application/json t`,
      'GET https://example.com/tasks/a%2Fb%3F.json application/json undefined',
    ])
  })
})

describe('the commands', () => {
  const file = (name: string) => join(root, 'written', name)
  const text = (name: string) => readFileSync(file(name), 'utf8')

  test('write the document and the client without a database', async () => {
    const { document } = await describeApplication(app.application, { sources: true })
    await writeOpenApi({ app: root, output: file('api/openapi.json') })
    const shared = shareComponents(document)
    expect(JSON.parse(text('api/openapi.json'))).toEqual(shared)
    // Each operation and each component is a line.
    for (const [name, one] of [
      ['get', shared.paths['/tasks.json']!['get']],
      ['Task', shared.components.schemas['Task']],
    ])
      expect(text('api/openapi.json')).toContain(
        `\n      "${String(name)}": ${JSON.stringify(one)},\n`,
      )
    await writeOpenApi({ app: root, output: file('openapi.yml') })
    expect(parse(text('openapi.yml'))).toEqual(shared)
    await writeClient({ app: root, output: file('client.ts') })
    expect(text('client.ts')).toBe(generateClient(document))
  })

  test('name the file that they cannot write', async () => {
    const output = join(root, 'package.json/client.ts')
    await expect(writeClient({ app: root, output })).rejects.toMatchObject({
      code: 'cli.output-failed',
      message: expect.stringContaining(output),
    })
  })
})
