/** Tests that what outlives a request (connections, timers) neither logs its id nor keeps it in memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { emptyDatabaseOn, hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { MainThreadLocalEverywhere } from '../../src/runtime/feature.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

const ended: WeakRef<object>[] = []
const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })

class Pages extends mix(FwController, MainThreadLocalEverywhere) {
  /** Runs a statement with a mark in a transaction, which reserves a connection. */
  async reserved() {
    await currentDatabase().transaction(() => this.#sleep())
    return this.ctx.requestId
  }
  async shared() {
    await this.#sleep()
    return this.ctx.requestId
  }
  async listens() {
    const listening = new AbortController()
    for await (const payload of currentDatabase().listen('changes', listening.signal))
      if (payload === '') listening.abort()
    return this.ctx.requestId
  }
  async #sleep() {
    ended.push(new WeakRef(this.ctx))
    await query(`select pg_sleep(0.02), '${this.params.get('mark')}'`)
  }
}
const pages = routes(Pages, (r) => ({
  reserved: r.get('/reserved/:mark', 'reserved'),
  shared: r.get('/shared/:mark', 'shared'),
  listens: r.get('/listens', 'listens'),
}))

const hasServer = await hasTestServer()

describe.each(['pglite', ...(hasServer ? ['postgres'] : [])])('%s', (engine) => {
  let own: Awaited<ReturnType<typeof emptyDatabaseOn>> | undefined
  beforeAll(async () => {
    if (engine === 'postgres') own = await emptyDatabaseOn('context')
  })
  afterAll(async () => {
    useDatabase(undefined)
    await own?.drop()
  })

  /** Starts an application that logs each statement and the ids of requests. Its database opens at the first query. */
  async function start() {
    const lines: LogLine[] = []
    const settings = own === undefined ? {} : { url: own.url, poolSize: 2 }
    const server = new FwServer({
      root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
      logger: recordingLogger(lines),
      database: 'on-demand',
      configuration: Configuration.from(
        {
          accessLog: { enabled: true },
          db: { default: { ...settings, slowQuery: 0, statementTimeout: '10s' } },
        },
        new FwEnv('test'),
      ),
    })
    const previous = process.env['DATABASE_URL']
    delete process.env['DATABASE_URL']
    onTestFinished(() => {
      if (previous !== undefined) process.env['DATABASE_URL'] = previous
    })
    const { url } = await server.mount(pages).listen(0)
    onTestFinished(() => server.close(0))
    const get = async (path: string) => (await fetch(url + path)).text()
    return { get, lines }
  }

  test('a slow statement is logged with the id of the request that sent it', async () => {
    const { get, lines } = await start()
    const marks = Array.from({ length: 24 }, (_, at) => `mark-${at}.`)
    const ids = new Map<string, string>()
    for (let from = 0; from < marks.length; from += 8)
      await Promise.all(
        marks.slice(from, from + 8).map(async (mark, at) => {
          ids.set(mark, await get(`/${at % 2 === 0 ? 'reserved' : 'shared'}/${mark}`))
        }),
      )
    const logged = new Map<string, unknown>()
    for (const { message, fields } of lines) {
      const mark = /mark-\d+\./.exec(String(fields['sql']))?.[0]
      if (message === 'slow query' && mark !== undefined) logged.set(mark, fields['requestId'])
    }
    expect(logged).toEqual(ids)
  })

  test('a request that opened connections is collected while they stay open', async () => {
    const { get } = await start()
    ended.length = 0
    await Promise.all(['a', 'b', 'c'].map((mark) => get(`/reserved/${mark}`)))
    await get('/shared/d')
    await get('/listens')
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const left = (): number => {
      collect()
      return ended.filter((one) => one.deref() !== undefined).length
    }
    await expect.poll(left, { interval: 100 }).toBe(0)
    expect(currentDatabase().state.open).toBeGreaterThan(0)
  })
})
