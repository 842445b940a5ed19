/** Statements of the specification in the forms that it writes: views, filters, sessions, futures, durations. */
import { createHmac } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  AsyncFwController,
  FwApiController,
  FwController,
  FwMicroFilter,
  FwMicroServlet,
  FwServlet,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { useDatabase } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { awaitFutures, FwSessionFilter, JsonParamsFeature } from '../../src/runtime/feature.ts'
import type { ResourceModel } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { resolveSettings } from '../../src/runtime/server/server-settings.ts'
import {
  DatabaseStore,
  MemoryStore,
  sessionMigration,
  sessionMigrationText,
} from '../../src/runtime/session.ts'
import { serve } from '../support/serve.ts'
import { startWithSessions } from '../support/session-app.ts'

const view = (name: string) => `src/main/webapp/WEB-INF/views/${name}.html.ssp`

describe('the raw body', () => {
  class Webhooks extends mix(FwController, JsonParamsFeature) {
    async receive() {
      const bytes = await new Response(this.request.inputStream).bytes()
      const text = await this.request.body()
      const again = await new Response(this.request.inputStream).text()
      const signature = createHmac('sha256', 'key').update(bytes).digest('hex')
      return { name: this.params.get('name'), isSame: text === again, signature }
    }
    mistakes() {
      // @ts-expect-error a forgotten call
      const text: string = this.request.body
      // @ts-expect-error a forgotten await
      const other: string = this.request.body()
      return [text, other]
    }
  }
  const webhooks = routes(Webhooks, (r) => ({ receive: r.post('/hook', 'receive') }))

  it.each([
    ['application/x-www-form-urlencoded', 'name=%41nn&x=1+2'],
    ['application/json', '{ "name": "Ann" }'],
  ])('is readable although the framework has read its fields: %s', async (type, body) => {
    const client = await serve([webhooks])
    const page = await client.post('/hook', { headers: { 'content-type': type }, body })
    expect(page.json()).toEqual({
      name: 'Ann',
      isSame: true,
      signature: createHmac('sha256', 'key').update(body).digest('hex'),
    })
  })
})

describe('a view', () => {
  class Pages extends FwController {
    index() {
      this.flash.now.set('alerts', ['one', 'two'])
      this.flash.now.set('alert', 'now')
      this.flash.set('notice', 'later')
      return this.render('pages/index')
    }
  }
  const pages = routes(Pages, (r) => ({ index: r.get('/', 'index') }))

  it('declares s, is named without a slash, and reads lists and now of the flash', async () => {
    const template =
      '<%@val s: Fw %>\n' +
      '<% for (const text of s.flash.list("alerts")) { %>[${text}]<% } %>' +
      '${s.flash.get("alerts")} ${s.flash.get("notice")} ${s.flash.list("notice").length} ' +
      '${s.flash.now.get("alert")} ${s.flash.now.get("notice")} ${s.flash.now.has("notice") ? "yes" : "no"} ' +
      '${s.flash.list("none").length}'
    const client = await serve([pages], { files: { [view('pages/index')]: template } })
    expect((await client.get('/')).body).toBe('[one][two]one later 1 now  no 0')
  })
})

describe('durations are texts or milliseconds', () => {
  it('of awaitFutures and warnElapsedTime', async () => {
    class Slow extends FwController {
      async wait() {
        const [value] = await this.awaitFutures(
          '5s',
          this.futureWithRequest(() => 'done'),
        )
        return this.warnElapsedTime('1h', () => value)
      }
      late() {
        return this.awaitFutures('1ms', new Promise(() => {}))
      }
    }
    const slow = routes(Slow, (r) => ({
      wait: r.get('/wait', 'wait'),
      late: r.get('/late', 'late'),
    }))
    const client = await serve([slow])
    expect((await client.get('/wait')).body).toBe('done')
    expect((await client.get('/late')).status).toBe(504)
    await expect(awaitFutures('5 sheep' as '5s')).rejects.toThrow("'5 sheep' is no duration")
  })

  it('of a server', () => {
    const { keepAliveTimeout, handlerTimeout } = resolveSettings({
      keepAliveTimeout: '10s',
      handlerTimeout: '1.5m',
    })
    expect([keepAliveTimeout, handlerTimeout]).toEqual([10_000, 90_000])
    expect(() => resolveSettings({ keepAliveTimeout: '10 sheep' as '10s' })).toThrow(
      'keepAliveTimeout is 10 sheep',
    )
  })
})

describe('futureWithRequest', () => {
  it.each([
    FwController,
    FwServlet,
    FwApiController,
    AsyncFwController,
    FwMicroFilter,
    FwMicroServlet,
  ])('is a member of %o', async (Base) => {
    class Futures extends (Base as typeof FwController) {
      path() {
        return this.futureWithRequest((request) => ({ path: request.path.text }))
      }
    }
    const futures = routes(Futures, (r) => ({ path: r.get('/path', 'path') }))
    expect((await (await serve([futures])).get('/path')).json()).toEqual({ path: '/path' })
  })
})

describe('curried routes', () => {
  it('take patterns, regular expressions and conditions', async () => {
    class Curried extends FwController {
      text() {
        return this.multiParams.get('captures').join()
      }
    }
    const curried = routes(Curried, (r) => ({
      pattern: r.get('/pattern')((c) => c.text()),
      also: r
        .get('/also/:id', { when: (ctx) => ctx.pathParam('id') === '1' })('text')
        .as('also'),
      regex: r
        .get(/^\/regex\/(.*)$/)('text')
        .as('regex'),
      regexWhen: r
        .get(/^\/when\/(.*)$/, { when: () => false })('text')
        .as('regexWhen'),
      condition: r.get({ when: (ctx) => ctx.request.path.text === '/condition' })('text'),
    }))
    const client = await serve([curried])
    const paths = ['/pattern', '/also/1', '/also/2', '/regex/a', '/when/b', '/condition', '/none']
    const statuses = await Promise.all(paths.map(async (path) => (await client.get(path)).status))
    expect(statuses).toEqual([200, 200, 404, 200, 404, 200, 404])
    expect((await client.get('/regex/a')).body).toBe('a')
  })
})

describe('fwSession', () => {
  class Counts extends mix(FwController, FwSessionFilter) {
    index() {
      this.fwSession.setAttribute('n', 1)
      return 'counted'
    }
  }
  const counts = routes(Counts, (r) => ({ index: r.get('/', 'index') }))

  it('without its initializer warns once', async () => {
    const client = await serve([counts])
    await client.get('/')
    await client.get('/')
    expect(client.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('no FwSessionInitializer is mounted')],
    ])
  })

  it('with its initializer is silent', async () => {
    const client = await startWithSessions([counts], {
      store: async () => new MemoryStore(),
    })
    await client.get('/')
    expect(client.lines).toEqual([])
  })
})

describe('the three session tables of the specification', () => {
  class Visits extends mix(FwController, FwSessionFilter) {
    count() {
      const count = Number(this.fwSession.getAttribute('count') ?? 0) + 1
      this.fwSession.setAttribute('count', count)
      return `${count}`
    }
    own() {
      this.session.sessionBelongsTo('ann')
      return 'owned'
    }
    end() {
      this.session.endSession()
      return 'ended'
    }
  }
  const visits = routes(Visits, (r) => ({
    count: r.get('/count', 'count'),
    own: r.get('/own', 'own'),
    end: r.get('/end', 'end'),
  }))

  it('are enough, until sessions have owners; the hint then creates the fourth', async () => {
    const database = await openInMemory()
    useDatabase(database)
    onTestFinished(async () => {
      useDatabase(undefined)
      await database.close()
    })
    const run = (sql: string) => database.query({ sql, parameters: [] })
    for (const statement of sessionMigration.up)
      if (!statement.includes('owner')) await run(statement)
    const client = await startWithSessions([visits], { database })
    const visitor = client.visitor()
    expect((await visitor.get('/count')).body).toBe('1')
    expect((await visitor.get('/count')).body).toBe('2')
    expect((await visitor.get('/own')).status).toBe(500)
    const { err } = client.lines.at(-1)!.fields as { err: Error }
    expect(err.message).toContain('Session tables are missing: fw_session_owners.')
    expect(err.message).toContain("sessionMigrationText(['fw_session_owners'])")
    expect((await visitor.get('/end')).status).toBe(200)
    expect(await new DatabaseStore(database).sweep(10)).toBe(1)

    const [up] = sessionMigrationText(['fw_session_owners']).split('-- down')
    for (const statement of up!.split(';')) if (statement.trim() !== '') await run(statement)
    const whole = await startWithSessions([visits], { database })
    expect((await whole.visitor().get('/own')).status).toBe(200)
  })
})

describe('a permit that fails after validate() passed', () => {
  const model: ResourceModel<{ id: number; name: string }, number> = {
    idType: ParamType.Long,
    idOf: ({ id }) => id,
    findAll: async () => [],
    findPage: async () => [],
    count: async () => 0,
    findById: async (id) => ({ id, name: 'Ann' }),
    createWithPermittedAttributes: async () => 1,
    updateById: () => ({ withPermittedAttributes: async () => 1 }),
    deleteById: async () => 1,
  }
  class Members extends FwResource(FwController, {
    model,
    resourcesName: 'members',
    resourceName: 'member',
    createFormStrongParameters: { name: ParamType.String, age: ParamType.Int },
  }) {}
  const form = 'form ${s.keyAndErrorMessages.get("age")[0]}'
  const files = { [view('members/new')]: `new ${form}`, [view('members/edit')]: `edit ${form}` }

  it.each(['/members', '/members/1'])('shows the form of %s again', async (path) => {
    const client = await serve([resource(Members)], { files })
    for (const age of ['x', undefined]) {
      const page = await client.post(path, { form: { name: 'Ann', ...(age && { age }) } })
      expect([page.status, page.body]).toEqual([
        400,
        `${path === '/members' ? 'new' : 'edit'} form age is invalid`,
      ])
    }
    const headers = { accept: 'application/json' }
    const problem = await client.post(path, { headers, form: { name: 'Ann', age: 'x' } })
    expect(problem.json()).toMatchObject({ code: 'params.invalid', status: 400 })
  })
})
