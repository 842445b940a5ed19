/** Statements in development: a failed one names the application's line, and a line that reads rows one by one is logged. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FwController, routes } from '../../src/index.ts'
import { FwLifeCycle, startApplication, type ServletContext } from '../../src/runtime/app.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { fetchHandler } from '../../src/runtime/server.ts'
import { developmentErrorReporter } from '../../src/tools/dev.ts'
import { RecordFolder } from '../../src/tools/dev/request-record.ts'
import { recordingLogger, temporaryFolder, type LogLine } from '../support/serve.ts'

const reports = `export const broken = (database) =>
  database.query({ sql: 'select no_such_column', parameters: [] })

export async function loop(database, times) {
  for (let id = 0; id < times; id++)
    await database.query({ sql: 'select $1::int', parameters: [id] })
  await database.query({ sql: 'select 1', parameters: [] })
}
`

interface Reports {
  broken(database: Database): Promise<unknown>
  loop(database: Database, times: number): Promise<void>
}

let engine: OpenEngine
const logged: LogLine[] = []

beforeAll(async () => {
  const logger = recordingLogger(logged)
  engine = await engines[0]!.open({ logger })
  useDatabase(engine.database)
})
afterAll(async () => {
  useDatabase(undefined)
  await engine.close()
})

async function application() {
  const root = temporaryFolder({ 'package.json': '{}', 'src/reports.mjs': reports })
  const file = join(root, 'src/reports.mjs')
  const { broken, loop } = (await import(pathToFileURL(file).href)) as Reports

  class ReportController extends FwController {
    broken() {
      return broken(engine.database)
    }

    async loop() {
      await loop(engine.database, Number(this.params.get('times')))
      return 'done'
    }
  }
  const controller = routes(ReportController, (r) => ({
    brokenUrl: r.get('/broken', 'broken'),
    loopUrl: r.get('/loop/:times', 'loop'),
  }))
  class Bootstrap extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      controller.mount(ctx)
    }
  }
  const env = new FwEnv('development')
  const lines: LogLine[] = []
  const app = await startApplication(new Bootstrap(), {
    root,
    configuration: Configuration.from(
      { secretKeyBase: 'x'.repeat(48), server: { hosts: ['localhost'] } },
      env,
    ),
    logger: recordingLogger(lines),
    database: engine.database,
    errorReporter: developmentErrorReporter(env, root),
  })
  onTestFinished(() => app.close())
  const fetch = fetchHandler(app.handle)
  const get = (path: string, accept: string) =>
    fetch(new Request(`http://localhost${path}`, { headers: { accept } }), {
      remoteAddress: '127.0.0.1',
    })
  return { root, file, get, lines }
}

test('page, JSON, log and record name the line that sent the statement', async () => {
  const { root, file, get, lines } = await application()
  const page = await (await get('/broken', 'text/html')).text()
  expect(page).toContain('src/reports.mjs:2')
  const response = await get('/broken', 'application/json')
  const { fault } = (await response.json()) as { fault: unknown }
  expect(fault).toMatchObject({ name: 'QueryError', place: { file: 'src/reports.mjs', line: 2 } })
  const stacks = lines.map(({ fields }) => (fields['err'] as Error | undefined)?.stack ?? '')
  expect(stacks.filter((stack) => stack.includes(`${file}:2`))).toHaveLength(2)

  const records = new RecordFolder(join(root, 'tmp/errors'))
  const id = response.headers.get('x-request-id')!
  await expect.poll(() => records.ids(), { interval: 20 }).toContain(id)
  expect(JSON.parse(readFileSync(join(root, 'tmp/errors', `${id}.json`), 'utf8'))).toMatchObject({
    error: { place: 'src/reports.mjs:2' },
  })
})

test('a line that sends one SELECT five times in a request is logged once, with the line', async () => {
  const { file, get } = await application()
  const warnings = () => logged.filter(({ level }) => level === 'warn')
  await get('/loop/4', 'text/html')
  await get('/loop/4', 'text/html')
  expect(warnings()).toEqual([])
  await get('/loop/9', 'text/html')
  expect(warnings()).toEqual([
    {
      level: 'warn',
      fields: { line: `${file}:6`, sql: 'select $1::int' },
      message: expect.stringContaining('one line sent this SELECT 5 times in a request'),
    },
  ])
})
