/** The SQL of a request names the request: comments as sqlcommenter specifies them, and the name of the connections. */
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { temporaryFolder } from '../support/serve.ts'

const ownText = 'select query from pg_stat_activity where pid = pg_backend_pid()'
const query = async (sql: string) =>
  (await currentDatabase().query<{ query: string }>({ sql, parameters: [], name: 'own' })).rows

class Texts extends FwController {
  async sent() {
    return (await query(ownText))[0]!.query
  }
  async kysely() {
    const { rows } = await currentDatabase().kysely.executeQuery<{ query: string }>(
      CompiledQuery.raw(ownText),
    )
    return rows[0]!.query
  }
  async name() {
    const sql =
      'select application_name as query from pg_stat_activity where pid = pg_backend_pid()'
    return (await query(sql))[0]!.query
  }
}
class TextsInTransaction extends mix(Texts, TxPerRequestFilter) {}

const declare = (controller: typeof Texts) =>
  routes(controller, (r) => ({
    sent: r.get("/it's/:id", 'sent'),
    kysely: r.get('/kysely', 'kysely'),
    name: r.get('/name', 'name'),
  }))

describe.skipIf(!(await hasTestServer()))('on a PostgreSQL server', () => {
  let database: Awaited<ReturnType<typeof emptyDatabaseOn>>
  beforeAll(async () => {
    database = await emptyDatabaseOn('comments')
  })
  afterAll(async () => {
    useDatabase(undefined)
    await database.drop()
  })

  async function start(sqlComments: boolean) {
    const server = new FwServer({
      root: temporaryFolder({ 'package.json': '{ "name": "shop", "version": "1.4.0" }' }),
      configuration: Configuration.from(
        {
          db: { default: { url: database.url, sqlComments } },
          server: { hosts: ['127.0.0.1'], trustedProxies: '127.0.0.1' },
        },
        new FwEnv('test'),
      ),
    })
    const previous = process.env['DATABASE_URL']
    delete process.env['DATABASE_URL']
    onTestFinished(() => {
      if (previous !== undefined) process.env['DATABASE_URL'] = previous
    })
    const { url } = await server
      .mount(declare(Texts), '/plain')
      .mount(declare(TextsInTransaction), '/tx')
      .listen(0)
    onTestFinished(() => server.close(0))
    return async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      (await fetch(url + path, { headers })).text()
  }

  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

  test.each(['plain', 'tx'])('a statement names its route and trace: %s', async (prefix) => {
    const get = await start(true)
    const controller = prefix === 'tx' ? 'TextsInTransaction' : 'Texts'
    expect(await get(`/${prefix}/it's/5`, { traceparent })).toBe(
      `${ownText} /*action='sent',controller='${controller}',framework='fwjs',` +
        `route='%2F${prefix}%2Fit%27s%2F%3Aid',traceparent='${traceparent}'*/`,
    )
    expect(await get(`/${prefix}/kysely`, { traceparent })).toContain(
      `traceparent='${traceparent}'`,
    )
  })

  test('without a trace of the proxy, all statements of a request have one of their own', async () => {
    const get = await start(true)
    const [one, other] = [await get('/plain/kysely'), await get('/plain/kysely')]
    const traceOf = (text: string) =>
      /traceparent='00-([\da-f]{32})-[\da-f]{16}-00'/.exec(text)?.[1]
    expect(traceOf(one)).toBeDefined()
    expect(traceOf(one)).not.toBe(traceOf(other))
  })

  test('without the setting, statements are sent as they are', async () => {
    const get = await start(false)
    expect(await get("/plain/it's/5", { traceparent })).toBe(ownText)
  })

  test('a connection names the application, its version, the node and the process', async () => {
    const get = await start(false)
    expect(await get('/plain/name')).toMatch(new RegExp(`^shop/1\\.4\\.0 [^ ]+:${process.pid}$`))
  })
})
