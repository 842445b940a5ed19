/** `fw start`: serves the application in production, from the output of `fw build`. */
import { startApplication } from '../../runtime/app.ts'
import { jsonLogger, LogSink } from '../../runtime/base.ts'
import { FwEnv, loadConfiguration, useParsedKeyFiles } from '../../runtime/config.ts'
import { App, handleSignals } from '../../runtime/server.ts'
import { applicationRoot, listenPort, loadLifeCycle } from './load-application.ts'

interface StartOptions {
  readonly app: string
  readonly host: string
  readonly port?: string
}

/** `fw start` never runs in development, the default environment: it becomes production. */
function productionEnvironment(): FwEnv {
  const env = FwEnv.of(process.env)
  return env.isDevelopment() ? new FwEnv('production') : env
}

/**
 * Serves the built application. Logs to stdout, one JSON document per line. A signal drains the in-flight requests,
 * then ends the process.
 * @throws FwError `config.invalid` without hosts or secret, `view.not-generated` for views that are stale or missing
 */
export async function start({ app: folder, host, port: option }: StartOptions): Promise<void> {
  const root = applicationRoot(folder)
  const port = listenPort(option)
  const sink = new LogSink(process.stdout)
  const logger = jsonLogger(sink.write)
  const env = productionEnvironment()
  process.env['FW_ENV'] = env.name
  useParsedKeyFiles(root)
  const configuration = loadConfiguration({ root, env: env.name })
  const lifeCycle = await loadLifeCycle(root)
  const application = await startApplication(lifeCycle, { root, configuration, logger })
  const server = new App(application)
  try {
    const { url } = await server.listen(port, host)
    handleSignals(server, { logger, onClosed: () => sink.flush() })
    logger.info({ environment: env.name, url }, `listening on ${url}`)
    // The application answers requests that need no database, and connects as soon as the database answers.
    await application.database
      ?.ping()
      .catch((error: unknown) => logger.error({}, (error as Error).message))
  } catch (error) {
    await application.close()
    throw error
  }
}
