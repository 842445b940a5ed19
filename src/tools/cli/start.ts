/** `fw start`: serves the application in production, from the output of `fw build`. */
import {
  App,
  applicationSettings,
  createLogger,
  startApplication,
  StartingServer,
} from '../../runtime/app.ts'
import { LogSink, type Logger } from '../../runtime/base.ts'
import {
  FwEnv,
  loadConfiguration,
  readSettings,
  useParsedKeyFiles,
  type Configuration,
} from '../../runtime/config.ts'
import { handleSignals, type Closable } from '../../runtime/server.ts'
import { createViewEngine } from '../../runtime/view.ts'
import {
  applicationRoot,
  importBootstrap,
  listenPort,
  loadLifeCycle,
  passedSocket,
} from './load-application.ts'
import type { WorkerLink } from './worker-link.ts'
import type { WorkerOptions } from './worker-pool.ts'

interface StartOptions extends Omit<WorkerOptions, 'workers'> {
  readonly app: string
  readonly host: string
  readonly port?: string
  readonly workers?: string
}

/**
 * Serves the built application. Logs to stdout, one JSON document per line. After a signal, the process ends when the requests
 * in flight have ended.
 * @throws FwError `config.invalid` without hosts or secret, `view.not-generated` for stale or missing views
 */
export async function start(options: StartOptions): Promise<void> {
  const { app: folder, host, port: option } = options
  const root = applicationRoot(folder)
  const port = listenPort(option)
  const sink = new LogSink(process.stdout)
  const given = FwEnv.of(process.env)
  // Development is the default, but `fw start` never runs in development.
  const env = given.isDevelopment() ? 'production' : given.name
  process.env['FW_ENV'] = env
  useParsedKeyFiles(root)
  const configuration = loadConfiguration({ root, env })
  const settings = readSettings(configuration, applicationSettings)
  const logger = createLogger(settings, sink.write)
  const { workers } = options
  const pool = workers === undefined ? undefined : await import('./worker-pool.ts')
  const isWorker = pool?.isPrimary === false
  const socket = passedSocket(process.env, isWorker ? process.ppid : process.pid)
  const context: StartContext = {
    root,
    configuration,
    logger,
    sink,
    port: socket ?? port,
    host,
    processes: 1,
  }
  if (workers !== undefined && pool?.isPrimary === true)
    return pool.startWorkers({ ...options, workers }, context)
  try {
    const joined = isWorker
      ? { ...context, worker: await waitToServe(root), processes: pool.parseWorkerCount(workers!) }
      : context
    await (settings.health.waitForDatabase ? startWaiting(joined) : startAndListen(joined))
  } catch (error) {
    // Release the channel to the primary process, which would keep a failed worker alive.
    process.channel?.unref()
    throw error
  }
}

interface StartContext {
  readonly root: string
  readonly configuration: Configuration
  readonly logger: Logger
  readonly sink: LogSink
  /** The port, or the socket that systemd has opened. */
  readonly port: number | { readonly fd: number }
  readonly host: string
  /** The link to the primary process; undefined without `--workers`. */
  readonly worker?: WorkerLink | undefined
  /** The number of processes that serve; 1 without `--workers`. */
  readonly processes: number
}

/** Loads the code, then waits until the primary process sends `serve`. */
async function waitToServe(root: string): Promise<WorkerLink> {
  const { WorkerLink } = await import('./worker-link.ts')
  const worker = new WorkerLink()
  await importBootstrap(root)
  await createViewEngine({ root, mode: 'production' }).load()
  await worker.waitToServe()
  return worker
}

async function startAndListen(context: StartContext): Promise<void> {
  const { root, configuration, logger, port, host, worker, processes } = context
  const lifeCycle = await loadLifeCycle(root)
  const options = { root, configuration, logger, processes }
  const application = await startApplication(lifeCycle, options)
  const server = new App(application)
  try {
    worker?.mergeMetrics(application.metrics)
    const { url } = await server.listen(port, host)
    handleListening(context, server, url)
    worker?.reportStarted()
    // Do not fail: the application serves requests that need no database, and connects when the database becomes available.
    await application.database
      ?.ping()
      .catch((error: unknown) => logger.error({}, (error as Error).message))
  } catch (error) {
    await server.close(0)
    throw error
  }
}

/** Listens before the application starts. `/ready` returns 503 until the databases respond and the application has started. */
async function startWaiting(context: StartContext): Promise<void> {
  const { root, configuration, logger, port, host, worker, processes } = context
  const server = new StartingServer(configuration, logger, processes)
  const { url } = await server.listen(port, host)
  handleListening(context, server, url)
  const { signal } = server
  try {
    const lifeCycle = await loadLifeCycle(root)
    const options = { root, configuration, logger, processes, signal }
    const application = await startApplication(lifeCycle, options)
    worker?.mergeMetrics(application.metrics)
    await server.serve(application)
    logger.info({}, 'started')
    worker?.reportStarted()
  } catch (error) {
    // After a signal, do nothing: the signal handler ends the process.
    if (signal.aborted) return
    await server.close(0)
    throw error
  }
}

/** Closes the server after a signal, and logs that it listens. */
function handleListening(
  { configuration, logger, sink, worker }: StartContext,
  server: Closable,
  url: string,
): void {
  const onClosed = async (): Promise<void> => {
    await worker?.sendMetrics()
    await sink.flush()
  }
  handleSignals(worker?.closable(server) ?? server, { logger, onClosed })
  logger.info({ environment: configuration.env.name, url }, `listening on ${url}`)
}
