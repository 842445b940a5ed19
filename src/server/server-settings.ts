/** The limits and timeouts of a container: defaults, and their check before anything listens. */
import { FwError, jsonLogger } from '../base.ts'
import type { Logger } from '../base.ts'

/** All optional; milliseconds and bytes. */
export interface ServerSettings {
  /**
   * Host names served: `example.com`, `*.example.com`, `[::1]`; any port. `*` serves every name.
   * Default: localhost, *.localhost, 127.0.0.1 and [::1], which is meant for development.
   */
  readonly hosts?: readonly string[]
  /**
   * Proxies whose X-Forwarded-For, -Proto and -Host count: addresses and CIDR ranges, or how many proxies stand in front.
   * Default: none, the headers are ignored.
   */
  readonly trustedProxies?: readonly string[] | number
  /** Path with query; longer is 414. Default 8 KiB. */
  readonly maxTargetLength?: number
  /** Header lines; more is 431. Default 100. */
  readonly maxHeaders?: number
  /** All headers together; more is 431. Default 16 KiB. */
  readonly maxHeaderBytes?: number
  /** Open sockets; further ones are refused. Default 10 000. */
  readonly maxConnections?: number
  /** Until the headers are complete. Default 10 s. */
  readonly headersTimeout?: number
  /** Until the whole request is received. Default 60 s; 0 is none. */
  readonly requestTimeout?: number
  /** Between two requests of a connection. Default 5 s; behind a load balancer longer than its own. */
  readonly keepAliveTimeout?: number
  /** Until the application answers; past it 503 and an aborted signal. Default 30 s; 0 is none. */
  readonly handlerTimeout?: number
  /** A client that takes less of a response than `minWriteRate` says for so long is cut off, up to 1 s later. Default 5 s; 0 is none. */
  readonly writeTimeout?: number
  /** Bytes per second at which a client must take a response, over each `writeTimeout`. Default 1024; 0: anything is enough. */
  readonly minWriteRate?: number
  /** Bytes per second a body must come at, measured after 5 s; slower is 408. Default 240; 0 is none. */
  readonly minBodyRate?: number
  /** What `close` waits for requests in flight. Default 20 s. */
  readonly shutdownGrace?: number
  readonly logger?: Logger
}

export type ResolvedSettings = Required<ServerSettings>

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
  shutdownGrace: 20_000,
} as const satisfies Omit<ResolvedSettings, 'logger'>

const mayBeZero: ReadonlySet<string> = new Set([
  'requestTimeout',
  'handlerTimeout',
  'writeTimeout',
  'minWriteRate',
  'minBodyRate',
  'shutdownGrace',
])

/**
 * Settings over their defaults; one that is undefined counts as not given.
 * @throws FwError `server.setting-invalid`, naming every setting that is wrong
 */
export function resolveSettings(settings: ServerSettings = {}): ResolvedSettings {
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== undefined),
  )
  const resolved: ResolvedSettings = { logger: stderrLogger(), ...defaults, ...given }
  const problems = [...unknownNames(given), ...wrongNumbers(resolved)]
  if (problems.length > 0) throw new FwError('server.setting-invalid', problems.join(' '))
  return resolved
}

/** One line of JSON for each message. */
export function stderrLogger(): Logger {
  return jsonLogger((line) => void process.stderr.write(line))
}

function unknownNames(given: object): string[] {
  return Object.keys(given)
    .filter((name) => name !== 'logger' && !Object.hasOwn(defaults, name))
    .map((name) => `There is no server setting ${JSON.stringify(name)}.`)
}

function wrongNumbers(resolved: ResolvedSettings): string[] {
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
