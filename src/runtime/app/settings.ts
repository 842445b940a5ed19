/** The settings of an application, which are validated once at the start. Each `doc` is a row of docs/configuration.md. */
import { defineSettings, type FwEnv, type SettingsOf } from '../config.ts'
import { databaseSettingsSchema } from '../db.ts'
import { defaultMultipartLimits as uploads } from '../http.ts'
import { isTimeZone } from '../i18n.ts'
import { jobSettings } from '../jobs.ts'
import { mailSettings } from '../mail.ts'
import { serverSettings } from '../server.ts'
import { telemetrySettings } from '../telemetry.ts'
import { findPolicyProblem } from './content-security-policy.ts'
import { findHeadersProblem } from './security-headers.ts'

const minute = 60 * 1000
/** The maximum age of a cookie in milliseconds: browsers keep it for at most 400 days. */
const longestAge = 400 * 24 * 60 * minute
const gibibyte = 1024 ** 3

interface Options<T> {
  readonly default?: T
  readonly required?: (env: FwEnv) => boolean
  readonly oneOf?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly check?: (value: T) => string | undefined
}

/** Returns a function that defines settings of one kind. */
const defineKind =
  <T, const K extends string>(kind: K) =>
  <const O extends Options<T>>(doc: string, options = {} as O) => ({ kind, doc, ...options })

const text = defineKind<string, 'string'>('string')
const texts = defineKind<readonly string[], 'strings'>('strings')
const textsByName = defineKind<ReadonlyMap<string, string>, 'texts'>('texts')
const flag = defineKind<boolean, 'boolean'>('boolean')
const int = defineKind<number, 'int'>('int')
const size = defineKind<number, 'size'>('size')
const duration = defineKind<number, 'duration'>('duration')

/** Returns whether cookies are `Secure`: by the setting, else in every environment except development and test. */
export const hasSecureCookies = ({ cookies }: ApplicationSettings, env: FwEnv): boolean =>
  cookies.secure ?? !(env.isDevelopment() || env.isTest())

const inProduction = (env: FwEnv): boolean => env.isProduction()

const findProbePathProblem = (path: string): string | undefined =>
  path === 'off' || /^\/[^?#\s]*$/.test(path) ? undefined : 'must begin with a slash, or be off'

/** The path is part of a header and of a directive, in which `;`, `,` and `"` have a meaning. */
const findReportPathProblem = (path: string): string | undefined =>
  path === 'off' || /^\/[\w./~-]+$/.test(path)
    ? undefined
    : 'must be a plain path below /, such as /policy-reports, or off'

const findOriginProblem = (origin: string): string | undefined =>
  /^https?:\/\/[^/?#\s@]+$/.test(origin) && URL.canParse(origin)
    ? undefined
    : 'must be a scheme and a host without a path, such as https://shop.example.com'

/** Every setting that Fw reads from the configuration. @spec Configuration values */
export const applicationSettings = defineSettings({
  contextPath: text('The path of the application, such as /shop.', { default: '' }),
  origin: text(
    'Scheme and host of the application, for absolute URLs in mails: https://shop.example.com.',
    { check: findOriginProblem },
  ),
  secretKeyBase: texts('At least 32 random bytes; required in production.', {
    required: inProduction,
  }),
  limits: { body: size('The largest form, JSON or text body.', { default: 1024 ** 2, min: 1024 }) },
  session: {
    idleTimeout: duration('A session that is unused for this long ends.', {
      default: 30 * minute,
      min: minute,
      max: longestAge,
    }),
    absoluteTimeout: duration('A session of this age ends, used or unused.', {
      default: 12 * 60 * minute,
      min: minute,
      max: longestAge,
    }),
    sweepInterval: duration('How often the records of ended sessions are deleted.', {
      default: 5 * minute,
      min: 1000,
    }),
    cookieName: text(
      'Name of the session cookie, for several applications on one host; cookies.secure adds __Host- or __Secure-.',
      {
        default: 'fw_session',
        check: (name) => (/^\w{1,64}$/.test(name) ? undefined : 'must be letters, digits and _'),
      },
    ),
    cookiePath: text(
      'Path of the session cookie, such as /shop; only requests below it have the session.',
      {
        default: '/',
        check: (path) =>
          /^\/[\w./~-]*$/.test(path) ? undefined : 'must begin with / and be a plain path',
      },
    ),
    deviceBound: flag(
      'Binds the session of a login to a key of the device, in browsers that support it (DBSC).',
      { default: false },
    ),
    boundCookieLifetime: duration(
      'How often the browser proves that it has the key of its device.',
      {
        default: 10 * minute,
        min: minute,
        max: 24 * 60 * minute,
      },
    ),
    sweepUnusedFlashEntries: flag(
      'Deletes a flash value that two pages did not show; false: only one that a page has shown.',
      { default: true },
    ),
  },
  cookies: {
    secure: flag(
      'Cookies get Secure and the session cookie a prefix, so that browsers send them over https only. Default: true, but false in development and test.',
    ),
  },
  security: {
    headers: textsByName('Replaces default response headers; the value off removes one.', {
      default: new Map(),
      check: findHeadersProblem,
    }),
    contentSecurityPolicy: textsByName(
      'Replaces default directives; the value off removes one. Fw adds nonces.',
      { default: new Map(), check: findPolicyProblem },
    ),
    contentSecurityPolicyReportOnly: textsByName(
      'Directives of a policy that browsers only report, merged like contentSecurityPolicy.',
      { default: new Map(), check: findPolicyProblem },
    ),
    policyReportPath: text(
      'The path to which browsers report violations of the policies, such as /policy-reports; Fw logs each kind once a day. off: none.',
      { default: 'off', check: findReportPathProblem },
    ),
    speculationRules: flag(
      'Browsers prefetch pages: responses to writes remove prefetched pages; false: never. Default: after the first prefetch.',
    ),
  },
  log: {
    level: text('The least urgent level that is logged.', {
      oneOf: ['debug', 'info', 'warn', 'error'],
      default: 'info',
    }),
    format: text(
      'The lines of production: JSON for programs, or text for people. `fw run` writes text.',
      { oneOf: ['json', 'pretty'], default: 'json' },
    ),
  },
  csrf: { trustedOrigins: texts('Other origins that may send unsafe requests.', { default: [] }) },
  validation: {
    status: int('The status of a failed validation: 400 or 422.', {
      default: 400,
      check: (status) => (status === 400 || status === 422 ? undefined : 'must be 400 or 422'),
    }),
  },
  errors: {
    apiPaths: texts(
      'Below these paths, every error is problem details in JSON unless the client wants HTML.',
      {
        default: ['/api'],
        check: (paths) =>
          paths.every((path) => /^\/[^?#]*[^/?#]$/.test(path))
            ? undefined
            : 'must be a list of paths such as /api',
      },
    ),
  },
  redirect: { allowedHosts: texts('Other hosts that redirects may go to.', { default: [] }) },
  i18n: {
    defaultLocale: text('The language of messages.yml.', { default: 'en' }),
    timeZone: text(
      'The time zone in which pages show instants and forms are read, such as Europe/Berlin; visitors may have another one.',
      {
        default: 'UTC',
        check: (zone) =>
          isTimeZone(zone) ? undefined : 'must be a time zone such as UTC or Europe/Berlin',
      },
    ),
    calendar: text(
      "The calendar of dates on pages, such as buddhist; locale: that of the visitor's language. Forms have the Gregorian calendar.",
      { default: 'gregory', oneOf: ['locale', ...Intl.supportedValuesOf('calendar')] },
    ),
  },
  server: {
    ...serverSettings,
    hosts: { ...serverSettings.hosts, required: inProduction },
    requestTimeout: duration(
      'Until the whole request arrives; 0: unlimited. Default: as long as upload.maxRequestSize takes at minBodyRate, and 60s.',
    ),
    maxQueueTime: duration(
      'How long a request waits for the event loop before it gets 503; 0: unlimited. Default: 5s in production, else 0.',
    ),
  },
  health: {
    livePath: text('The path of liveness probes; off: none.', {
      default: '/up',
      check: findProbePathProblem,
    }),
    readyPath: text('The path of readiness probes; off: none.', {
      default: '/ready',
      check: findProbePathProblem,
    }),
    timeout: duration('How long the readiness checks may take together.', {
      default: 2000,
      min: 1,
    }),
    interval: duration('How long the result of the readiness checks is used again.', {
      default: 1000,
    }),
    migrations: flag('Readiness requires that no migration is pending.', { default: false }),
    waitForDatabase: flag(
      'fw start waits for a database that does not answer, and /ready answers 503; false: it exits with 1.',
      { default: false },
    ),
  },
  upload: {
    location: text('The folder for large uploads. Default: the temporary folder of the system.'),
    maxRequestSize: size('All parts of one request.', { default: uploads.totalBytes, min: 1024 }),
    maxFileSize: size('One file.', { default: uploads.fileBytes, min: 1 }),
    maxFiles: int('Files of one request.', { default: uploads.files, min: 0 }),
    maxFields: int('Text fields of one request.', { default: uploads.fields, min: 0 }),
    maxParts: int('Files and fields of one request.', { default: uploads.parts, min: 1 }),
    maxFieldSize: size('One text field.', { default: uploads.fieldBytes, min: 1 }),
    maxMemory: size('Memory per request, for fields and small files.', {
      default: uploads.memoryBytes,
      min: 1024,
    }),
    fileSizeThreshold: size('Larger files are written to disk.', {
      default: uploads.fileMemoryBytes,
    }),
  },
  compression: {
    enabled: flag('Compresses texts: gzip, brotli or zstd.', { default: false }),
    minimumSize: size('Smaller bodies stay uncompressed.', { default: 1024 }),
  },
  staticFiles: {
    maxAge: duration('How long browsers use public files without revalidation.', {
      default: 0,
      max: longestAge,
    }),
    immutable: texts(
      'Folders below webapp whose files change only together with their name, such as assets/lib; browsers keep them for a year.',
      {
        default: [],
        check: (folders) =>
          folders.every((folder) => /^[^/]+(?:\/[^/]+)*$/.test(folder))
            ? undefined
            : 'must be a list of folders such as assets/lib',
      },
    ),
    precompressed: flag(
      'Sends x.js.br, x.js.zst or x.js.gz instead of x.js if the client accepts it.',
      { default: false },
    ),
  },
  ...jobSettings,
  ...mailSettings,
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

/** Returns a sentence for each valid setting that is probably a mistake, for the log of the start and `fw doctor`. */
export function findRiskySettings(settings: ApplicationSettings): string[] {
  const { secretKeyBase = [], limits, upload, server, cookies } = settings
  const risks: string[] = []
  if (secretKeyBase.some(isGuessable))
    risks.push('secretKeyBase is guessable: generate a random one with fw secret.')
  for (const [key, size] of [
    ['limits.body', limits.body],
    ['upload.maxMemory', upload.maxMemory],
  ] as const)
    if (size > gibibyte)
      risks.push(`${key} is above 1GiB: a few requests can exhaust the memory of the process.`)
  if (cookies.secure === false)
    risks.push('cookies.secure is false: anybody on the network can read the session cookie.')
  if (server.trustedProxies.some((range) => range.endsWith('/0')))
    risks.push(
      'server.trustedProxies contains every address: any client can forge its address and host.',
    )
  return risks
}
