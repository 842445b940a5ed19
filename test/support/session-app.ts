/** Starts applications whose session store the test chooses. */
import { onTestFinished } from 'vitest'
import {
  createApp,
  FwLifeCycle,
  FwSessionInitializer,
  type Mountable,
  type ServletContext,
  type SessionStoreFactory,
} from '../../src/runtime/app.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import type { Database } from '../../src/runtime/db.ts'
import { TestClient, Visitor } from '../../src/tools/testing/client.ts'
import { recordingLogger, temporaryFolder, type LogLine } from './serve.ts'

/** The options of an application with sessions. */
export interface SessionAppOptions {
  /** The session store; default: the database, as with `new FwSessionInitializer()`. */
  readonly store?: SessionStoreFactory
  readonly database?: Database | false
  readonly configuration?: Readonly<Record<string, unknown>>
  readonly environment?: string
}

class Boot extends FwLifeCycle {
  readonly #controllers: readonly Mountable[]
  readonly #initializer: FwSessionInitializer

  constructor(controllers: readonly Mountable[], store: SessionStoreFactory | undefined) {
    super()
    this.#controllers = controllers
    this.#initializer = new FwSessionInitializer(store)
  }

  override initFwApp(ctx: ServletContext): void {
    this.#initializer.mount(ctx, '/*')
    for (const controller of this.#controllers) controller.mount(ctx)
  }
}

/** Starts an application with sessions, and returns a client for it. The application stops when the test ends. */
export async function startWithSessions(
  controllers: readonly Mountable[],
  { store, database, configuration = {}, environment = 'test' }: SessionAppOptions = {},
) {
  const lines: LogLine[] = []
  const app = await createApp(new Boot(controllers, store), {
    root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: recordingLogger(lines),
    configuration: Configuration.from(configuration, new FwEnv(environment)),
    ...(database === undefined ? {} : { database }),
  })
  onTestFinished(() => app.close())
  const visitor = () => new Visitor(app.fetch)
  return Object.assign(new TestClient(app.fetch), { app, lines, visitor })
}
