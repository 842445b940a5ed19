/** The limits and timeouts of a container: defaults and validation. */
import type { ApplicationSettings } from '../app.ts'
import { FwError, jsonLogger, parseDuration, type Duration, type Logger } from '../base.ts'
import type { FwEnv } from '../config.ts'
import type { HttpResponse } from '../http.ts'

/** All optional. Times are milliseconds or texts such as `5s`, sizes are bytes. */
export interface ServerSettings {
  /**
   * The served host names: `example.com`, `*.example.com`, `[::1]`, with any port. `*` serves every name.
   * Default, for development: localhost, *.localhost, 127.0.0.1 and [::1].
   */
  readonly hosts?: readonly string[]
  /**
   * The proxies whose X-Forwarded-For, -Proto and -Host are read: addresses and CIDR ranges, or the number of proxies in
   * front of the server. Default: none, the headers are ignored.
   */
  readonly trustedProxies?: readonly string[] | number
  /** The length of path and query; a longer one is a 414. Default 8 KiB. */
  readonly maxTargetLength?: number
  /** The number of header lines; more are a 431. Default 100. */
  readonly maxHeaders?: number
  /** The size of all headers; more is a 431. Default 16 KiB. */
  readonly maxHeaderBytes?: number
  /** Open connections; further ones are closed. Default 10,000. */
  readonly maxConnections?: number
  /** Time until the headers are complete. Default 10 s. */
  readonly headersTimeout?: Duration
  /** Time until the whole request is received. Default 60 s; 0 is no limit. */
  readonly requestTimeout?: Duration
  /** Time between two requests of a connection. Default 5 s; behind a load balancer use more than its idle timeout. */
  readonly keepAliveTimeout?: Duration
  /** Time until the application answers; then 503 and an aborted signal. Default 30 s; 0 is no limit. */
  readonly handlerTimeout?: Duration
  /** A client slower than `minWriteRate` for this time is cut off, at most 1 s later. Default 5 s; 0 is no limit. */
  readonly writeTimeout?: Duration
  /** Bytes per second that a client must read, averaged over `writeTimeout`. Default 1024; 0: any progress is enough. */
  readonly minWriteRate?: number
  /** Bytes per second of a request body, checked after 5 s; fewer are a 408. Default 240; 0 is no limit. */
  readonly minBodyRate?: number
  /** Milliseconds. A longer wait for the event loop is overload; then requests get 503 after half of it. Default 0: never. */
  readonly maxQueueTime?: number
  /** Time that `close` waits for in-flight requests; then they get 503. Default 20 s. */
  readonly shutdownGrace?: Duration
  /** Time that `close` keeps serving, until load balancers have read `/ready`. Default 0. */
  readonly drainDelay?: Duration
  readonly logger?: Logger
  /**
   * Answers health probes and scrapes of metrics, also for hosts that are not served; undefined for any other request.
   * `App` passes the probe of its application.
   */
  readonly probe?: (
    method: string,
    target: string,
    authorization: string | undefined,
  ) => HttpResponse | Promise<HttpResponse> | undefined
}

const durationNames = [
  'headersTimeout',
  'requestTimeout',
  'keepAliveTimeout',
  'handlerTimeout',
  'writeTimeout',
  'shutdownGrace',
  'drainDelay',
] as const
type DurationName = (typeof durationNames)[number]

export type ResolvedSettings = Required<Omit<ServerSettings, 'probe' | DurationName>> &
  Readonly<Record<DurationName, number>> &
  Pick<ServerSettings, 'probe'>

const defaults = {
  hosts: ['localhost', '*.localhost', '127.0.0.1', '[::1]'],
  trustedProxies: 0,
  maxTargetLength: 8 * 1024,
  maxHeaders: 100,
  maxHeaderBytes: 16 * 1024,
  maxConnections: 10_000,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  handlerTimeout: 30_000,
  writeTimeout: 5_000,
  minWriteRate: 1024,
  minBodyRate: 240,
  maxQueueTime: 0,
  shutdownGrace: 20_000,
  drainDelay: 0,
} as const satisfies Omit<ResolvedSettings, 'logger' | 'probe'>

const mayBeZero: ReadonlySet<string> = new Set([
  'requestTimeout',
  'handlerTimeout',
  'writeTimeout',
  'minWriteRate',
  'minBodyRate',
  'maxQueueTime',
  'shutdownGrace',
  'drainDelay',
])

/**
 * Fills in the defaults of absent and undefined settings.
 * @throws FwError `server.setting-invalid`, naming every invalid setting
 */
export function resolveSettings(settings: ServerSettings = {}): ResolvedSettings {
  const defined = Object.fromEntries(
    Object.entries(settings)
      .filter(([, value]) => value !== undefined)
      // A text that is no duration stays, and is reported as invalid.
      .map(([name, value]) => [name, parseTime(name, value)]),
  )
  const resolved: ResolvedSettings = { logger: stderrLogger(), ...defaults, ...defined }
  const problems = [...unknownNames(defined), ...invalidNumbers(resolved)]
  if (problems.length > 0) throw new FwError('server.setting-invalid', problems.join(' '))
  return resolved
}

const durations: ReadonlySet<string> = new Set(durationNames)

const parseTime = (name: string, value: unknown): unknown =>
  durations.has(name) && typeof value === 'string' ? (parseDuration(value) ?? value) : value

/** Writes one line of JSON per message to standard error. */
export function stderrLogger(): Logger {
  return jsonLogger((line) => void process.stderr.write(line))
}

function unknownNames(settings: object): string[] {
  return Object.keys(settings)
    .filter((name) => name !== 'logger' && name !== 'probe' && !Object.hasOwn(defaults, name))
    .map((name) => `There is no server setting ${JSON.stringify(name)}.`)
}

function invalidNumbers(resolved: ResolvedSettings): string[] {
  const problems: string[] = []
  for (const [name, fallback] of Object.entries(defaults)) {
    const value: unknown = resolved[name as keyof typeof defaults]
    if (typeof fallback !== 'number' || Array.isArray(value)) continue
    const least = mayBeZero.has(name) || name === 'trustedProxies' ? 0 : 1
    if (Number.isSafeInteger(value) && (value as number) >= least) continue
    problems.push(
      `The server setting ${name} is ${String(value)}: give an integer of ${least} or more.`,
    )
  }
  return problems
}

/** Milliseconds. A development machine stops for longer, under a debugger or a compiler. */
const productionQueueTime = 100

/** The settings of an application's servers. */
export function applicationServerSettings(
  { server }: ApplicationSettings,
  logger: Logger,
  env: FwEnv,
): ServerSettings {
  const { trustedProxies, maxQueueTime, ...others } = server
  const settings = {
    ...others,
    trustedProxies: parseProxies(trustedProxies),
    maxQueueTime: maxQueueTime ?? (env.isProduction() ? productionQueueTime : undefined),
  }
  const defined = Object.entries(settings).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(defined), logger }
}

// Settings of files and environment variables are texts. A single number is the number of proxies.
function parseProxies(trusted: readonly string[] = []): readonly string[] | number {
  const [only = ''] = trusted
  return trusted.length === 1 && /^\d{1,2}$/.test(only) ? Number(only) : trusted
}
