/** `fw start`: serves the application in production, from the output of `fw build`. */
import { applicationSettings, createLogger, startApplication } from '../../runtime/app.ts'
import { LogSink, type Logger } from '../../runtime/base.ts'
import {
  FwEnv,
  loadConfiguration,
  readSettings,
  useParsedKeyFiles,
  type Configuration,
} from '../../runtime/config.ts'
import { App, handleSignals, StartingServer } from '../../runtime/server.ts'
import { applicationRoot, listenPort, loadLifeCycle } from './load-application.ts'

interface StartOptions {
  readonly app: string
  readonly host: string
  readonly port?: string
  /** A number, or `auto` for one per core. */
  readonly workers?: string
  /** MiB of resident memory. */
  readonly workerMemory?: string
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
export async function start(options: StartOptions): Promise<void> {
  const { app: folder, host, port: option } = options
  const root = applicationRoot(folder)
  const port = listenPort(option)
  const sink = new LogSink(process.stdout)
  const env = productionEnvironment()
  process.env['FW_ENV'] = env.name
  useParsedKeyFiles(root)
  const configuration = loadConfiguration({ root, env: env.name })
  const settings = readSettings(configuration, applicationSettings)
  const logger = createLogger(settings, sink.write)
  const context: StartContext = { root, configuration, logger, sink, port, host }
  if (options.workers !== undefined) {
    const { isPrimary, startWorkers } = await import('./start-workers.ts')
    if (isPrimary) return startWorkers(options.workers, options.workerMemory, context)
  }
  try {
    await (settings.health.waitForDatabase ? startWaiting(context) : startAndListen(context))
  } catch (error) {
    // The channel to the primary process would keep a worker alive.
    process.channel?.unref()
    throw error
  }
}

interface StartContext {
  readonly root: string
  readonly configuration: Configuration
  readonly logger: Logger
  readonly sink: LogSink
  readonly port: number
  readonly host: string
}

async function startAndListen(context: StartContext): Promise<void> {
  const { root, configuration, logger, sink, port, host } = context
  const lifeCycle = await loadLifeCycle(root)
  const application = await startApplication(lifeCycle, { root, configuration, logger })
  const server = new App(application)
  try {
    const { url } = await server.listen(port, host)
    handleSignals(server, { logger, onClosed: () => sink.flush() })
    logListening(context, url)
    await reportStarted()
    // The application answers requests that need no database, and connects as soon as the database answers.
    await application.database
      ?.ping()
      .catch((error: unknown) => logger.error({}, (error as Error).message))
  } catch (error) {
    await server.close(0)
    throw error
  }
}

/** Listens first: `/ready` answers 503 until the databases answer and the application has started. */
async function startWaiting(context: StartContext): Promise<void> {
  const { root, configuration, logger, sink, port, host } = context
  const server = new StartingServer(configuration, logger)
  const { url } = await server.listen(port, host)
  handleSignals(server, { logger, onClosed: () => sink.flush() })
  logListening(context, url)
  const { signal } = server
  try {
    const lifeCycle = await loadLifeCycle(root)
    await server.serve(await startApplication(lifeCycle, { root, configuration, logger, signal }))
    logger.info({}, 'started')
    await reportStarted()
  } catch (error) {
    // The signal handler exits.
    if (signal.aborted) return
    await server.close(0)
    throw error
  }
}

/** Tells the primary process of `--workers` that this worker serves. */
async function reportStarted(): Promise<void> {
  if (!process.connected) return
  const { isPrimary, joinPrimary } = await import('./start-workers.ts')
  if (!isPrimary) joinPrimary()
}

function logListening({ configuration, logger }: StartContext, url: string): void {
  logger.info({ environment: configuration.env.name, url }, `listening on ${url}`)
}
