/** Tests a start before the database is available: the readiness probe gets 503 until the database responds. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  FwLifeCycle,
  type ServletContext,
  startApplication,
  StartingServer,
} from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  runOnServer,
} from '../../src/runtime/db/test-server.fixture.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

const pages = routes(FwController, (r) => ({
  index: r.get('/', async () => {
    const { rows } = await currentDatabase().query({ sql: 'select 7 as n', parameters: [] })
    return JSON.stringify(rows)
  }),
}))

class Boot extends FwLifeCycle {
  starts = 0
  override async initFwApp(ctx: ServletContext): Promise<void> {
    this.starts += 1
    await currentDatabase().ping()
    pages.mount(ctx)
  }
}

/**
 * Starts the application with this database, without waiting. `started` settles when the start has succeeded or failed.
 */
async function begin(url: string) {
  vi.stubEnv('DATABASE_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines: LogLine[] = []
  const logger = recordingLogger(lines)
  const configuration = Configuration.from({ health: { waitForDatabase: true, interval: 0 } })
  const root = temporaryFolder({ 'package.json': '{ "type": "module" }' })
  const server = new StartingServer(configuration, logger)
  onTestFinished(() => server.close(0))
  const listening = await server.listen(0, '127.0.0.1')
  const lifeCycle = new Boot()
  const { signal } = server
  const started = startApplication(lifeCycle, { root, configuration, logger, signal }).then(
    (application) => server.serve(application),
  )
  started.catch(() => {})
  const waited = (): number =>
    lines.filter(({ message }) => message === 'the start waits for the database').length
  const get = async (path: string) => {
    const response = await fetch(listening.url + path)
    return { status: response.status, body: await response.text(), headers: response.headers }
  }
  return { server, started, lifeCycle, get, waited }
}

test('a close ends the wait, without a call of the life cycle', async () => {
  // Port 1 is reserved, so no server listens on it.
  const { server, started, lifeCycle, get, waited } = await begin(
    'postgres://nobody@127.0.0.1:1/none',
  )
  await expect.poll(waited).toBeGreaterThan(1)
  expect(await get('/up')).toMatchObject({ status: 200 })
  expect(await get('/ready')).toMatchObject({ status: 503, body: '{"status":"starting"}\n' })
  const page = await get('/')
  expect(page.status).toBe(503)
  expect(page.headers.get('retry-after')).toBe('1')
  await server.close(0)
  await expect(started).rejects.toMatchObject({ name: 'AbortError' })
  expect(lifeCycle.starts).toBe(0)
})

describe.skipIf(!(await hasTestServer()))('with a server', () => {
  test('the application starts once, when its database exists', async () => {
    const { url, name, drop } = await emptyDatabaseOn('waiting')
    await drop()
    const { started, lifeCycle, get, waited } = await begin(url)
    onTestFinished(drop)
    await expect.poll(waited).toBeGreaterThan(0)
    expect(await get('/ready')).toMatchObject({ status: 503 })
    await runOnServer(`create database ${name}`)
    await started
    expect(await get('/ready')).toMatchObject({ status: 200 })
    expect(await get('/')).toMatchObject({ status: 200, body: '[{"n":7}]' })
    expect(lifeCycle.starts).toBe(1)
  })
})
