import { expect, test } from 'vitest'
import type { OpenApiDocument, Operation } from './document.ts'
import { shareComponents, type SharedDocument } from './share-components.ts'

const problem = { description: 'An error.' }
const operation = (tag: string, own: string): Operation => ({
  operationId: `${tag}${own}`,
  summary: own,
  tags: [tag],
  security: [],
  parameters: [
    { name: 'size', in: 'query', schema: { type: 'integer' } },
    { name: own, in: 'query', schema: { type: 'string' } },
  ],
  requestBody: { content: { 'application/json': {} } },
  responses: {
    200: {
      description: own,
      headers: { ETag: { schema: { type: 'string' } }, 'X-Own': { schema: { const: own } } },
    },
    404: { description: `No ${tag}` },
    default: problem,
  },
})

const document: OpenApiDocument = {
  openapi: '3.1.1',
  info: { title: 'Shop', version: '1' },
  servers: [],
  tags: [],
  paths: {
    '/a': { get: operation('a', 'list'), post: operation('a', 'list') },
    '/b': { get: operation('b', 'show') },
  },
  components: { schemas: {} },
}

/** Returns the document with the components in place of the references. */
function resolve({ components, ...rest }: SharedDocument): unknown {
  const find = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(find)
    const [, kind, name] =
      /^#\/components\/(\w+)\/(.+)$/.exec(String((value as { $ref?: unknown }).$ref)) ?? []
    const target = (components as Record<string, Record<string, object> | undefined>)[kind ?? '']?.[
      name ?? ''
    ]
    if (target !== undefined) return find(target)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, find(one)]))
  }
  return find({ ...rest, components: { schemas: components.schemas } })
}

test('what operations of several tags repeat is a component; what one tag repeats without a schema stays in place', () => {
  const shared = shareComponents(document)
  expect(Object.keys(shared.components)).toEqual([
    'schemas',
    'parameters',
    'headers',
    'requestBodies',
    'responses',
  ])
  expect(shared.components).toMatchObject({
    parameters: { size: { name: 'size' } },
    headers: { ETag: { schema: { type: 'string' } } },
    requestBodies: { Body: {} },
    responses: { Error: problem },
  })
  expect(shared.paths['/a']!['get']).toMatchObject({
    parameters: [{ $ref: '#/components/parameters/size' }, { name: 'list' }],
    responses: { 404: { description: 'No a' }, default: { $ref: '#/components/responses/Error' } },
  })
  expect(resolve(shared)).toEqual(document)
})

test('a header has the component of its name; a response without JSON has none, which some generators do not find', () => {
  const headers = (...names: string[]) =>
    Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' as const } }]))
  const other = (tag: string): Operation => ({
    ...operation(tag, 'list'),
    responses: {
      201: { description: 'Made.', headers: headers('Location', 'ETag') },
      400: { description: 'Bad.', content: { 'application/xml': {} } },
      404: { description: 'No.', content: { 'application/problem+json': { schema: {} } } },
    },
  })
  const { components, paths } = shareComponents({
    ...document,
    paths: { '/a': { get: other('a') }, '/b': { get: other('b') } },
  })
  expect(Object.keys(components.headers!)).toEqual(['Location', 'ETag'])
  expect(components.responses).toMatchObject({
    Created: { headers: { Location: { $ref: '#/components/headers/Location' } } },
  })
  expect(Object.keys(components.responses!)).toEqual(['Created', 'NotFound'])
  expect(paths['/b']!['get']).toMatchObject({ responses: { 400: { description: 'Bad.' } } })
})

test('a body and a response with a schema are components as soon as two operations have them, and have its name', () => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Member' } } }
  const list = {
    'application/json': {
      schema: { type: 'array' as const, items: { $ref: '#/components/schemas/Member' } },
    },
  }
  const put = {
    ...operation('a', 'put'),
    requestBody: { content },
    responses: { 200: { description: 'Changed.', content } },
  }
  const get = { ...operation('a', 'get'), responses: { 200: { description: 'OK', content: list } } }
  const own: OpenApiDocument = {
    ...document,
    paths: { '/a': { put, patch: { ...put, operationId: 'patch' }, get } },
  }
  const shared = shareComponents(own)
  expect(shared.components).toMatchObject({
    requestBodies: { MemberBody: { content } },
    responses: { OkMember: { content } },
  })
  expect(shared.paths['/a']!['get']).toMatchObject({ responses: { 200: { content: list } } })
  expect(resolve(shared)).toEqual(own)
})

test('the body of a path for API clients stays in place, because some generators do not resolve it', () => {
  const requestBody = {
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Member' } } },
  }
  const post = { ...operation('a', 'post'), requestBody }
  const put = { ...operation('a', 'put'), requestBody }
  const { components, paths } = shareComponents({
    ...document,
    paths: { '/a.json': { post, put } },
  })
  expect(components.requestBodies).toBeUndefined()
  expect(paths['/a.json']!['put']).toMatchObject({ requestBody })
})

test('a response has the name of its schema, except for problem details, which all errors have', () => {
  const content = (name: string) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  })
  const responses = {
    400: { description: 'Bad.', content: content('FieldErrors') },
    404: { description: 'No.', content: content('Problem') },
  }
  const paths = {
    '/a': { get: { ...operation('a', 'list'), responses } },
    '/b': { get: { ...operation('b', 'list'), responses } },
  }
  expect(Object.keys(shareComponents({ ...document, paths }).components.responses!)).toEqual([
    'BadRequestFieldErrors',
    'NotFound',
  ])
})

test('different parts of one name get numbers', () => {
  const other = { ...operation('b', 'edit'), responses: { default: { description: 'Other.' } } }
  const paths = {
    ...document.paths,
    '/c': { put: other },
    '/d': { put: { ...other, tags: ['d'] } },
  }
  const { components } = shareComponents({ ...document, paths })
  expect(Object.keys(components.responses!)).toEqual(['Error', 'Error2'])
})

test('a document of one tag stays as it is', () => {
  const own = { ...document, paths: { '/a': document.paths['/a']! } }
  expect(shareComponents(own)).toEqual(own)
})

test('the security that most protected operations have is that of the document; operations without protection say so', () => {
  const cookies = [{ session: [], csrfToken: [] }]
  const secured = (tag: string, own: string, security: Operation['security']): Operation => ({
    ...operation(tag, own),
    security,
  })
  const paths = {
    '/a': {
      get: secured('a', 'list', []),
      post: secured('a', 'create', cookies),
      put: secured('a', 'update', cookies),
      patch: secured('a', 'patch', [{}, { bearerAuth: ['write'] }]),
    },
    '/b': { get: secured('b', 'list', []), post: secured('b', 'show', []) },
  }
  const shared = shareComponents({ ...document, paths })
  const securityOf = (path: string, method: string) =>
    (shared.paths[path]![method] as Partial<Operation>).security
  expect(shared.security).toEqual(cookies)
  expect(['get', 'post', 'put', 'patch'].map((method) => securityOf('/a', method))).toEqual([
    [],
    undefined,
    undefined,
    [{}, { bearerAuth: ['write'] }],
  ])
  expect(securityOf('/b', 'get')).toEqual([])
  const one = { '/a': { get: paths['/a'].get, post: paths['/a'].post } }
  expect(shareComponents({ ...document, paths: one })).not.toHaveProperty('security')
})

test('the security of the document is the most frequent one, however long; of two with the same number, the first', () => {
  const long = [{ session: [], csrfToken: [], bearerAuth: ['orders:read', 'orders:write'] }]
  const short = [{ bearerAuth: [] }]
  const shared = (...securities: Operation['security'][]) =>
    shareComponents({
      ...document,
      paths: Object.fromEntries(
        securities.map((security, at) => [
          `/${at}`,
          { get: { ...operation('a', `list${at}`), security } },
        ]),
      ),
    }).security
  expect(shared(long, short, [], long, [], short, [], short)).toEqual(short)
  expect(shared(short, long, long, short)).toEqual(short)
  expect(shared(long, short, short, long)).toEqual(long)
  expect(shared(long, short, [], [])).toBeUndefined()
})

test('every name of a component is valid, whatever the parameter is called', () => {
  const odd = (tag: string): Operation => ({
    ...operation(tag, 'list'),
    parameters: ['filter[a]', 'größe', '[]'].map((name) => ({ name, in: 'query', schema: {} })),
    responses: { '2XX': { description: 'Fine.' }, default: problem },
  })
  const { components } = shareComponents({
    ...document,
    paths: { '/a': { get: odd('a') }, '/b': { get: odd('b') } },
  })
  expect(Object.keys(components.parameters!)).toEqual(['filter_a_', 'gr_e', '_'])
  expect(Object.keys(components.responses!)).toEqual(['Success', 'Error'])
})
