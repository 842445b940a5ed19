/** Sends requests over HTTP while a column changes its type. No response is wrong, and none has the status 500. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { transaction } from '../../src/runtime/feature.ts'
import { emptyDatabase, mixingOrders, serveData } from '../support/data-app.ts'

const names = async () => {
  const sql = 'select name from members order by name'
  const { rows } = await currentDatabase().query<{ name: string }>({
    sql,
    parameters: [],
    name: 'members',
  })
  return rows.map(({ name }) => name).join()
}
const begin = () => currentDatabase().query({ sql: 'select 1', parameters: [] })

describe.skipIf(!(await hasTestServer()))('a changed column', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  let width = 50
  const run = (sql: string) => own.direct.query({ sql, parameters: [] })
  const widen = () => run(`alter table members alter column name type varchar(${++width})`)

  beforeAll(async () => {
    own = await emptyDatabase([
      'create table members (name varchar(50))',
      `insert into members values ('Ann')`,
    ])
  })
  afterAll(() => own.drop())

  describe.each(mixingOrders)('with the filter %s', (_order, controller) => {
    const inTransaction = async () => {
      await begin()
      return names()
    }
    const serve = () =>
      serveData(
        [
          routes(class extends controller {}, (r) => ({
            read: r.get('/read', () => names()),
            readInside: r.get('/inside', inTransaction),
            write: r.post('/write', inTransaction),
            visit: r.get('/visit', (c) => {
              c.session.set('visits', Number(c.session.get('visits') ?? 0) + 1)
              return String(c.session.get('visits'))
            }),
          })),
          routes(mix(controller, transaction({ retries: 1 })), (r) => ({
            retried: r.post('/retried', inTransaction),
          })),
        ],
        own.url,
        { poolSize: 1 },
      )
    const post = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }

    test('is read by the next request, outside a transaction and inside', async () => {
      const app = await serve()
      for (const path of ['/read', '/inside']) {
        expect(await app.send(path)).toMatchObject({ status: 200, body: 'Ann' })
        await widen()
        expect(await app.send(path)).toMatchObject({ status: 200, body: 'Ann' })
      }
    })

    test('is 503 with Retry-After for a write in a transaction, which succeeds when repeated', async () => {
      const app = await serve()
      expect(await app.send('/write', post)).toMatchObject({ status: 200 })
      await widen()
      const answer = await app.send('/write', post)
      expect(answer.status).toBe(503)
      expect(answer.headers['retry-after']).toBe('1')
      expect(await app.send('/write', post)).toMatchObject({ status: 200, body: 'Ann' })
    })

    test('makes a route with retries run again', async () => {
      const app = await serve()
      expect(await app.send('/retried', post)).toMatchObject({ status: 200 })
      await widen()
      expect(await app.send('/retried', post)).toMatchObject({ status: 200, body: 'Ann' })
    })

    test('of the session tables loses no session', async () => {
      const app = await serve()
      const first = await app.send('/visit')
      const cookie = first.headers['set-cookie']![0]!.split(';')[0]!
      const visit = async () => (await app.send('/visit', { headers: { cookie } })).body
      expect(await visit()).toBe('2')
      const value = 'alter table fw_session_attributes alter column attribute_value type'
      await run(
        `alter table fw_session_attributes alter column attribute_name type varchar(${++width + 200})`,
      )
      expect(await visit()).toBe('3')
      await run('alter table fw_sessions alter column id type int')
      expect(await visit()).toBe('4')
      await run('alter table fw_sessions alter column id type bigint')
      expect(await visit()).toBe('5')
      await run(`${value} bytea using attribute_value`)
      expect(await visit()).toBe('6')
    })
  })
})
