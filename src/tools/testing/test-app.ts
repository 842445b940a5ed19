/** `testApp(Bootstrap)`: starts the application in this process and rolls back the writes of each test. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ErrorReporter } from '../../runtime/action.ts'
import {
  openAdditionalDatabases,
  startApplication,
  type Application,
  type FwLifeCycle,
} from '../../runtime/app.ts'
import { FwError, silentLogger, type Logger } from '../../runtime/base.ts'
import { loadConfiguration, type Configuration } from '../../runtime/config.ts'
import {
  isolateDatabase,
  migrate,
  migrationFolder,
  registeredDatabase,
  useDatabase,
  type Database,
  type IsolatedDatabase,
} from '../../runtime/db.ts'
import { fetchHandler, type FetchHandler } from '../../runtime/server.ts'
import { generateSources } from '../../templates/compile.ts'
import {
  storeSession,
  TestClient,
  Visitor,
  type SessionFixture,
  type VisitorStart,
} from './client.ts'
import { insertRows } from './insert-rows.ts'
import { afterAllTests, eachTest, holdResources, oncePerProcess } from './once-per-process.ts'
import { forgetMails } from './sent-mails.ts'
import { testDatabase } from './test-database.ts'

/** The options of {@link testApp}; each has a default. */
export interface TestAppOptions {
  /** The folder that contains package.json; by default the current folder. */
  readonly root?: string
  /** The configuration; by default that of `application.yml` for the environment `test`. */
  readonly configuration?: Configuration
  /** The logger; by default log messages are discarded. */
  readonly logger?: Logger
  /** True rejects a request's promise with the application's error, instead of resolving to a response with status 500. */
  readonly throwFaults?: boolean
}

/** Captures the error of each request, and rejects the request's promise with that error. */
class ErrorCapture implements ErrorReporter {
  readonly #errors = new AsyncLocalStorage<unknown[]>()

  report(_ctx: never, error: unknown): void {
    this.#errors.getStore()?.push(error)
  }

  render(): undefined {}

  rethrow(fetch: FetchHandler): FetchHandler {
    return async (request, info) => {
      const errors: unknown[] = []
      const response = await this.#errors.run(errors, () => fetch(request, info))
      if (errors.length > 0) throw errors.at(-1)
      return response
    }
  }
}

/** The type of the users whose sessions an application describes by `sessionOf`; `never` if it does not. */
type UserOf<L> = L extends { sessionOf(user: infer User): unknown }
  ? User
  : L extends { headersOf(user: infer User): unknown }
    ? User
    : never

/**
 * An application under test. Its own requests are independent; the requests of a {@link TestApp.session} share cookies. `User` is
 * the type of the users that can log in.
 */
export class TestApp<User = never> extends TestClient {
  readonly application: Application
  readonly #fetch: FetchHandler
  readonly #lifeCycle: FwLifeCycle

  constructor(application: Application, lifeCycle: FwLifeCycle, capture?: ErrorCapture) {
    const { handle, logger, health, finish } = application
    const plain = fetchHandler(handle, { logger, probe: health.probe, finish })
    const fetch = capture?.rethrow(plain) ?? plain
    super(fetch)
    this.application = application
    this.#fetch = fetch
    this.#lifeCycle = lifeCycle
  }

  /**
   * Creates a visitor with separate cookies. The fixture contains the session before the first request, such as a login, or
   * headers for every request: `app.session({ attributes: { userId: 1 } })`, `app.session({ headers: { authorization } })`.
   */
  session(fixture?: SessionFixture): Visitor<User> {
    const store = (content: SessionFixture, user?: User) => this.begin(content, user)
    return new Visitor<User>(this.#fetch, { fixture, store })
  }

  /**
   * Inserts rows with all their columns, keys included, without a model and its hooks. Columns that a row lacks get their default. A
   * text is in the form of PostgreSQL. Identity columns and sequences continue behind the inserted keys.
   *
   *     await app.insertRows('members', [{ id: 7, name: 'Ann', birthday: '2000-01-02', tags: '{red,green}' }])
   *
   * @param table the name in the database `default`, with its schema if that is not in the search path
   * @throws QueryError `db.query-failed`
   */
  insertRows(
    table: string,
    rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
  ): Promise<void> {
    return insertRows(table, rows)
  }

  /**
   * Stores a session with this content, and with that of a user who is logged in. Returns its cookie and forgery token, and the
   * headers of the user.
   * @throws FwError `testing.no-login`
   */
  async begin(fixture: SessionFixture, user?: User): Promise<VisitorStart> {
    const { sessions } = this.application
    if (user === undefined) return { session: await storeSession(sessions, fixture) }
    const headers = await this.#lifeCycle.headersOf?.(user as never)
    if (this.#lifeCycle.sessionOf === undefined && headers !== undefined) return { headers }
    if (this.#lifeCycle.sessionOf === undefined)
      throw new FwError(
        'testing.no-login',
        `${this.#lifeCycle.constructor.name} does not say what the session of a user contains: define ` +
          'sessionOf(user: User) { return { userId: user.id } } in it.',
      )
    const own = await this.#lifeCycle.sessionOf(user as never)
    const attributes = { ...fixture.attributes, ...own }
    const session = await storeSession(sessions, { ...fixture, attributes })
    return { session, ...(headers && { headers }) }
  }
}

/**
 * The key of all applications of this process without `secretKeyBase`. Code outside requests, such as a job that mails a link, has the
 * keys of the application that started last; every application then accepts its tokens.
 */
const secret = randomBytes(32).toString('base64')

/** The migrated database of this process. Each test runs in a transaction on it, which is rolled back after the test. */
class SharedDatabase {
  readonly database: Database
  #isolated: IsolatedDatabase | undefined
  #lastStart: Promise<unknown> = Promise.resolve()

  constructor(database: Database) {
    this.database = database
  }

  /** Registers the database while an application starts, because `initFwApp` and the session store may query it. */
  start<T>(start: () => Promise<T>): Promise<T> {
    const started = this.#lastStart.then(async () => {
      if (this.#isolated !== undefined) return start()
      useDatabase(this.database)
      try {
        return await start()
      } finally {
        if (registeredDatabase('default') === this.database) useDatabase(undefined)
      }
    })
    this.#lastStart = started.catch(() => {})
    return started
  }

  /** Isolates a test. Has no effect if an outer suite has already isolated it. */
  async begin(): Promise<void> {
    if (this.#isolated !== undefined) return
    this.#isolated = await isolateDatabase(this.database)
    useDatabase(this.#isolated.database)
  }

  async end(): Promise<void> {
    const isolated = this.#isolated
    if (isolated === undefined) return
    this.#isolated = undefined
    useDatabase(undefined)
    await isolated.end()
  }
}

function sharedDatabase(root: string): Promise<SharedDatabase> | undefined {
  const migrations = join(root, 'db/migration')
  if (!existsSync(migrations)) return undefined
  return oncePerProcess('database', migrations, async () => {
    const { database, close } = await testDatabase({ migrations })
    await afterAllTests(close)
    return new SharedDatabase(database)
  })
}

/**
 * Starts an application in the environment `test`, without a socket. Call it once at the top of a test file. If the application
 * has migrations, it gets its own database, and the writes of each test are rolled back. Without options, the test files of one
 * process share the application, which is closed after the last file.
 */
export async function testApp<L extends FwLifeCycle>(
  lifeCycle: L | (new () => L),
  options: TestAppOptions = {},
): Promise<TestApp<UserOf<L>>> {
  await holdResources()
  const database = await sharedDatabase(options.root ?? process.cwd())
  if (database !== undefined)
    await eachTest(
      () => database.begin(),
      () => database.end(),
    )
  await eachTest(forgetMails, () => {})
  const start = () => startTestApp<UserOf<L>>(lifeCycle, options, database)
  return Object.keys(options).length > 0 ? start() : oncePerProcess(lifeCycle, process.cwd(), start)
}

async function startTestApp<User>(
  lifeCycle: FwLifeCycle | (new () => FwLifeCycle),
  options: TestAppOptions,
  shared: SharedDatabase | undefined,
): Promise<TestApp<User>> {
  const root = options.root ?? process.cwd()
  const logger = options.logger ?? silentLogger
  const configuration = options.configuration ?? loadConfiguration({ root, env: 'test' })
  generateSources(root)
  const additional = await openAdditionalDatabases({ root, configuration, logger })
  await afterAllTests(() => additional.close())
  for (const name of additional.names) {
    const opened = registeredDatabase(name)!
    // Do not migrate a database on a server, because development may use it too: only fw db:migrate changes it.
    if (opened.engine === 'pglite') await migrate(opened, migrationFolder(root, name))
  }
  const errorReporter = options.throwFaults === true ? new ErrorCapture() : undefined
  const database = shared?.database ?? false
  const instance = typeof lifeCycle === 'function' ? new lifeCycle() : lifeCycle
  const start = () =>
    startApplication(instance, {
      root,
      configuration,
      logger,
      database,
      jobs: false,
      secret,
      errorReporter,
    })
  const application = await (shared?.start(start) ?? start())
  await afterAllTests(() => application.close())
  return new TestApp<User>(application, instance, errorReporter)
}
