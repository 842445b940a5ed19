/** Sends more requests than the database can serve in time: some get 503, the others succeed. */
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

  test('gives requests 503 with Retry-After after acquireTimeout, and serves the others in order', async () => {
    const app = await start({ acquireTimeout: '500ms' })
    const served: number[] = []
    const responses = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const response = await app.get('/')
        if (response.status === 200) served.push(at)
        return response
      }),
    )
    const refused = responses.filter(({ status }) => status === 503)
    expect(served.length + refused.length).toBe(200)
    expect(served.length).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
    expect(served).toEqual(served.toSorted((one, other) => one - other))
    for (const { headers } of refused) expect(headers.get('retry-after')).toBe('1')
    const errors = app.lines.filter(({ message }) => message !== 'request')
    expect(errors.length).toBeLessThan(refused.length)
    expect(errors[0]!.fields['err']).toMatchObject({ code: 'db.pool-exhausted' })
    // The access log contains only the requests that succeeded.
    const access = app.lines.filter(({ message }) => message === 'request')
    expect(access.length).toBe(served.length)
    expect((await app.get('/')).status).toBe(200)
  })

  test('serves all requests in time', async () => {
    const app = await start({ acquireTimeout: '1h' })
    const responses = await Promise.all(Array.from({ length: 60 }, () => app.get('/')))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  })
})
