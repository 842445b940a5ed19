/** Applications whose sessions live where a test says. */
import { onTestFinished } from 'vitest'
import {
  FwLifeCycle,
  FwSessionInitializer,
  type ServletContext,
  type SessionStoreMaker,
} from '../../src/app.ts'
import { Configuration, FwEnv } from '../../src/config.ts'
import type { Database } from '../../src/db.ts'
import { createApp, type Mountable } from '../../src/server.ts'
import { TestClient, Visitor } from '../../src/testing/client.ts'
import { recordingLogger, temporaryFolder, type LogLine } from './serve.ts'

/** What such an application may be told. */
export interface SessionAppOptions {
  /** Absent: sessions in the database, as `new FwSessionInitializer()` has them. */
  readonly store?: SessionStoreMaker
  readonly database?: Database | false
  readonly configuration?: Readonly<Record<string, unknown>>
  readonly environment?: string
}

class Boot extends FwLifeCycle {
  readonly #controllers: readonly Mountable[]
  readonly #initializer: FwSessionInitializer

  constructor(controllers: readonly Mountable[], store: SessionStoreMaker | undefined) {
    super()
    this.#controllers = controllers
    this.#initializer = new FwSessionInitializer(store)
  }

  override initFwApp(ctx: ServletContext): void {
    this.#initializer.mount(ctx, '/*')
    for (const controller of this.#controllers) controller.mount(ctx)
  }
}

/** Ends with the test. */
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
