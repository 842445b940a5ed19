/** The settings of an application's servers: those of its configuration, with defaults that depend on the application. */
import type { Logger } from '../base.ts'
import type { FwEnv } from '../config.ts'
import { defaultMemoryLimit, serverSettings, type ServerSettings } from '../server.ts'
import type { ApplicationSettings } from './settings.ts'

/** The default `maxQueueTime` in production, in milliseconds. In development, a debugger or a compiler causes longer waits. */
const productionQueueTime = 5_000

const day = 24 * 60 * 60 * 1000

/** Returns the time in which the largest body arrives at `minBodyRate`, after a minute for the rest of the request. */
function longestRequest({ limits, upload, server: { minBodyRate } }: ApplicationSettings): number {
  const rest = serverSettings.requestTimeout.default
  if (minBodyRate === 0) return rest
  const seconds = Math.max(limits.body, upload.maxRequestSize) / minBodyRate
  return Math.min(day, rest + Math.ceil(seconds) * 1000)
}

/** Returns the server settings that the configuration contains. `processes` is the number of processes that serve. */
export function applicationServerSettings(
  settings: ApplicationSettings,
  logger: Logger,
  env: FwEnv,
  processes: number,
): ServerSettings {
  const { requestTimeout, maxQueueTime, maxMemory, ...server } = settings.server
  const all = {
    ...server,
    requestTimeout: requestTimeout ?? longestRequest(settings),
    maxQueueTime: maxQueueTime ?? (env.isProduction() ? productionQueueTime : 0),
    maxMemory: maxMemory ?? defaultMemoryLimit(processes),
    logger,
  }
  return all as ServerSettings
}
