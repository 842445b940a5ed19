/** The settings of servers, such as limits and timeouts: their defaults and their validation. */
import { applicationSettings, type ApplicationSettings } from '../app.ts'
import { FwError, jsonLogger, parseDuration, type Duration, type Logger } from '../base.ts'
import type { FwEnv } from '../config.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { defaultMemoryLimit } from './memory-limit.ts'

/** The settings of a server. Times are milliseconds or texts such as `5s`; sizes are bytes. */
export interface ServerSettings {
  /**
   * The host names that the server accepts, with any port: `example.com`, `*.example.com`, `[::1]`; `*` is every name.
   * Default, for development: localhost, *.localhost, 127.0.0.1 and [::1].
   */
  readonly hosts?: readonly string[]
  /**
   * The addresses and CIDR ranges of the proxies whose headers X-Forwarded-For, -Proto and -Host are read. Default: no
   * proxy, so these headers are ignored.
   */
  readonly trustedProxies?: readonly string[]
  /** Whether X-Forwarded-Host of a trusted proxy replaces Host. Default: true, but false if `hosts` contains `*`. */
  readonly forwardedHost?: boolean
  /** The maximum length of path and query together; a longer URL gets a 414. Default 8 KiB. */
  readonly maxTargetLength?: number
  /** The maximum number of header lines; a request with more gets a 431. Default 100. */
  readonly maxHeaders?: number
  /** The maximum size of all headers together; a request with more gets a 431. Default 16 KiB. */
  readonly maxHeaderBytes?: number
  /** The maximum number of open connections; further connections are closed. Default 10,000. */
  readonly maxConnections?: number
  /** The maximum time until a request's headers are complete. Default 10 s. */
  readonly headersTimeout?: Duration
  /** The maximum time until the whole request is received. Default 60 s, for an application by size and rate; 0 is no limit. */
  readonly requestTimeout?: Duration
  /** The maximum time between two requests of a connection. Default 5 s. Use more than a load balancer's idle timeout. */
  readonly keepAliveTimeout?: Duration
  /** The time from the end of its body until an unanswered request gets a 503 and its signal aborts. Default 30 s; 0 is no limit. */
  readonly handlerTimeout?: Duration
  /** The time after which a client slower than `minWriteRate` is cut off, at most 1 s late. Default 5 s; 0 is no limit. */
  readonly writeTimeout?: Duration
  /** The minimum bytes per second that a client reads, averaged over `writeTimeout`. Default 1024; 0 accepts any progress. */
  readonly minWriteRate?: number
  /** The minimum bytes per second of a request body, checked after 5 s; a slower one gets a 408. Default 240; 0 is no limit. */
  readonly minBodyRate?: number
  /** The time that a request waits for the event loop before it gets 503. Default 0, no limit; 5 s for applications in production. */
  readonly maxQueueTime?: Duration
  /** The maximum number of requests that wait or have no response yet; a further one gets 503. Default 10,000. */
  readonly maxRequests?: number
  /**
   * The memory of the process in bytes above which requests get 503; 0 is no limit. Default: 95 % of the memory that a container
   * allows, else 0.
   */
  readonly maxMemory?: number
  /** The time that `close` waits for in-flight requests; the remaining ones then get 503. Default 20 s. */
  readonly shutdownGrace?: Duration
  /** The time that `close` keeps serving, so that load balancers can read the changed response of `/ready`. Default 0. */
  readonly drainDelay?: Duration
  readonly logger?: Logger
  /**
   * Answers health probes and scrapes of metrics, even for hosts that are not in `hosts`. Returns undefined for any other
   * request. `App` sets it to the probe of its application.
   */
  readonly probe?: (
    method: string,
    target: string,
    authorization: string | undefined,
  ) => HttpResponse | Promise<HttpResponse> | undefined
  /**
   * Completes the responses that the server creates itself: those of probes and of rejected requests. `App` sets it to that of
   * its application, which adds the default headers.
   */
  readonly finish?: (response: HttpResponse) => HttpResponse
  /** Creates the 503 for a request that the server refuses under overload. `App` sets it to a page of its application. */
  readonly refusal?: (request: HttpRequest) => Promise<HttpResponse>
}

export type Probe = NonNullable<ServerSettings['probe']>

const durations = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  handlerTimeout: 30_000,
  writeTimeout: 5_000,
  maxQueueTime: 0,
  shutdownGrace: 20_000,
  drainDelay: 0,
}

/** The settings with every default. Durations are in milliseconds. */
export type ResolvedSettings = Required<
  Omit<ServerSettings, 'probe' | 'refusal' | keyof typeof durations>
> &
  Readonly<typeof durations> &
  Pick<ServerSettings, 'probe' | 'refusal'>

const defaults = {
  ...durations,
  hosts: ['localhost', '*.localhost', '127.0.0.1', '[::1]'],
  trustedProxies: [],
  maxTargetLength: 8 * 1024,
  maxHeaders: 100,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  minWriteRate: 1024,
  minBodyRate: 240,
  maxRequests: 10_000,
  maxMemory: defaultMemoryLimit(),
  finish: (response: HttpResponse): HttpResponse => response,
} satisfies Omit<ResolvedSettings, 'logger' | 'probe' | 'refusal' | 'forwardedHost'>

const schema: Readonly<Record<string, { readonly doc: string; readonly min?: number }>> =
  applicationSettings.server

/**
 * Returns the settings with defaults in place of absent and undefined ones.
 * @throws FwError `server.setting-invalid`, naming every invalid setting
 */
export function resolveSettings(settings: ServerSettings = {}): ResolvedSettings {
  const resolved: Record<string, unknown> = {
    logger: stderrLogger(),
    probe: undefined,
    refusal: undefined,
    forwardedHost: undefined,
    ...defaults,
  }
  const problems: string[] = []
  for (const [name, given] of Object.entries(settings)) {
    if (given === undefined) continue
    const millis = name in durations && typeof given === 'string' ? parseDuration(given) : undefined
    const value = millis ?? given
    const least = schema[name]?.min ?? 0
    if (!Object.hasOwn(resolved, name))
      problems.unshift(`There is no server setting ${JSON.stringify(name)}.`)
    else if (typeof resolved[name] === 'number' && !isAtLeast(value, least))
      problems.push(
        `The server setting ${name} is ${String(value)}: give an integer of ${least} or more.`,
      )
    resolved[name] = value
  }
  resolved['forwardedHost'] ??= !(resolved['hosts'] as readonly string[]).includes('*')
  if (problems.length > 0) throw new FwError('server.setting-invalid', problems.join(' '))
  return resolved as unknown as ResolvedSettings
}

const isAtLeast = (value: unknown, least: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least

/** Returns a logger that writes one line of JSON per message to standard error. */
export function stderrLogger(): Logger {
  return jsonLogger((line) => void process.stderr.write(line))
}

/** The default `maxQueueTime` in production, in milliseconds. In development, a debugger or a compiler causes longer waits. */
const productionQueueTime = 5_000

const day = 24 * 60 * 60 * 1000

/** Returns the time in which the largest body arrives at `minBodyRate`, after a minute for the rest of the request. */
function longestRequest(
  body: number,
  { maxRequestSize }: ApplicationSettings['upload'],
  { minBodyRate = defaults.minBodyRate }: ApplicationSettings['server'],
): number {
  if (minBodyRate === 0) return durations.requestTimeout
  const seconds = Math.max(body, maxRequestSize) / minBodyRate
  return Math.min(day, durations.requestTimeout + Math.ceil(seconds) * 1000)
}

/** Returns the server settings that the configuration of an application contains. */
export function applicationServerSettings(
  { server, limits, upload }: ApplicationSettings,
  logger: Logger,
  env: FwEnv,
): ServerSettings {
  const settings = {
    ...server,
    requestTimeout: server.requestTimeout ?? longestRequest(limits.body, upload, server),
    maxQueueTime: server.maxQueueTime ?? (env.isProduction() ? productionQueueTime : undefined),
    logger,
  }
  return settings as ServerSettings
}
