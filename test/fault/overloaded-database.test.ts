/** Sends more requests than the database can serve: some get 503 early, the others succeed. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, registeredDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { prepareChecks } from '../support/fault-checks.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

class Pages extends mix(FwController, TxPerRequestFilter) {
  async show() {
    await currentDatabase().query({ sql: 'select pg_sleep(0.02)', parameters: [] })
    return 'served'
  }
}

describe.skipIf(!(await hasTestServer()))('a pool whose queue does not drain', () => {
  async function start(settings: object) {
    vi.stubEnv('DATABASE_URL', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { url, drop } = await emptyDatabaseOn('overload')
    onTestFinished(drop)
    const uploads = temporaryFolder()
    const app = await serve(
      [routes(class extends Pages {}, (r) => ({ show: r.get('/', 'show') }))],
      {
        configuration: {
          db: { default: { url, poolSize: 1, ...settings } },
          accessLog: { enabled: true },
          upload: { location: uploads },
        },
      },
    )
    const page = async () => (await app.get('/up')).status
    const database = registeredDatabase('default')!
    onTestFinished(await prepareChecks({ page, database, uploads }))
    return app
  }

  test('gives requests 503 with Retry-After before acquireTimeout, and logs one line a second', async () => {
    const app = await start({ maxQueueTime: '50ms', acquireTimeout: '1h' })
    const responses = await Promise.all(Array.from({ length: 200 }, () => app.get('/')))
    const refused = responses.filter(({ status }) => status === 503)
    const served = responses.filter(({ status }) => status === 200)
    expect(served.length + refused.length).toBe(200)
    expect(served.length).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
    const lines = app.lines.filter(({ message }) => message !== 'request')
    expect(lines.length).toBeLessThan(refused.length)
    expect(lines[0]!.fields['err']).toMatchObject({ code: 'db.overloaded' })
    // The access log contains only the requests that succeeded.
    const access = app.lines.filter(({ message }) => message === 'request')
    expect(access.length).toBe(served.length)
    expect((await app.get('/')).status).toBe(200)
  })

  test('serves all requests without the setting', async () => {
    const app = await start({ acquireTimeout: '1h' })
    const responses = await Promise.all(Array.from({ length: 60 }, () => app.get('/')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
