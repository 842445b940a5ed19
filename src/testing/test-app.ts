/** `testApp(Bootstrap)`: the application in this process, each test's writes undone. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { generateSources, startApplication, type Application, type FwLifeCycle } from '../app.ts'
import { silentLogger, type Logger } from '../base.ts'
import { loadConfiguration, type Configuration } from '../config.ts'
import { isolateDatabase, useDatabase, type Database, type IsolatedDatabase } from '../db.ts'
import { fetchHandler, type FetchHandler } from '../server.ts'
import { TestClient, Visitor } from './client.ts'
import { testDatabase } from './test-database.ts'
import { testHooks } from './test-hooks.ts'

/** Everything has a default. */
export interface TestAppOptions {
  /** The folder of package.json; the current one by default. */
  readonly root?: string
  readonly configuration?: Configuration
  /** Silent by default. */
  readonly logger?: Logger
}

/** An application under test; its requests stand for themselves, those of `session()` are one visitor's. */
export class TestApp extends TestClient {
  readonly application: Application
  readonly #fetch: FetchHandler

  constructor(application: Application) {
    const fetch = fetchHandler(application.handle, { logger: application.logger })
    super(fetch)
    this.application = application
    this.#fetch = fetch
  }

  /** A visitor with cookies of its own. */
  session(): Visitor {
    return new Visitor(this.#fetch)
  }
}

/** Rolls back what each test wrote; models called by the test itself see the same rows as its requests. */
async function isolateTests(database: Database): Promise<void> {
  const { beforeEach, afterEach } = await testHooks()
  let isolated: IsolatedDatabase | undefined
  beforeEach(async () => {
    isolated = await isolateDatabase(database)
    useDatabase(isolated.database)
  })
  afterEach(async () => {
    useDatabase(undefined)
    await isolated?.end()
  })
}

/**
 * Starts an application in the environment `test`, without a socket; call it once at the top of a test file. If it has
 * migrations it gets a database of its own, and each test starts with its tables as the migrations left them. Everything
 * ends with the file.
 */
export async function testApp(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: TestAppOptions = {},
): Promise<TestApp> {
  const root = options.root ?? process.cwd()
  const logger = options.logger ?? silentLogger
  const configuration = options.configuration ?? loadConfiguration({ root, env: 'test' })
  generateSources(root)
  const migrations = join(root, 'db/migration')
  const own = existsSync(migrations) ? await testDatabase({ migrations }) : undefined
  const made = typeof lifeCycle === 'function' ? new lifeCycle() : lifeCycle
  const application = await startApplication(made, {
    root,
    configuration,
    logger,
    database: own?.database ?? false,
  })
  if (own !== undefined) await isolateTests(own.database)
  const { afterAll } = await testHooks()
  afterAll(async () => {
    await application.close()
    await own?.close()
  })
  return new TestApp(application)
}
