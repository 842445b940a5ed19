/** `fw start`: serves the application in production, from what `fw build` has generated. */
import { startApplication } from '../app.ts'
import { jsonLogger, LogSink } from '../base.ts'
import { FwEnv, loadConfiguration } from '../config.ts'
import { App, handleSignals } from '../server.ts'
import { listenPort } from './listen-port.ts'
import { applicationRoot, loadLifeCycle } from './load-life-cycle.ts'

interface StartOptions {
  readonly app: string
  readonly host: string
  readonly port?: string
}

/** Staging and the like keep their name; without one, and in development, this is production. */
function environment(): FwEnv {
  const given = FwEnv.of(process.env)
  return given.isDevelopment() ? new FwEnv('production') : given
}

/**
 * The log is one JSON document a line on the standard output; a signal lets what is in flight be answered.
 * @throws FwError `config.invalid` without hosts or secret, `view.not-generated` for views that are stale or missing
 */
export async function start({ app: folder, host, port }: StartOptions): Promise<void> {
  const root = applicationRoot(folder)
  const wanted = listenPort(port)
  const sink = new LogSink(process.stdout)
  const logger = jsonLogger(sink.write)
  const env = environment()
  process.env['FW_ENV'] = env.name
  const configuration = loadConfiguration({ root, env: env.name })
  const lifeCycle = await loadLifeCycle(root)
  const application = await startApplication(lifeCycle, { root, configuration, logger })
  const server = new App(application)
  try {
    const { url } = await server.listen(wanted, host)
    handleSignals(server, { logger, onClosed: () => sink.flush() })
    logger.info({ environment: env.name, url }, `listening on ${url}`)
  } catch (error) {
    await application.close()
    throw error
  }
}
