/** `fw run`: serves the application for development, migrated, with a line for each request. */
import { performance } from 'node:perf_hooks'
import { generateSources, startApplication, type Application } from '../app.ts'
import { isPromise, LogSink, prettyLogger, type Logger } from '../base.ts'
import { loadConfiguration } from '../config.ts'
import { LiveReload } from '../dev.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http.ts'
import { App, handleSignals, type Closable } from '../server.ts'
import { listenPort } from './listen-port.ts'
import { applicationRoot, loadLifeCycle } from './load-life-cycle.ts'

interface RunOptions {
  readonly app: string
  readonly host: string
  readonly port?: string
}

/** One line for each request. */
function logged(handle: Handler, logger: Logger): Handler {
  return (request) => {
    const start = performance.now()
    const tell = (response: HttpResponse): HttpResponse => {
      logger.info({ millis: Math.round(performance.now() - start) }, lineOf(request, response))
      return response
    }
    const answer = handle(request)
    return isPromise(answer) ? answer.then(tell) : tell(answer)
  }
}

const lineOf = ({ method, target }: HttpRequest, { status }: HttpResponse): string =>
  `${method} ${target} ${status}`

function databaseName({ database, configuration }: Application): string {
  if (database === undefined) return 'no database'
  return database.engine === 'pglite'
    ? `embedded PostgreSQL in ${configuration.string('db.default.folder') ?? 'db/data'}`
    : 'PostgreSQL'
}

/** A stop ends the streams of live reload first: they would be waited for. */
function stoppable(app: App, reload: LiveReload): Closable {
  return {
    close(grace) {
      reload.close()
      return app.close(grace)
    },
    destroy: () => app.destroy(),
  }
}

/** @throws FwError whatever makes the start senseless */
export async function run({ app: folder, host, port }: RunOptions): Promise<void> {
  const root = applicationRoot(folder)
  const wanted = listenPort(port)
  const sink = new LogSink(process.stdout)
  const logger = prettyLogger(sink.write, { colour: process.stdout.isTTY, level: 'info' })
  const configuration = loadConfiguration({ root })
  generateSources(root)
  const lifeCycle = await loadLifeCycle(root)
  const application = await startApplication(lifeCycle, {
    root,
    configuration,
    logger,
    migrate: true,
  })
  const reload = new LiveReload(root)
  const handle = reload.wrap(logged(application.handle, logger))
  const app = new App({ ...application, handle })
  try {
    const { url } = await app.listen(wanted, host)
    handleSignals(stoppable(app, reload), { logger, onClosed: () => sink.flush() })
    logger.info({}, `${configuration.env.name}, ${databaseName(application)}`)
    logger.info({}, `listening on ${url}`)
  } catch (error) {
    reload.close()
    await application.close()
    throw error
  }
}
