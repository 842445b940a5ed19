/** testApp: sessions that are given, and faults that are thrown to the test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FwLifeCycle, type ServletContext } from '../app.ts'
import { Configuration } from '../config.ts'
import { currentDatabase } from '../db.ts'
import { FwController, routes } from '../index.ts'
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
  create() {
    return `created by ${String(this.session.get('userId'))}`
  }
  async fail() {
    await Promise.resolve()
    throw new RangeError(`no order ${this.params.get('id')}`)
  }
}
const orders = routes(OrdersController, (r) => ({
  show: r.get('/order', 'show'),
  create: r.post('/orders', 'create'),
  fail: r.get('/orders/:id', 'fail'),
}))
class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    orders.mount(ctx)
  }
}

const root = mkdtempSync(join(tmpdir(), 'fw-test-app-'))
writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
afterAll(() => rmSync(root, { recursive: true, force: true }))
// Nothing listens there: a server is reached by the first query.
const reports = { url: 'postgres://postgres@127.0.0.1:1/none' }
const options = { root, configuration: Configuration.from({ db: { reports } }) }
const app = await testApp(Bootstrap, options)
const throwing = await testApp(Bootstrap, { ...options, throwFaults: true })

test('further databases are open', () => {
  expect(currentDatabase('reports').engine).toBe('postgres')
})

test('a visitor begins with the session and the flash that are given', async () => {
  const since = new Date(0)
  const visitor = app.session({ attributes: { userId: 7, since }, flash: { notice: 'Saved' } })
  expect((await visitor.get('/order')).json()).toEqual({
    user: 7,
    notice: 'Saved',
    since: String(since),
  })
  expect((await visitor.get('/order')).json()).toEqual({ user: 7, since: String(since) })
  expect((await app.session().get('/order')).json()).toEqual({ since: 'undefined' })
})

test('the token of a given session goes with forms and other bodies alike', async () => {
  const visitor = app.session({ attributes: { userId: 7 } })
  expect((await visitor.post('/orders', { form: { a: 1 } })).body).toBe('created by 7')
  expect((await visitor.post('/orders', { json: { a: 1 } })).body).toBe('created by 7')
  expect((await app.session({}).post('/orders', { json: {} })).status).toBe(200)
  expect((await app.session().post('/orders', { json: {} })).status).toBe(403)
})

test('requests that are sent at once share the session that is given', async () => {
  const visitor = app.session({ attributes: { userId: 7 } })
  const pages = await Promise.all([visitor.get('/order'), visitor.post('/orders', { json: {} })])
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect(pages[1].body).toBe('created by 7')
})

test('a fault is thrown to the request that met it, as it was', async () => {
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
