/** The settings of an application, which are validated once at the start. Each `doc` is a row of docs/configuration.md. */
import { defineSettings, type SettingsOf } from '../config.ts'
import { databaseSettingsSchema } from '../db.ts'
import { defaultMultipartLimits as uploads } from '../http.ts'
import { telemetrySettings } from '../telemetry.ts'
import { findHeadersProblem, findPolicyProblem } from './security-headers.ts'

const minute = 60 * 1000
/** The maximum age of a cookie in milliseconds: browsers keep it for at most 400 days. */
const longestAge = 400 * 24 * 60 * minute
const gibibyte = 1024 ** 3

const findProbePathProblem = (path: string): string | undefined =>
  path === 'off' || /^\/[^?#\s]*$/.test(path) ? undefined : 'must begin with a slash, or be off'

/** Every setting that Fw reads from the configuration. @spec Configuration values */
export const applicationSettings = defineSettings({
  contextPath: { kind: 'string', default: '', doc: 'The path of the application, such as /shop.' },
  secretKeyBase: {
    kind: 'strings',
    doc: 'At least 32 random bytes; required in production.',
    required: (env) => env.isProduction(),
  },
  limits: {
    body: {
      kind: 'size',
      default: 1024 ** 2,
      min: 1024,
      doc: 'The largest form, JSON or text body.',
    },
  },
  session: {
    idleTimeout: {
      kind: 'duration',
      default: 30 * minute,
      min: minute,
      max: longestAge,
      doc: 'A session that is unused for this long ends.',
    },
    absoluteTimeout: {
      kind: 'duration',
      default: 12 * 60 * minute,
      min: minute,
      max: longestAge,
      doc: 'A session of this age ends, used or unused.',
    },
    sweepInterval: {
      kind: 'duration',
      default: 5 * minute,
      min: 1000,
      doc: 'How often the records of ended sessions are deleted.',
    },
    cookieName: {
      kind: 'string',
      default: 'fw_session',
      doc: 'Name of the session cookie, for several applications on one host; production adds __Host- or __Secure-.',
      check: (name) => (/^\w{1,64}$/.test(name) ? undefined : 'must be letters, digits and _'),
    },
    cookiePath: {
      kind: 'string',
      default: '/',
      doc: 'Path of the session cookie, such as /shop; only requests below it have the session.',
      check: (path) =>
        /^\/[\w./~-]*$/.test(path) ? undefined : 'must begin with / and be a plain path',
    },
    sweepUnusedFlashEntries: {
      kind: 'boolean',
      default: true,
      doc: 'Deletes a flash value after the next request; false: after the request that reads it.',
    },
  },
  security: {
    headers: {
      kind: 'texts',
      default: new Map(),
      doc: 'Replaces default response headers; the value off removes one.',
      check: findHeadersProblem,
    },
    contentSecurityPolicy: {
      kind: 'texts',
      default: new Map(),
      doc: 'Replaces default directives; the value off removes one. Fw adds nonces.',
      check: findPolicyProblem,
    },
  },
  log: {
    level: {
      kind: 'string',
      oneOf: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      doc: 'The least urgent level that is logged.',
    },
    format: {
      kind: 'string',
      oneOf: ['json', 'pretty'],
      default: 'json',
      doc: 'The lines of production: JSON for programs, or text for people. `fw run` writes text.',
    },
  },
  csrf: {
    trustedOrigins: {
      kind: 'strings',
      default: [],
      doc: 'Other origins that may send unsafe requests.',
    },
  },
  validation: {
    status: {
      kind: 'int',
      default: 400,
      doc: 'The status of a failed validation: 400 or 422.',
      check: (status) => (status === 400 || status === 422 ? undefined : 'must be 400 or 422'),
    },
  },
  errors: {
    apiPaths: {
      kind: 'strings',
      default: ['/api'],
      doc: 'Below these paths, every error is problem details in JSON unless the client wants HTML.',
      check: (paths) =>
        paths.every((path) => /^\/[^?#]*[^/?#]$/.test(path))
          ? undefined
          : 'must be a list of paths such as /api',
    },
  },
  redirect: {
    allowedHosts: { kind: 'strings', default: [], doc: 'Other hosts that redirects may go to.' },
  },
  i18n: {
    defaultLocale: { kind: 'string', default: 'en', doc: 'The language of messages.yml.' },
  },
  server: {
    hosts: {
      kind: 'strings',
      doc: 'The host names of the application; required in production.',
      required: (env) => env.isProduction(),
    },
    trustedProxies: {
      kind: 'strings',
      doc: 'Addresses or ranges of proxies whose forwarded headers count, or the number of proxies.',
    },
    maxTargetLength: { kind: 'size', min: 1, doc: 'Path and query; longer is 414. Default: 8KiB.' },
    maxHeaders: { kind: 'int', min: 1, doc: 'Header lines; more is 431. Default: 100.' },
    maxHeaderBytes: {
      kind: 'size',
      min: 1,
      doc: 'All headers together; more is 431. Default: 16KiB.',
    },
    maxConnections: { kind: 'int', min: 1, doc: 'Open sockets. Default: 10000.' },
    headersTimeout: { kind: 'duration', min: 1, doc: 'Until all headers arrive. Default: 10s.' },
    requestTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'Until the whole request arrives; 0: unlimited. Default: 60s.',
    },
    keepAliveTimeout: {
      kind: 'duration',
      min: 1,
      doc: 'Between two requests of a connection. Default: 5s.',
    },
    handlerTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'Until the application responds, otherwise 503; 0: unlimited. Default: 30s.',
    },
    writeTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'Disconnects a client that reads slower than minWriteRate for this long; 0: never. Default: 5s.',
    },
    minWriteRate: {
      kind: 'size',
      min: 0,
      doc: 'Bytes per second that a client must read. Default: 1024.',
    },
    minBodyRate: {
      kind: 'size',
      min: 0,
      doc: 'Bytes per second of a request body; 0: no minimum. Default: 240.',
    },
    maxQueueTime: {
      kind: 'duration',
      min: 0,
      doc: 'A longer wait for the event loop is overload; then requests get 503 after a quarter of this time, or after one turn of the event loop if that is longer; 0: never. Default: 100ms in production, else 0.',
    },
    shutdownGrace: {
      kind: 'duration',
      min: 0,
      doc: 'How long a stop waits for requests in flight, which then get 503. Default: 20s.',
    },
    drainDelay: {
      kind: 'duration',
      min: 0,
      doc: 'How long a stop keeps serving while /ready answers 503. Default: 0s.',
    },
  },
  health: {
    livePath: {
      kind: 'string',
      default: '/up',
      doc: 'The path of liveness probes; off: none.',
      check: findProbePathProblem,
    },
    readyPath: {
      kind: 'string',
      default: '/ready',
      doc: 'The path of readiness probes; off: none.',
      check: findProbePathProblem,
    },
    timeout: {
      kind: 'duration',
      default: 2000,
      min: 1,
      doc: 'How long the readiness checks may take together.',
    },
    interval: {
      kind: 'duration',
      default: 1000,
      min: 0,
      doc: 'How long the result of the readiness checks is used again.',
    },
    migrations: {
      kind: 'boolean',
      default: false,
      doc: 'Readiness requires that no migration is pending.',
    },
    waitForDatabase: {
      kind: 'boolean',
      default: false,
      doc: 'fw start waits for a database that does not answer, and /ready answers 503; false: it exits with 1.',
    },
  },
  upload: {
    location: {
      kind: 'string',
      doc: 'The folder for large uploads. Default: the temporary folder of the system.',
    },
    maxRequestSize: {
      kind: 'size',
      default: uploads.totalBytes,
      min: 1024,
      doc: 'All parts of one request.',
    },
    maxFileSize: { kind: 'size', default: uploads.fileBytes, min: 1, doc: 'One file.' },
    maxFiles: { kind: 'int', default: uploads.files, min: 0, doc: 'Files of one request.' },
    maxFields: { kind: 'int', default: uploads.fields, min: 0, doc: 'Text fields of one request.' },
    maxParts: {
      kind: 'int',
      default: uploads.parts,
      min: 1,
      doc: 'Files and fields of one request.',
    },
    maxFieldSize: { kind: 'size', default: uploads.fieldBytes, min: 1, doc: 'One text field.' },
    maxMemory: {
      kind: 'size',
      default: uploads.memoryBytes,
      min: 1024,
      doc: 'Memory per request, for fields and small files.',
    },
    fileSizeThreshold: {
      kind: 'size',
      default: uploads.fileMemoryBytes,
      min: 0,
      doc: 'Larger files are written to disk.',
    },
  },
  compression: {
    enabled: { kind: 'boolean', default: false, doc: 'Compresses texts: gzip, brotli or zstd.' },
    minimumSize: { kind: 'size', default: 1024, min: 0, doc: 'Smaller bodies stay uncompressed.' },
  },
  staticFiles: {
    maxAge: {
      kind: 'duration',
      default: 0,
      min: 0,
      max: longestAge,
      doc: 'How long browsers use public files without revalidation.',
    },
    precompressed: {
      kind: 'boolean',
      default: false,
      doc: 'Sends x.js.br, x.js.zst or x.js.gz instead of x.js if the client accepts it.',
    },
  },
  ...telemetrySettings,
  ...databaseSettingsSchema,
})

/** The validated settings of an application, by section. */
export type ApplicationSettings = SettingsOf<typeof applicationSettings>

const knownWord = /secret|passw|change.?me|example|default|replace|12345|qwerty/i
// A secret with fewer different characters is guessable: in any usual encoding, 32 random bytes have at least 10.
const fewestCharacters = 8

const isGuessable = (secret: string): boolean =>
  new Set(secret).size < fewestCharacters || knownWord.test(secret)

/**
 * Returns a sentence for each valid setting that is probably a mistake. The start of the application logs them, and `fw doctor`
 * lists them.
 */
export function findRiskySettings(settings: ApplicationSettings): string[] {
  const { secretKeyBase = [], limits, upload, server } = settings
  const risks: string[] = []
  if (secretKeyBase.some(isGuessable))
    risks.push('secretKeyBase is guessable: generate a random one with fw secret.')
  for (const [key, size] of [
    ['limits.body', limits.body],
    ['upload.maxMemory', upload.maxMemory],
  ] as const)
    if (size > gibibyte)
      risks.push(`${key} is above 1GiB: a few requests can exhaust the memory of the process.`)
  if (server.trustedProxies?.some((range) => range.endsWith('/0')) === true)
    risks.push(
      'server.trustedProxies contains every address: any client can forge its address and host.',
    )
  return risks
}
