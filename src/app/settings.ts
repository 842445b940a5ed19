/** The settings of an application, read and checked once at the start. */
import { defineSettings, type SettingsOf } from '../config.ts'
import { databaseSchema } from '../db.ts'
import { headersProblem, policyProblem } from './security-policy.ts'
import { bodySettings } from './body-settings.ts'

const minute = 60 * 1000
/** As long as browsers keep a cookie. */
const longestSession = 400 * 24 * 60 * minute

/** Every setting that Fw reads from the configuration. @spec Configuration values */
export const applicationSettings = defineSettings({
  contextPath: {
    kind: 'string',
    default: '',
    doc: 'The path below which the whole application lives, such as /shop.',
  },
  secretKeyBase: {
    kind: 'strings',
    doc: 'At least 32 random bytes; several, the newest first, while keys are rotated.',
    required: (env) => env.isProduction(),
  },
  limits: {
    body: {
      kind: 'size',
      default: 1024 * 1024,
      min: 1024,
      doc: 'The largest form, JSON or text body.',
    },
  },
  session: {
    idleTimeout: {
      kind: 'duration',
      default: 30 * minute,
      min: minute,
      max: longestSession,
      doc: 'A session that is not used this long has ended.',
    },
    absoluteTimeout: {
      kind: 'duration',
      default: 12 * 60 * minute,
      min: minute,
      max: longestSession,
      doc: 'A session this old has ended, used or not.',
    },
    sweepInterval: {
      kind: 'duration',
      default: 5 * minute,
      min: 1000,
      doc: 'How often the records of dead sessions are removed.',
    },
    sweepUnusedFlashEntries: {
      kind: 'boolean',
      default: true,
      doc: 'A flash value is gone after the next request, read or not; false: after the request that read it.',
    },
  },
  security: {
    headers: {
      kind: 'texts',
      default: new Map(),
      doc: 'Response headers over the defaults; the word off takes one away.',
      check: headersProblem,
    },
    contentSecurityPolicy: {
      kind: 'texts',
      default: new Map(),
      doc: 'Directives over the defaults; the word off takes one away. Nonces are added by themselves.',
      check: policyProblem,
    },
  },
  csrf: {
    trustedOrigins: {
      kind: 'strings',
      default: [],
      doc: 'Origins beside the own that may send unsafe requests.',
    },
  },
  redirect: {
    allowedHosts: {
      kind: 'strings',
      default: [],
      doc: 'Hosts beside the own that redirects may lead to.',
    },
  },
  i18n: {
    defaultLocale: { kind: 'string', default: 'en', doc: 'The language of messages.yml.' },
  },
  server: {
    hosts: {
      kind: 'strings',
      doc: 'Host names that are served; in production the start fails without them.',
      required: (env) => env.isProduction(),
    },
    trustedProxies: {
      kind: 'strings',
      doc: 'Addresses or ranges of proxies whose forwarded headers count, or how many proxies stand in front.',
    },
    maxTargetLength: {
      kind: 'size',
      min: 1,
      doc: 'Path with query; longer is 414. 8KiB unless given.',
    },
    maxHeaders: { kind: 'int', min: 1, doc: 'Header lines; more is 431. 100 unless given.' },
    maxHeaderBytes: {
      kind: 'size',
      min: 1,
      doc: 'All headers together; more is 431. 16KiB unless given.',
    },
    maxConnections: {
      kind: 'int',
      min: 1,
      doc: 'Open sockets; further ones are refused. 10000 unless given.',
    },
    headersTimeout: {
      kind: 'duration',
      min: 1,
      doc: 'Until the headers are complete. 10s unless given.',
    },
    requestTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'Until the whole request is received; 0 is none. 60s unless given.',
    },
    keepAliveTimeout: {
      kind: 'duration',
      min: 1,
      doc: 'Between two requests of a connection. 5s unless given.',
    },
    handlerTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'Until the application answers, past it 503; 0 is none. 30s unless given.',
    },
    writeTimeout: {
      kind: 'duration',
      min: 0,
      doc: 'A client that takes less than minWriteRate for so long is cut off; 0 is none. 5s unless given.',
    },
    minWriteRate: {
      kind: 'size',
      min: 0,
      doc: 'Bytes a second that a client must take of a response. 1024 unless given.',
    },
    minBodyRate: {
      kind: 'size',
      min: 0,
      doc: 'Bytes a second that a body must come at; 0 is none. 240 unless given.',
    },
    shutdownGrace: {
      kind: 'duration',
      min: 0,
      doc: 'What a stop waits for requests in flight. 20s unless given.',
    },
  },
  ...bodySettings,
  ...databaseSchema,
})

export type ApplicationSettings = SettingsOf<typeof applicationSettings>
