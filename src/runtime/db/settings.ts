/** Resolves the settings of a database from the configuration and the environment. */
import { join, resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { definedMembers, silentLogger, type Logger } from '../base.ts'
import { defineSettings, type SettingsOf } from '../config.ts'
import { continueSentence, invalidUrlError } from './database-url.ts'
import { findUrlProblem } from './server-address.ts'
import type { SlowQueryLog } from './statement-log.ts'

interface CommonSettings {
  /** True opens and locks an embedded database only at the first query. A server is always connected at the first query. */
  readonly onDemand?: boolean
  /** The milliseconds that a caller waits for a connection; default 5000. */
  readonly acquireTimeout?: number
  /** The maximum number of callers that wait for a connection; default 1000. */
  readonly queueLimit?: number
  /** The milliseconds that a migration waits for a lock before it is repeated; default 2000, 0 is no limit. */
  readonly lockTimeout?: number
  readonly logger?: Logger
  /** The log for slow statements; when absent, they are not logged. */
  readonly slowQueries?: SlowQueryLog
  /** True adds an SQL comment with the request's route, action and trace to its statements, which are then not prepared. */
  readonly sqlComments?: boolean
}

/** Settings of embedded PostgreSQL, for development and tests. It does not wait for the disk, so a power cut may lose data. */
export interface PgliteSettings extends CommonSettings {
  readonly kind: 'pglite'
  /** The database folder, which no other process may use, or `memory`. */
  readonly folder: string
  /** The initial content of the database, as created by PGlite's `dumpDataDir`. */
  readonly loadDataDir?: Blob
}

/** Settings of a database on a PostgreSQL server. */
export interface PostgresSettings extends CommonSettings {
  readonly kind: 'postgres'
  /** The server's URL, such as `postgres://user:password@host:port/database?sslmode=verify-full`. */
  readonly url: string
  /** The name of the setting that contains the URL, for error messages: `DATABASE_URL`, or a key such as `db.reports.url`. */
  readonly urlSetting?: string | undefined
  /** The maximum number of open connections; default 10. */
  readonly poolSize?: number
  /** The time limit of a statement in milliseconds; default 15000, 0 is no limit. */
  readonly statementTimeout?: number
  /** The milliseconds after which the server ends an idle transaction; default 60000, 0 is no limit. */
  readonly idleTransactionTimeout?: number
  /** The age in milliseconds at which a connection is replaced; default 30 minutes, 0 is never. */
  readonly maxAge?: number
  /** The milliseconds after which an unused connection is closed; default 10 minutes, 0 is never. */
  readonly idleTimeout?: number
  /** The TLS options, which override the URL's `sslmode`; `true` verifies the server with the system's CAs. */
  readonly tls?: ConnectionOptions | boolean
  /** Whether the models' finders use prepared statements; false behind a transaction pooler such as pgbouncer. */
  readonly prepare?: boolean
  readonly applicationName?: string
  /** The read replicas for read-only requests. */
  readonly replicas?: {
    /** The URLs of the replicas, in the form of `url`. Each replica has its own pool. */
    readonly urls: readonly string[]
    /** The maximum lag of a usable replica in milliseconds; default 5000, 0 is no limit. */
    readonly maxLag?: number
    /** The milliseconds after a write during which the same browser reads from the primary; default 10000. */
    readonly primaryAfterWrite?: number
  }
}

/** The settings of one database, which is embedded or on a server. */
export type DatabaseSettings = PgliteSettings | PostgresSettings

/** The defaults of every database. */
export const defaults = {
  acquireTimeout: 5000,
  queueLimit: 1000,
  lockTimeout: 2000,
  logger: silentLogger,
  sqlComments: false,
}

/** The defaults of a database on a server. */
export const serverDefaults = {
  ...defaults,
  poolSize: 10,
  statementTimeout: 15_000,
  idleTransactionTimeout: 60_000,
  maxAge: 30 * 60_000,
  idleTimeout: 10 * 60_000,
  prepare: true,
  applicationName: 'fw',
}

/** The settings of a server, completed with the defaults. */
export type CompletePostgresSettings = PostgresSettings & typeof serverDefaults

/** A setting of at most a day. Absent `min`, 0 is allowed. */
const duration = (doc: string, min = 0) =>
  ({ kind: 'duration', min, max: 86_400_000, doc }) as const

function describeUrlProblem(url: string): string | undefined {
  const problem = findUrlProblem(url)
  return problem === undefined ? undefined : continueSentence(problem)
}

/** The schema of the configuration section `db`, which contains databases by name. */
export const databaseSettingsSchema = defineSettings({
  db: {
    kind: 'each',
    doc: 'Databases by name; models use the one named default.',
    of: {
      url: {
        kind: 'string',
        secret: true,
        doc: 'The address of the server; DATABASE_URL wins over it. Without one the database is embedded.',
        check: describeUrlProblem,
      },
      folder: {
        kind: 'string',
        doc: 'Folder of the embedded database, relative to the application; `memory` keeps nothing after the command ends, but under fw run one such database outlives restarts. Default db/data, or db/data-<name>.',
      },
      poolSize: { kind: 'int', min: 1, max: 10_000, doc: 'Maximum of connections; default 10.' },
      acquireTimeout: duration('Time that a request waits for a connection; default 5s.', 1),
      queueLimit: {
        kind: 'int',
        min: 1,
        doc: 'Maximum of requests that wait for a connection; default 1000.',
      },
      statementTimeout: duration(
        'Time limit of a statement on the server; default 15s, 0 is no limit.',
      ),
      idleTransactionTimeout: duration(
        'After this time the server ends a transaction without statements, as of a frozen node; default 60s, 0 is never. Not sent behind a pooler.',
      ),
      lockTimeout: duration(
        'Time that a migration waits for a lock before it is rolled back and repeated; default 2s, 0 is no limit.',
      ),
      pendingMigrations: {
        kind: 'string',
        oneOf: ['warn', 'error', 'ignore'],
        default: 'warn',
        doc: 'What the start does when migrations are pending: a warning, an error, or nothing.',
      },
      maxAge: duration(
        'Age at which a connection is replaced, with up to 10 % of jitter; default 30m, 0 is never.',
      ),
      idleTimeout: duration(
        'Time after which an unused connection is closed; default 10m, 0 is never.',
      ),
      tls: { kind: 'boolean', doc: "Overrides the url's sslmode; true verifies the server." },
      prepare: {
        kind: 'boolean',
        doc: 'Prepared statements; false behind a transaction pooler. Default true.',
      },
      replicas: {
        kind: 'strings',
        secret: true,
        doc: 'The addresses of read replicas, for routes with transaction({ readOnly: true }); only of the default database.',
        check: (urls) => urls.map(describeUrlProblem).find((problem) => problem !== undefined),
      },
      replicaMaxLag: duration(
        'A replica that is further behind is skipped; default 5s, 0 is never.',
      ),
      primaryAfterWrite: duration(
        'Time after a write in which a browser reads from the primary; default 10s.',
      ),
      sqlComments: {
        kind: 'boolean',
        default: false,
        doc: 'Adds route, action and trace of the request to each statement, as sqlcommenter does; such statements are not prepared.',
      },
      slowQuery: {
        kind: 'duration',
        min: 0,
        default: 500,
        doc: 'A statement that takes longer is logged.',
      },
      logValues: {
        kind: 'boolean',
        default: false,
        doc: 'Log the values of slow statements too, which may be personal data.',
      },
    },
  },
})

/** The configuration of one database in the section `db`. */
type DatabaseSection = SettingsOf<typeof databaseSettingsSchema.db.of>

/** The values, besides the configuration, from which the settings of a database are resolved. */
export interface SettingsContext {
  /** The application's folder. The embedded database is by default in its subfolder `db/data`. */
  readonly root: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly logger?: Logger
  /** The name under which PostgreSQL lists the connections in `pg_stat_activity`. */
  readonly applicationName?: string
}

/**
 * Resolves the settings of a database. The URL is `DATABASE_URL` (only for the default database), else the section's `url`.
 * Without a URL the database is embedded in `<root>/db/data`. `section` is undefined if the configuration omits the database.
 * @throws FwError `db.setting-invalid`
 */
export function databaseSettings(
  section: DatabaseSection | undefined,
  { root, environment = process.env, logger, applicationName }: SettingsContext,
  name = 'default',
): DatabaseSettings {
  const variable = name === 'default' ? environment['DATABASE_URL'] : undefined
  const url = variable || section?.url
  const urlSetting = variable ? 'DATABASE_URL' : `db.${name}.url`
  const { acquireTimeout, queueLimit, lockTimeout, sqlComments } = section ?? {}
  const { slowQuery: threshold = 500, logValues: values = false } = section ?? {}
  const common = {
    ...definedMembers({ acquireTimeout, queueLimit, lockTimeout, sqlComments }),
    logger: logger ?? silentLogger,
    ...(logger && { slowQueries: { logger, threshold, values } }),
  }
  if (!url) {
    const folder = section?.folder ?? join('db', name === 'default' ? 'data' : `data-${name}`)
    const path = folder === 'memory' ? folder : resolve(root, folder)
    return { kind: 'pglite', folder: path, ...common }
  }
  const problem = findUrlProblem(url)
  if (problem !== undefined) throw invalidUrlError(urlSetting, problem)
  const server = { ...serverSettings(section), ...definedMembers({ applicationName }) }
  return { kind: 'postgres', url, urlSetting, ...common, ...server }
}

function serverSettings(section: Partial<DatabaseSection> = {}) {
  const { poolSize, statementTimeout, idleTransactionTimeout, maxAge, idleTimeout } = section
  const { tls, prepare, replicas: urls = [], replicaMaxLag: maxLag, primaryAfterWrite } = section
  const limits = { poolSize, statementTimeout, idleTransactionTimeout, maxAge, idleTimeout }
  const replicas =
    urls.length > 0 ? { urls, ...definedMembers({ maxLag, primaryAfterWrite }) } : undefined
  return definedMembers({ ...limits, tls, prepare, replicas })
}

/** Returns the settings with the defaults for those that are absent or undefined. */
export const complete = <S extends DatabaseSettings, D extends object>(own: S, base: D): S & D =>
  ({ ...base, ...definedMembers(own) }) as S & D
