/** testApp: its database, session fixtures, and errors that reject the request of a test. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { signToken, verifyToken } from '../../runtime/accounts.ts'
import { FwLifeCycle, FwSessionInitializer, type ServletContext } from '../../runtime/app.ts'
import { Configuration } from '../../runtime/config.ts'
import { currentDatabase } from '../../runtime/db.ts'
import { FwController, FwSessionFilter, mix, ParamType, routes } from '../../index.ts'
import { sessionMigrationText } from '../../session.ts'
import { testApp } from './test-app.ts'

class OrdersController extends FwController {
  static {
    this.protectFromForgery()
  }
  show() {
    return {
      user: this.session.get('userId'),
      notice: this.flash.get('notice'),
      since: String(this.session.get('since')),
    }
  }
  page() {
    return String(this.flash.get('notice'))
  }
  create() {
    return `created by ${String(this.session.get('userId'))}`
  }
  client() {
    return `${this.request.header('x-client')} ${String(this.session.get('userId'))}`
  }
  async token() {
    const token = this.params.get('token') ?? ''
    return (await verifyToken(token, { purpose: 'order' })).status
  }
  async fail() {
    await Promise.resolve()
    throw new RangeError(`no order ${this.params.get('id')}`)
  }
}
const orders = routes(OrdersController, (r) => ({
  show: r.get('/order', 'show'),
  page: r.get('/page', 'page'),
  create: r.post('/orders', 'create'),
  fail: r.get('/orders/:id', 'fail'),
  client: r.get('/client', 'client'),
  token: r.get('/token', 'token'),
}))
class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    orders.mount(ctx)
  }
}

const root = mkdtempSync(join(tmpdir(), 'fw-test-app-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
afterAll(() => rmSync(root, { recursive: true, force: true }))
// No server listens there; the first query would connect.
const reports = { url: 'postgres://postgres@127.0.0.1:1/none' }
const options = { root, configuration: Configuration.from({ db: { reports } }) }
const app = await testApp(Bootstrap, options)
const throwing = await testApp(Bootstrap, { ...options, throwFaults: true })

test('a token that is signed outside a request is valid in each application', async () => {
  const token = signToken({ purpose: 'order', subject: 7, expires: '1h' })
  for (const one of [app, throwing])
    expect((await one.get('/token', { query: { token } })).body).toBe('valid')
})

test('additional databases are open', () => {
  expect(currentDatabase('reports').engine).toBe('postgres')
})

test('a visitor starts with the attributes and the flash of its fixture', async () => {
  const since = new Date(0)
  const visitor = app.session({ attributes: { userId: 7, since }, flash: { notice: 'Saved' } })
  expect((await visitor.get('/order')).json()).toEqual({
    user: 7,
    notice: 'Saved',
    since: String(since),
  })
  expect((await visitor.get('/page')).body).toBe('Saved')
  expect((await visitor.get('/order')).json()).toEqual({ user: 7, since: String(since) })
  expect((await app.session().get('/order')).json()).toEqual({ since: 'undefined' })
})

test('the forgery token of a fixture goes with forms and other bodies', async () => {
  const visitor = app.session({ attributes: { userId: 7 } })
  expect((await visitor.post('/orders', { form: { a: 1 } })).body).toBe('created by 7')
  expect((await visitor.post('/orders', { json: { a: 1 } })).body).toBe('created by 7')
  expect((await app.session({}).post('/orders', { json: {} })).status).toBe(200)
  expect((await app.session().post('/orders', { json: {} })).status).toBe(403)
})

test('concurrent requests share the session of the fixture', async () => {
  const visitor = app.session({ attributes: { userId: 7 } })
  const pages = await Promise.all([visitor.get('/order'), visitor.post('/orders', { json: {} })])
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(pages[1].body).toBe('created by 7')
})

test('the headers of a fixture go with every request, and begin no session', async () => {
  const visitor = app.session({ headers: { 'x-client': 'a' } })
  expect((await visitor.get('/client')).body).toBe('a undefined')
  expect((await visitor.get('/client', { headers: { 'x-client': 'b' } })).body).toBe('b undefined')
  const both = app.session({ headers: { 'x-client': 'a' }, attributes: { userId: 7 } })
  expect((await both.get('/client')).body).toBe('a 7')
  expect((await visitor.post('/orders', { json: {} })).status).toBe(403)
})

test('an error rejects the request that caused it, unchanged', async () => {
  expect((await app.get('/orders/1')).status).toBe(500)
  const [one, other, sound] = await Promise.allSettled([
    throwing.get('/orders/1'),
    throwing.session().get('/orders/2'),
    throwing.get('/order'),
  ])
  expect(one).toMatchObject({ status: 'rejected', reason: new RangeError('no order 1') })
  expect(other).toMatchObject({ status: 'rejected', reason: new RangeError('no order 2') })
  expect(sound).toMatchObject({ status: 'fulfilled', value: { status: 200 } })
  expect((await throwing.get('/nowhere')).status).toBe(404)
})

describe('an application with database sessions', async () => {
  const dataRoot = join(root, 'data')
  mkdirSync(join(dataRoot, 'db/migration'), { recursive: true })
  writeFileSync(join(dataRoot, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(dataRoot, 'db/migration/V20260101000000__sessions.sql'),
    sessionMigrationText(),
  )
  class VisitsController extends mix(FwController, FwSessionFilter) {
    async show() {
      const visits = (this.session.getAs('visits', ParamType.Int) ?? 0) + 1
      this.session.set('visits', visits)
      const { rows } = await currentDatabase().query<{ count: number }>({
        sql: 'select count(*)::int as count from fw_sessions',
        parameters: [],
      })
      return { visits, stored: rows[0]!.count }
    }
  }
  const visits = routes(VisitsController, (r) => ({ show: r.get('/', 'show') }))
  class DataBootstrap extends FwLifeCycle {
    override async initFwApp(ctx: ServletContext): Promise<void> {
      new FwSessionInitializer().mount(ctx, '/*')
      await currentDatabase().query({ sql: 'select 1', parameters: [] })
      visits.mount(ctx)
    }
  }
  const [one, two] = await Promise.all([
    testApp(DataBootstrap, { root: dataRoot }),
    testApp(DataBootstrap, { root: dataRoot, throwFaults: true }),
  ])

  test.each([1, 2])('starts, and each test begins with the migrated tables (%i)', async () => {
    const visitor = one.session()
    expect((await visitor.get('/')).json()).toEqual({ visits: 1, stored: 0 })
    expect((await visitor.get('/')).json()).toEqual({ visits: 2, stored: 1 })
    expect((await two.session().get('/')).json()).toEqual({ visits: 1, stored: 1 })
  })
})

test("an application of a suite or a test leaves the others open under Node's runner", () => {
  const lines = (name: string) => `
    import { describe, it } from 'node:test'
    import assert from 'node:assert/strict'
    import { testApp } from '${new URL('../../testing.ts', import.meta.url)}'
    import { FwLifeCycle } from '${new URL('../../index.ts', import.meta.url)}'
    const options = { root: '${root}' }
    class Bootstrap extends FwLifeCycle {
      initFwApp() {}
      destroyFwApp() { this.ended = true }
    }
    const lifeCycle = new Bootstrap()
    const app = await testApp(lifeCycle, options)
    describe('a suite of ${name}', async () => {
      const inner = await testApp(Bootstrap, options)
      it('runs', async () => {
        await testApp(Bootstrap, options)
        assert.equal((await inner.get('/')).status, 404)
      })
    })
    it('the application is open', () => assert.equal(lifeCycle.ended, undefined))
    it('so it stays', async () => assert.equal((await app.get('/')).status, 404))
    process.once('exit', () => assert.equal(lifeCycle.ended, true))`
  const files = ['one', 'two'].map((name) => join(root, `${name}.test.mjs`))
  for (const file of files) writeFileSync(file, lines(file))
  const env = { ...process.env, NODE_OPTIONS: '', VITEST: undefined, NODE_TEST_CONTEXT: undefined }
  // Node 22 has the flag only under its experimental name.
  const isolation = process.allowedNodeEnvironmentFlags.has('--test-isolation')
    ? '--test-isolation=none'
    : '--experimental-test-isolation=none'
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--test', isolation, ...files],
    { encoding: 'utf8', env },
  )
  expect(stderr + (status === 0 ? '' : stdout)).toBe('')
}, 60_000)

describe('as', async () => {
  class WithLogin extends Bootstrap {
    override async sessionOf(user: { readonly id: number }) {
      await Promise.resolve()
      return { userId: user.id }
    }
  }
  class WithToken extends Bootstrap {
    override headersOf(user: { readonly name: string }) {
      return { 'x-client': user.name }
    }
  }
  const withLogin = await testApp(WithLogin, options)
  const withToken = await testApp(WithToken, options)

  test('logs a user in with a session of the store, and a forgery token', async () => {
    const visitor = withLogin.session().as({ id: 7 })
    expect((await visitor.get('/order')).json()).toMatchObject({ user: 7 })
    expect((await visitor.post('/orders')).body).toBe('created by 7')
    expect((await visitor.as({ id: 8 }).post('/orders')).body).toBe('created by 8')
    const other = withLogin.session({ flash: { notice: 'Saved' }, headers: { 'x-client': 'test' } })
    const [order, client] = [await other.as({ id: 9 }).get('/order'), await other.get('/client')]
    expect(order.json()).toMatchObject({ user: 9, notice: 'Saved' })
    expect(client.body).toBe('test 9')
    expect((await withLogin.session().get('/order')).json()).not.toHaveProperty('user')
    const stranger = withLogin.session().as(null)
    expect((await stranger.get('/order')).json()).not.toHaveProperty('user')
    // @ts-expect-error a finder may find no user
    const lost = () => withLogin.session().as(undefined)
    expect(lost).toThrow(expect.objectContaining({ code: 'testing.user-undefined' }))
    // @ts-expect-error a user has an id
    withLogin.session().as({ name: 'Ann' })
  })

  test('sends the headers of an API client', async () => {
    const visitor = withToken.session().as({ name: 'Ann' })
    expect((await visitor.get('/client')).body).toBe('Ann undefined')
  })

  test('needs an application that says what a session contains', async () => {
    // @ts-expect-error this application has no users
    const visitor = app.session().as({ id: 7 })
    await expect(visitor.get('/order')).rejects.toMatchObject({ code: 'testing.no-login' })
  })
})
