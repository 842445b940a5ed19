/** Bearer tokens in the OpenAPI document: the scheme, scopes of each operation, and the responses 401 and 403. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import {
  FwLifeCycle,
  type Mountable,
  type ServletContext,
  startApplication,
} from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { authenticateBearer, forgeryProtection, requireScopes } from '../../src/runtime/feature.ts'
import { describeApplication } from '../../src/tools/openapi.ts'
import { temporaryFolder } from '../support/serve.ts'
import { mistakesOf } from './response-checker.ts'

async function started(...mounts: readonly Mountable[]) {
  class Bootstrap extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      for (const one of mounts) one.mount(ctx)
    }
  }
  const application = await startApplication(new Bootstrap(), {
    root: temporaryFolder({ 'package.json': '{"name":"shop","version":"1.2.0"}' }),
    configuration: Configuration.from({}),
    logger: silentLogger,
    database: false,
  })
  onTestFinished(() => application.close())
  return application
}

async function described(...mounts: readonly Mountable[]) {
  const { document } = await describeApplication(await started(...mounts))
  expect(await mistakesOf(document)).toEqual([])
  return document
}

const jwt = {
  jwksUrl: 'https://id.example.com/keys',
  issuer: 'https://id.example.com/',
  audience: 'https://api.example.com',
}

class Tasks extends mix(
  FwApiController,
  authenticateBearer({ jwt, except: ['health'] }),
  requireScopes(['tasks:read'], { except: ['health', 'create'] }),
  requireScopes(['tasks:write'], { only: ['create', 'remove'] }),
) {
  index() {
    return []
  }
  create() {
    return {}
  }
  remove() {
    return 204
  }
  health() {
    return 'up'
  }
}
const tasks = routes(Tasks, (r) => ({
  index: r.get('/tasks', 'index'),
  create: r.post('/tasks', 'create'),
  remove: r.delete('/tasks/:id', 'remove'),
  health: r.get('/health', 'health'),
})).describe({ routes: { remove: { responses: { 204: 'Removed.', 403: 'Not yours.' } } } })

test('operations list the scopes that they need; the scheme says that tokens are JWTs', async () => {
  const { paths, components } = await described(tasks)
  expect(components.securitySchemes).toEqual({
    bearerAuth: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: expect.any(String),
    },
  })
  const security = (path: string, method: string) => paths[path]![method]!.security
  expect(security('/tasks', 'get')).toEqual([{ bearerAuth: ['tasks:read'] }])
  expect(security('/tasks', 'post')).toEqual([{ bearerAuth: ['tasks:write'] }])
  expect(security('/tasks/{id}', 'delete')).toEqual([{ bearerAuth: ['tasks:read', 'tasks:write'] }])
  expect(security('/health', 'get')).toEqual([])
})

test('operations list the scopes of their method', async () => {
  class Notes extends mix(
    FwApiController,
    authenticateBearer({ find: () => 'ann' }),
    requireScopes(['read'], { methods: 'safe' }),
    requireScopes(['write'], { methods: 'unsafe' }),
  ) {}
  const notes = routes(Notes, (r) => ({
    index: r.get('/notes', () => '').as('index'),
    create: r.post('/notes', () => '').as('create'),
  }))
  const { paths } = await described(notes)
  expect(paths['/notes']!['get']!.security).toEqual([{ bearerAuth: ['read'] }])
  expect(paths['/notes']!['post']!.security).toEqual([{ bearerAuth: ['write'] }])
})

test('operations have the responses 401 and 403, unless the application describes them', async () => {
  const { paths } = await described(tasks)
  const { responses } = paths['/tasks']!['get']!
  expect(responses['401']).toMatchObject({
    description: 'The token is missing or not valid.',
    headers: { 'WWW-Authenticate': { schema: { type: 'string' } } },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  })
  expect(responses['403']!.description).toBe('Forbidden: the token lacks a scope of tasks:read.')
  expect(paths['/tasks/{id}']!['delete']!.responses['403']!.description).toBe('Not yours.')
  expect(paths['/health']!['get']!.responses).not.toHaveProperty('401')
})

test('an optional token is an alternative to none, except for routes with scopes', async () => {
  class News extends mix(
    FwApiController,
    authenticateBearer({ optional: true, find: () => 'ann' }),
    requireScopes(['write'], { only: ['create'] }),
  ) {
    index() {
      return 'news'
    }
    create() {
      return 'made'
    }
  }
  const news = routes(News, (r) => ({
    index: r.get('/news', 'index'),
    create: r.post('/news', 'create'),
  }))
  const { paths } = await described(news)
  expect(paths['/news']!['get']!.security).toEqual([{}, { bearerAuth: [] }])
  expect(paths['/news']!['get']!.responses['401']!.description).toBe('The token is not valid.')
  expect(paths['/news']!['post']!.security).toEqual([{ bearerAuth: ['write'] }])
})

test('beside other tokens and sessions, the scheme has no format, and each route its own security', async () => {
  class Hooks extends mix(FwApiController, authenticateBearer({ find: () => 'ann' })) {}
  class Pages extends mix(FwController, forgeryProtection()) {}
  const hooks = routes(Hooks, (r) => ({ hook: r.get('/hook', () => '').as('hook') }))
  const pages = routes(Pages, (r) => ({ save: r.post('/save', () => '').as('save') }))
  const { paths, components } = await described(tasks, hooks, pages)
  expect(components.securitySchemes!['bearerAuth']).not.toHaveProperty('bearerFormat')
  expect(Object.keys(components.securitySchemes!)).toEqual(['bearerAuth', 'session', 'csrfToken'])
  expect(paths['/hook']!['get']!.security).toEqual([{ bearerAuth: [] }])
  expect(paths['/hook']!['get']!.responses).not.toHaveProperty('403')
  expect(paths['/save']!['post']!.security).toEqual([{ session: [], csrfToken: [] }])
})

test('the list of a route’s filters names the scopes', async () => {
  const { routes: mounted } = await started(tasks)
  const guards = mounted
    .find(({ name }) => name === 'remove')!
    .filters()
    .filter(({ owner }) => owner !== 'FwControllerBase')
  expect(guards).toEqual([
    { stage: 'guard', filter: 'authenticate', owner: 'authenticateBearer' },
    { stage: 'guard', filter: 'checkScopes tasks:read', owner: 'requireScopes' },
    { stage: 'guard', filter: 'checkScopes tasks:write', owner: 'requireScopes' },
  ])
})

test('the page to try routes sends the token that its visitor types', async () => {
  const script = readFileSync(
    join(import.meta.dirname, '../../templates/openapi/explorer.js'),
    'utf8',
  )
  const [from, to] = ['function encodeBody', '/** The headers'].map((part) => script.indexOf(part))
  const sent = Promise.withResolvers<Headers>()
  runInNewContext(
    `${script.slice(from, to)}; send(form, 'get', '/tasks', { security: [{ bearerAuth: [] }] }, {})`,
    {
      base: '',
      bearer: { value: 'typed' },
      form: undefined,
      fetch: (_address: string, { headers }: { headers: Headers }) => {
        sent.resolve(headers)
        return new Promise(() => {})
      },
      FormData: class extends FormData {
        override get() {
          return 'application/json'
        }
      },
      Headers,
      URLSearchParams,
      performance,
    },
  )
  const headers = await sent.promise
  expect(headers.get('authorization')).toBe('Bearer typed')
  expect(headers.has('x-csrf-token')).toBe(false)
})
