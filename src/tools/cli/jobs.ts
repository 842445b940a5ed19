/** `fw jobs`: runs the jobs of the application in a process without pages. */
import {
  App,
  applicationProbe,
  applicationSettings,
  createLogger,
  startApplication,
} from '../../runtime/app.ts'
import { FwError, LogSink } from '../../runtime/base.ts'
import { FwEnv, loadConfiguration, readSettings, useParsedKeyFiles } from '../../runtime/config.ts'
import { handleSignals, HttpServer, plainResponse } from '../../runtime/server.ts'
import {
  applicationRoot,
  listenPort,
  loadLifeCycle,
  type CommandOptions,
} from './load-application.ts'

interface JobsOptions extends CommandOptions {
  /** The port for probes; no probes without it. */
  readonly port?: string
  readonly host: string
  /** The names of the only queues, separated by commas. */
  readonly queues?: string
}

/**
 * Runs jobs until a signal. Running jobs then have `jobs.drainTimeout` to end; the others are given back.
 * @throws FwError `cli.no-jobs` if the application has no database or defines no jobs, and the errors of `startApplication`
 */
export async function runJobProcess({
  app: folder,
  port,
  host,
  queues,
}: JobsOptions): Promise<void> {
  const root = applicationRoot(folder)
  useParsedKeyFiles(root)
  const sink = new LogSink(process.stdout)
  const given = FwEnv.of(process.env)
  // As under `fw start`, the default environment is production.
  const env = given.isDevelopment() ? 'production' : given.name
  process.env['FW_ENV'] = env
  const configuration = loadConfiguration({ root, env })
  const logger = createLogger(readSettings(configuration, applicationSettings), sink.write)
  const lifeCycle = await loadLifeCycle(root)
  const jobs = { queues: queues?.split(',').map((queue) => queue.trim()) }
  const application = await startApplication(lifeCycle, { root, configuration, logger, jobs })
  const app = new App(application)
  try {
    if (application.jobs === undefined) throw noJobs(root)
    const probes =
      port === undefined ? undefined : await listenForProbes(app, listenPort(port), host)
    await app.listenForMetrics()
    handleSignals(
      {
        close: async (grace, drainDelay) => {
          await app.close(grace, drainDelay)
          await probes?.close(0, 0)
        },
        destroy: () => app.destroy(),
      },
      { logger, onClosed: () => sink.flush() },
    )
    logger.info({ environment: configuration.env.name, queues: jobs.queues }, 'running jobs')
  } catch (error) {
    await app.close(0)
    throw error
  }
}

/** Responds to probes and, if the settings require it, scrapes. There are no pages. */
async function listenForProbes({ application }: App, port: number, host: string) {
  const { logger, finish } = application
  const probe = applicationProbe(application)
  const server = new HttpServer(() => finish(plainResponse(404)), {
    hosts: ['*'],
    logger,
    finish,
    probe,
  })
  const { url } = await server.listen(port, host)
  logger.info({ url }, `probes at ${url}`)
  return server
}

const noJobs = (root: string): FwError =>
  new FwError(
    'cli.no-jobs',
    `${root} has no jobs: write one with fw g job, and give the application a database.`,
  )
