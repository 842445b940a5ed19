/** Sends random requests to an application with every kind of controller. None may cause a crash, a hang or a 500. */
import { describe, expect, it } from 'vitest'
import {
  AsyncFwApiController,
  FwApiController,
  FwController,
  FwServlet,
  microFilter,
  microServlet,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import {
  ErrorPageFilter,
  FileUploadFeature,
  JsonParamsFeature,
  MainThreadLocalEverywhere,
} from '../../src/runtime/feature.ts'
import { MethodOverride, type Mountable } from '../../src/runtime/app.ts'
import { NotFound } from '../../src/runtime/http.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { dateFormat, maxLength, numeric, paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'
import { randomOf, randomRequest } from './random-requests.ts'

const runs = Number(process.env['FW_FUZZ_RUNS'] ?? 20_000)
const seed = Number(process.env['FW_FUZZ_SEED'] ?? 1)

class ApplicationController extends mix(FwController, ErrorPageFilter) {
  static {
    this.notFound((c) => c.render('/error/404'))
    this.methodNotAllowed((_c, allowed) => allowed)
    this.trap(401, (c) => c.redirect('/'))
  }
}

class Members extends ApplicationController {
  static {
    this.protectFromForgery({ only: ['patch'] })
    this.beforeAction({ only: ['show'] }, (c) => c.set('id', c.params.get('id')))
    this.afterAction(async (c) => c.flash.set('last', c.params.get('name') ?? ''))
  }
  index() {
    this.set('page', this.params.getAsOrElse('page', ParamType.Int, 1))
    return this.render('/members/index')
  }
  show() {
    const id = this.params.getAs('id', ParamType.Long)
    if (id === undefined) this.haltWithBody(404)
    if (id < 0) this.halt(401)
    return { id, ids: this.multiParams.getAs('ids', ParamType.Int), was: this.flash.get('last') }
  }
  create() {
    const params = this.params.withDate('birthday')
    const form = this.validation(
      params,
      paramKey('name').is(required, maxLength(100)),
      paramKey('birthday').is(required, dateFormat),
      paramKey('page').is(numeric),
    )
    this.set('page', 0)
    if (!form.validate()) return this.render('/members/index')
    this.cookies.set('name', params.get('name')!)
    const { name } = params.permit({ name: ParamType.String, birthday: ParamType.LocalDate })
    this.session.set('name', name)
    return this.redirect(this.url(members.showUrl, { id: name }))
  }
  open() {
    return Object.fromEntries(this.formMultiParams.toMap())
  }
}
const members = routes(Members, (r) => ({
  indexUrl: r.get('/members/?', 'index').as('index'),
  showUrl: r.get('/members/:id(.:format)?', 'show').as('show'),
  createUrl: r.post('/members/?', 'create').as('create'),
  openUrl: r.post('/open/*', 'open').as('open'),
  patchUrl: r.patch('/members/:id', 'open').as('patch'),
}))

class Files extends mix(FwServlet, FileUploadFeature) {
  upload() {
    return this.fileParams.get('file')?.name ?? NotFound()
  }
  show() {
    return this.multiParams.get('splat')
  }
}
class Api extends mix(FwApiController, JsonParamsFeature) {
  echo() {
    return Object.fromEntries(this.params.toMap())
  }
  async body() {
    return { json: await this.request.json() }
  }
}
class Late extends mix(AsyncFwApiController, MainThreadLocalEverywhere) {
  async index() {
    const [path] = await this.awaitFutures(
      10_000,
      this.futureWithRequest(({ path }) => path.text),
    )
    return path
  }
}

const controllers = () => [
  new MethodOverride(),
  members,
  routes(Api, (r) => ({
    echo: r.post('/api/:id', 'echo'),
    put: r.put('/api/*', 'body'),
    del: r.delete('/api/:id', 'echo').as('del'),
  })),
  routes(Late, (r) => ({ index: r.get(/^\/r(\/[^/]*)?/, 'index') })),
  microFilter((r) => ({
    root: r.get('/', () => 'root'),
    query: r.query('/micro', async (c) => c.request.body()),
    guarded: r.get('/micro', { when: (ctx) => ctx.queryParams.has('id') }, (c) => c.pass()),
    bytes: r.get('/micro/:id', (c) => new TextEncoder().encode(c.params.get('id'))),
  })),
  [
    routes(Files, (r) => ({ upload: r.post('/', 'upload'), show: r.get('/*', 'show') })),
    '/files',
  ] as [Mountable, string],
  microServlet((r) => ({ deep: r.get('/micro/*.*', (c) => c.multiParams.get('splat')) })),
]

const files = {
  'src/main/webapp/a.json': '{}',
  'src/main/webapp/WEB-INF/views/members/index.html.ssp':
    "<%@val page: number %><p title=\"${s.params.get('name')}\">${page} ${s.flash.get('last')} ${s.requestPathWithQueryString}</p>${s.csrfHiddenInputTag}",
  'src/main/webapp/WEB-INF/views/error/404.html.ssp': '<h1>${s.requestPath}</h1>',
}

async function drain(body: unknown): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel()
  else if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
    for await (const _ of body as AsyncIterable<unknown>);
}

describe('a mixed application', () => {
  it(`answers ${runs} random requests (seed ${seed})`, { timeout: 600_000 }, async () => {
    const app = await serve(controllers(), { files })
    const { handle } = app.app.application
    const random = randomOf(seed)
    const statuses = new Map<number, number>()
    for (let i = 0; i < runs; i++) {
      const request = randomRequest(random)
      app.lines.length = 0
      const { status, body } = await handle(request)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await drain(body)
      if (status >= 500)
        expect.fail(
          `${request.method} ${request.target} ${JSON.stringify([...request.headers()])}: ${status} ${String((app.lines[0]?.fields['err'] as Error | undefined)?.stack)}`,
        )
    }
    // The statuses show that the requests have reached every part of the application.
    for (const status of [200, 204, 302, 400, 403, 404, 405])
      expect(
        statuses.get(status) ?? 0,
        `${status} of ${JSON.stringify([...statuses])}`,
      ).toBeGreaterThan(0)
  })
})
