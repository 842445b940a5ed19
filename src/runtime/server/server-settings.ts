/** The settings of servers, such as limits and timeouts: one schema with their descriptions, kinds, bounds and defaults. */
import { FwError, jsonLogger, parseDuration, type Duration, type Logger } from '../base.ts'
import type { HttpRequest, HttpResponse } from '../http.ts'
import { defaultMemoryLimit, type MemoryLimit } from './memory-limit.ts'

interface SettingValues {
  strings: readonly string[]
  boolean: boolean
  int: number
  /** Bytes. */
  size: number
  duration: Duration
}

interface ServerSetting {
  readonly kind: keyof SettingValues
  /** The description in the documentation's table of settings. */
  readonly doc: string
  /** A duration is in milliseconds. A setting without a default has one that its description explains. */
  readonly default?: number | readonly string[]
  /** The minimum of a number; 0 by default. */
  readonly min?: number
}

/** The settings that a server can be given; an application has them in the section `server` of its configuration. */
export const serverSettings = {
  hosts: {
    kind: 'strings',
    doc: 'The accepted host names, with any port; `*.example.com` is every name below, `*` every name. Required in production.',
    default: ['localhost', '*.localhost', '127.0.0.1', '[::1]'],
  },
  trustedProxies: {
    kind: 'strings',
    doc: 'Addresses or ranges of proxies whose X-Forwarded-For, -Proto and -Host count.',
    default: [],
  },
  forwardedHost: {
    kind: 'boolean',
    doc: 'Whether X-Forwarded-Host of a trusted proxy replaces Host. Default: true, unless server.hosts contains *.',
  },
  maxTargetLength: {
    kind: 'size',
    doc: 'Path and query; longer is 414.',
    default: 8 * 1024,
    min: 1,
  },
  maxHeaders: { kind: 'int', doc: 'Header lines; more is 431.', default: 100, min: 1 },
  maxHeaderBytes: {
    kind: 'size',
    doc: 'All headers together; more is 431.',
    default: 16 * 1024,
    min: 1,
  },
  maxConnections: {
    kind: 'int',
    doc: 'Open sockets; further ones are closed.',
    default: 10_000,
    min: 1,
  },
  headersTimeout: {
    kind: 'duration',
    doc: 'Until all headers arrive.',
    default: 10_000,
    min: 1,
  },
  requestTimeout: {
    kind: 'duration',
    doc: 'Until the whole request arrives; 0: unlimited.',
    default: 60_000,
  },
  keepAliveTimeout: {
    kind: 'duration',
    doc: 'Between two requests of a connection; use more than the idle timeout of a load balancer.',
    default: 5_000,
    min: 1,
  },
  handlerTimeout: {
    kind: 'duration',
    doc: 'Until the application responds, without the time in which a body arrives, otherwise 503; 0: unlimited.',
    default: 30_000,
  },
  writeTimeout: {
    kind: 'duration',
    doc: 'Disconnects a client that reads slower than minWriteRate for this long; 0: never.',
    default: 5_000,
  },
  minWriteRate: {
    kind: 'size',
    doc: 'Bytes per second that a client must read; 0: any progress.',
    default: 1024,
  },
  minBodyRate: {
    kind: 'size',
    doc: 'Bytes per second of a request body, after its first 5 s, otherwise 408; 0: no minimum.',
    default: 240,
  },
  maxQueueTime: {
    kind: 'duration',
    doc: 'How long a request waits for the event loop before it gets 503; 0: unlimited.',
    default: 0,
  },
  maxRequests: {
    kind: 'int',
    doc: 'Requests that wait or have no response yet; more get 503.',
    default: 10_000,
    min: 1,
  },
  maxMemory: {
    kind: 'size',
    doc: 'Memory of the process above which requests and /ready get 503; 0: unlimited. Default: 95 % of what a container allows, divided by the number of workers, else 0.',
  },
  shutdownGrace: {
    kind: 'duration',
    doc: 'How long a stop waits for requests in flight, which then get 503.',
    default: 20_000,
  },
  drainDelay: {
    kind: 'duration',
    doc: 'How long a stop keeps serving while /ready answers 503.',
    default: 0,
  },
} as const satisfies Readonly<Record<string, ServerSetting>>

type Schema = typeof serverSettings

/** What an application gives to its servers. */
interface ServerHooks {
  readonly logger?: Logger
  /**
   * Responds to health probes and scrapes of metrics, even for hosts that are not in `hosts`. Returns undefined for any other
   * request. `memory` is the limit of the server; absent if the server has none.
   */
  readonly probe?: (
    method: string,
    target: string,
    authorization: string | undefined,
    memory?: MemoryLimit,
  ) => HttpResponse | Promise<HttpResponse> | undefined
  /** Completes the responses that the server creates itself: those of probes and of rejected requests. */
  readonly finish?: (response: HttpResponse) => HttpResponse
  /** Returns the 503 for a request that the server refuses under overload. If it returns `undefined`, the server sends its own plain 503. */
  readonly refusal?: (request: HttpRequest) => HttpResponse | undefined
}

/** The settings of a server, as docs/configuration.md describes them below `server`; durations also as texts such as `5s`. */
export type ServerSettings = {
  readonly [Name in keyof Schema]?: SettingValues[Schema[Name]['kind']]
} & ServerHooks

/** Responds to probes; see `ServerHooks`. */
export type Probe = NonNullable<ServerHooks['probe']>

/** The settings with every default. Durations are in milliseconds. */
export type ResolvedSettings = {
  readonly [Name in keyof Schema]: Schema[Name]['kind'] extends 'duration'
    ? number
    : SettingValues[Schema[Name]['kind']]
} & Required<Pick<ServerHooks, 'logger' | 'finish'>> & {
    readonly probe: Probe | undefined
    readonly refusal: ServerHooks['refusal'] | undefined
  }

const entries: readonly (readonly [string, ServerSetting])[] = Object.entries(serverSettings)
const hooks = ['logger', 'probe', 'finish', 'refusal']

/**
 * Returns the settings with defaults in place of absent and undefined ones.
 * @throws FwError `server.setting-invalid`, naming every invalid setting
 */
export function resolveSettings(settings: ServerSettings = {}): ResolvedSettings {
  const given = settings as Readonly<Record<string, unknown>>
  const problems = Object.keys(settings)
    .filter((name) => !Object.hasOwn(serverSettings, name) && !hooks.includes(name))
    .map((name) => `There is no server setting ${JSON.stringify(name)}.`)
  const values: Record<string, unknown> = {}
  for (const [name, setting] of entries) {
    values[name] = given[name] === undefined ? setting.default : readValue(setting, given[name])
    if (isNumeric(setting) && given[name] !== undefined && !isAtLeast(values[name], setting.min))
      problems.push(
        `The server setting ${name} is ${String(values[name])}: give an integer of ${setting.min ?? 0} or more.`,
      )
  }
  if (problems.length > 0) throw new FwError('server.setting-invalid', problems.join(' '))
  const { logger = stderrLogger(), finish = (response) => response, probe, refusal } = settings
  const { hosts, forwardedHost, maxMemory, ...rest } = values as unknown as ResolvedSettings
  return {
    ...rest,
    hosts,
    forwardedHost: forwardedHost ?? !hosts.includes('*'),
    maxMemory: maxMemory ?? defaultMemoryLimit(),
    logger,
    finish,
    probe,
    refusal,
  }
}

const isNumeric = ({ kind }: ServerSetting): boolean => kind !== 'strings' && kind !== 'boolean'

const readValue = ({ kind }: ServerSetting, value: unknown): unknown =>
  kind === 'duration' && typeof value === 'string' ? (parseDuration(value) ?? value) : value

const isAtLeast = (value: unknown, least = 0): boolean =>
  Number.isSafeInteger(value) && (value as number) >= least

/** Returns a logger that writes one line of JSON per message to standard error. */
export function stderrLogger(): Logger {
  return jsonLogger((line) => void process.stderr.write(line))
}
