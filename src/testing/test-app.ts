/** `testApp(Bootstrap)`: the application in this process, each test's writes undone. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  generateSources,
  openFurtherDatabases,
  startApplication,
  type Application,
  type FwLifeCycle,
} from '../app.ts'
import { silentLogger, type Logger } from '../base.ts'
import { loadConfiguration, type Configuration } from '../config.ts'
import { isolateDatabase, useDatabase, type Database, type IsolatedDatabase } from '../db.ts'
import { fetchHandler, type FetchHandler } from '../server.ts'
import { TestClient, Visitor } from './client.ts'
import { beginSession, type GivenSession } from './given-session.ts'
import { atEnd, oncePerProcess } from './once-per-process.ts'
import { testDatabase } from './test-database.ts'
import { testHooks } from './test-hooks.ts'
import { ThrownFaults } from './thrown-faults.ts'

/** Everything has a default. */
export interface TestAppOptions {
  /** The folder of package.json; the current one by default. */
  readonly root?: string
  readonly configuration?: Configuration
  /** Silent by default. */
  readonly logger?: Logger
  /** A fault rejects the request's promise with the error itself, instead of answering 500. */
  readonly throwFaults?: boolean
}

/** An application under test; its requests stand for themselves, those of `session()` are one visitor's. */
export class TestApp extends TestClient {
  readonly application: Application
  readonly #fetch: FetchHandler

  constructor(application: Application, faults?: ThrownFaults) {
    const plain = fetchHandler(application.handle, { logger: application.logger })
    const fetch = faults?.throwing(plain) ?? plain
    super(fetch)
    this.application = application
    this.#fetch = fetch
  }

  /**
   * A visitor with cookies of its own; `given` is what its session holds before the first request, such as who is logged in:
   * `app.session({ attributes: { userId: 1 } })`.
   */
  session(given?: GivenSession): Visitor {
    const { sessions } = this.application
    const begin = given === undefined ? undefined : () => beginSession(sessions, given)
    return new Visitor(this.#fetch, begin)
  }
}

/**
 * The database of all tests in this process. What each test wrote is rolled back; models called by the test itself see the
 * same rows as its requests.
 */
async function isolatedDatabase(migrations: string): Promise<Database> {
  const made = await testDatabase({ migrations })
  await atEnd(() => made.close())
  const { beforeEach, afterEach } = await testHooks()
  let isolated: IsolatedDatabase | undefined
  beforeEach(async () => {
    isolated = await isolateDatabase(made.database)
    useDatabase(isolated.database)
  })
  afterEach(async () => {
    useDatabase(undefined)
    await isolated?.end()
  })
  return made.database
}

/**
 * Starts an application in the environment `test`, without a socket; call it once at the top of a test file. If it has
 * migrations it gets a database of its own, and each test starts with its tables as the migrations left them. Test files
 * that one process runs share an application that is started without options; everything ends with the last of them.
 */
export function testApp(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: TestAppOptions = {},
): Promise<TestApp> {
  const start = () => startTestApp(lifeCycle, options)
  return Object.keys(options).length > 0 ? start() : oncePerProcess(lifeCycle, process.cwd(), start)
}

async function startTestApp(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: TestAppOptions,
): Promise<TestApp> {
  const root = options.root ?? process.cwd()
  const logger = options.logger ?? silentLogger
  const configuration = options.configuration ?? loadConfiguration({ root, env: 'test' })
  generateSources(root)
  const migrations = join(root, 'db/migration')
  const database = existsSync(migrations)
    ? await oncePerProcess('database', migrations, () => isolatedDatabase(migrations))
    : false
  const further = await openFurtherDatabases(root, configuration, logger)
  await atEnd(() => further.close())
  const made = typeof lifeCycle === 'function' ? new lifeCycle() : lifeCycle
  const faults = options.throwFaults === true ? new ThrownFaults() : undefined
  const application = await startApplication(made, {
    root,
    configuration,
    logger,
    database,
    ...(faults === undefined ? {} : { onFault: faults.note }),
  })
  await atEnd(() => application.close())
  return new TestApp(application, faults)
}
