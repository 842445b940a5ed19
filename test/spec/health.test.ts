/** Liveness and readiness probes: what they check, and what they leave alone. */
import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createApp,
  FwLifeCycle,
  FwSessionInitializer,
  type ServletContext,
} from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { engines, openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { FwSessionFilter } from '../../src/runtime/feature.ts'
import { nodeHandler } from '../../src/runtime/server.ts'
import { MemoryStore, sessionMigration } from '../../src/runtime/session.ts'
import { recordingLogger, serve, temporaryFolder, type LogLine } from '../support/serve.ts'

const filtered: string[] = []

class Pages extends mix(FwController, FwSessionFilter) {
  static {
    this.before((controller) => {
      filtered.push(controller.request.path.text)
    })
  }
  index(): string {
    this.session.set('seen', 'yes')
    return 'index'
  }
  up(): string {
    return 'my own page'
  }
}
const pages = routes(Pages, (r) => ({ index: r.get('/', 'index') }))
const ownUp = routes(Pages, (r) => ({ up: r.get('/up', 'up') }))

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** Sends a request whose Host is the node's address in a network, as load balancers do. */
const probe = (port: number, path: string, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { Host: `10.1.2.3:${port}` }
    const sent = request({ port, path, method, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () =>
        resolve({ status: response.statusCode!, body, headers: response.headers }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })

interface StartOptions {
  readonly database?: Database | false
  readonly configuration?: Readonly<Record<string, unknown>>
  readonly init?: (ctx: ServletContext) => void
  readonly root?: string
}

async function start({ database = false, configuration = {}, init, root }: StartOptions = {}) {
  const lines: LogLine[] = []
  class Boot extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      init?.(ctx)
      pages.mount(ctx)
    }
  }
  const app = await createApp(new Boot(), {
    root: root ?? temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: recordingLogger(lines),
    configuration: Configuration.from({ health: { interval: 0 }, ...configuration }),
    database,
  })
  onTestFinished(() => app.close(0))
  const { port } = await app.listen(0)
  return { app, lines, get: (path: string, method?: string) => probe(port, path, method) }
}

const opened = async (open: () => Promise<Database>): Promise<Database> => {
  const database = await open()
  useDatabase(database)
  onTestFinished(async () => {
    useDatabase(undefined)
    await database.close()
  })
  return database
}

describe('a probe', () => {
  test('by address is answered, without the Host check, filters and caches', async () => {
    const { get } = await start()
    filtered.length = 0
    const live = await get('/up')
    expect(live).toMatchObject({ status: 200, body: '{"status":"ok"}\n' })
    expect(live.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    expect(live.headers['set-cookie']).toBeUndefined()
    expect(await get('/ready')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"sessions":"ok"/),
    })
    expect(await get('/up', 'HEAD')).toMatchObject({ status: 200, body: '' })
    expect(filtered).toEqual([])
    // Other paths and methods keep the check.
    for (const [path, method] of [
      ['/', 'GET'],
      ['/upper', 'GET'],
      ['/up', 'POST'],
    ] as const)
      expect(await get(path, method)).toMatchObject({ status: 400 })
  })

  test('gets 503 for readiness while the process uses more memory than server.maxMemory', async () => {
    const { get } = await start({ configuration: { server: { maxMemory: '1MiB' } } })
    const ready = await get('/ready')
    expect(ready).toMatchObject({ status: 503, body: '{"status":"overloaded"}\n' })
    expect(ready.headers['retry-after']).toBe('1')
    expect(await get('/up')).toMatchObject({ status: 200 })
  })

  test.each(engines)('writes no session row, nor does an unknown path: $name', async (engine) => {
    const { database, close } = await engine.open()
    useDatabase(database)
    onTestFinished(async () => {
      useDatabase(undefined)
      await close()
    })
    for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
    const { app, get } = await start({
      database,
      init: (ctx) => new FwSessionInitializer().mount(ctx),
      configuration: { health: { interval: 0 }, server: { hosts: '*' } },
    })
    const rows = async (): Promise<unknown> => {
      const sql = 'select count(*)::int as count from fw_sessions'
      return (await database.query<{ count: number }>({ sql, parameters: [] })).rows[0]?.count
    }
    for (const path of ['/up', '/ready']) expect(await get(path)).toMatchObject({ status: 200 })
    for (const path of ['/wp-login.php', '/.env'])
      expect(await get(path)).toMatchObject({ status: 404 })
    expect(await rows()).toBe(0)
    await app.fetch(new Request('http://localhost/'))
    expect(await rows()).toBe(1)
  })

  test('has the configured paths, or none', async () => {
    const { get } = await start({
      configuration: { health: { livePath: '/live', readyPath: 'off' } },
    })
    expect(await get('/live')).toMatchObject({ status: 200 })
    for (const path of ['/up', '/ready', 'off'])
      expect(await get(path)).toMatchObject({ status: 400 })
    await expect(start({ configuration: { health: { livePath: 'live' } } })).rejects.toThrow(
      /health\.livePath.*must begin with a slash/,
    )
  })

  test('is answered by the Fetch handler, and by the application if it has such a route', async () => {
    const client = await serve([ownUp, pages])
    expect(await client.get('/up')).toMatchObject({ status: 200, body: 'my own page' })
    expect(await client.get('/ready')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"status":"ok"/),
    })
    const { fetch } = client.app
    expect((await fetch(new Request('http://10.1.2.3/ready'))).status).toBe(200)
    expect((await fetch(new Request('http://10.1.2.3/'))).status).toBe(400)
  })

  test('is left to a host framework', async () => {
    const { app } = await start()
    const { createServer } = await import('node:http')
    const server = createServer((incoming, outgoing) =>
      app.handler(incoming, outgoing, () => outgoing.end('of the host')),
    )
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const response = await fetch(`http://127.0.0.1:${port}/up`)
    expect(await response.text()).toBe('of the host')
    expect(nodeHandler(app.application.handle)).toBeTypeOf('function')
  })
})

describe('readiness', () => {
  test('names each check that fails, and logs its error once', async () => {
    let working = false
    const { get, lines } = await start({
      init: (ctx) => {
        ctx.addHealthCheck('payments', () => {
          if (!working) throw new Error('no route to payments.internal')
        })
        ctx.addHealthCheck('queue', () => working)
      },
    })
    const failed = await get('/ready')
    expect(failed).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(JSON.parse(failed.body)).toEqual({
      status: 'failed',
      checks: { sessions: 'ok', payments: 'failed', queue: 'failed' },
    })
    await get('/ready')
    const causes = () => lines.filter(({ message }) => message === 'readiness check failed')
    expect(causes()).toMatchObject([{ level: 'warn', fields: { check: 'payments' } }])
    expect(await get('/up')).toMatchObject({ status: 200 })
    working = true
    expect(await get('/ready')).toMatchObject({ status: 200 })
    const changes = lines.filter(({ message }) => message === 'readiness changed')
    expect(changes.map(({ fields }) => fields['result'])).toEqual(['failed', 'failed', 'ok', 'ok'])
  })

  test('fails when a check takes longer than health.timeout, and aborts its signal', async () => {
    const aborted = Promise.withResolvers<void>()
    const { get } = await start({
      configuration: { health: { timeout: '20ms' } },
      init: (ctx) =>
        ctx.addHealthCheck('slow', (signal) => {
          signal.addEventListener('abort', () => aborted.resolve())
          return new Promise(() => {})
        }),
    })
    expect(await get('/ready')).toMatchObject({
      status: 503,
      body: expect.stringMatching(/"slow":"timed out"/),
    })
    await aborted.promise
  })

  test('runs its checks once for concurrent probes, and once in health.interval', async () => {
    let runs = 0
    const { get } = await start({
      configuration: { health: { interval: '1h' } },
      init: (ctx) => ctx.addHealthCheck('counted', () => void runs++),
    })
    await Promise.all([get('/ready'), get('/ready'), get('/ready')])
    await get('/ready')
    expect(runs).toBe(1)
  })

  test('fails without the session store', async () => {
    class Broken extends MemoryStore {
      override read(): Promise<never> {
        return Promise.reject(new Error('unreachable'))
      }
    }
    const { get } = await start({
      init: (ctx) => new FwSessionInitializer(({ lifetime }) => new Broken(lifetime)).mount(ctx),
    })
    expect(await get('/ready')).toMatchObject({
      status: 503,
      body: expect.stringMatching(/"sessions":"failed"/),
    })
  })

  test('fails without the database, not while all its connections are busy', async () => {
    const database = await opened(openInMemory)
    const { get } = await start({ database })
    expect(await get('/ready')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"database":"ok"/),
    })
    await database.transaction(async () => {
      await database.query({ sql: 'select 1', parameters: [] })
      expect(database.state).toMatchObject({ open: 1, reserved: 1 })
      expect(await get('/ready')).toMatchObject({ status: 200 })
    })
    await database.close()
    expect(await get('/ready')).toMatchObject({
      status: 503,
      body: expect.stringMatching(/"database":"failed"/),
    })
  })

  test('requires migrations where configured', async () => {
    const database = await opened(openInMemory)
    const root = temporaryFolder({
      'package.json': '{ "type": "module" }',
      'db/migration/V1__notes.sql': 'create table notes (n int);',
    })
    const lax = await start({ database, root })
    expect(await lax.get('/ready')).toMatchObject({ status: 200 })
    const health = { interval: 0, migrations: true }
    const strict = await start({ database, root, configuration: { health } })
    expect(await strict.get('/ready')).toMatchObject({
      status: 503,
      body: expect.stringMatching(/"migrations":"failed"/),
    })
    const { migrate } = await import('../../src/runtime/db.ts')
    await migrate(database, `${root}/db/migration`)
    expect(await strict.get('/ready')).toMatchObject({
      status: 200,
      body: expect.stringMatching(/"migrations":"ok"/),
    })
  })

  test('answers 503 from the begin of a stop, while requests are still served', async () => {
    const { app, get } = await start({
      configuration: { server: { drainDelay: '1h', hosts: '*' } },
    })
    const closing = app.close()
    expect(await get('/ready')).toMatchObject({ status: 503, body: '{"status":"draining"}\n' })
    expect(await get('/up')).toMatchObject({ status: 200 })
    expect(await get('/')).toMatchObject({ status: 200 })
    app.destroy()
    await closing
  })
})
