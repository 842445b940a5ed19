/** The settings of a database, from the configuration and the environment. */
import { join, resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { FwError, silentLogger, type Logger } from '../base.ts'
import { defineSettings, type SettingsOf } from '../config.ts'
import type { SlowQueryLog } from './statement-log.ts'

interface CommonSettings {
  /** Opens an embedded database, and locks its folder, at the first query; a server is always opened then. */
  readonly onDemand?: boolean
  /** Milliseconds that a caller waits for a connection; default 5000. */
  readonly acquireTimeout?: number
  /** Maximum of waiting callers; default 1000. */
  readonly queueLimit?: number
  /** Milliseconds that a request waits, at most, while the queue for connections stands; default 0: `acquireTimeout`. */
  readonly maxQueueTime?: number
  /** Milliseconds that a migration waits for a lock before it is repeated; default 2000, 0 is no limit. */
  readonly lockTimeout?: number
  readonly logger?: Logger
  /** Logs slow statements; when absent, none are logged. */
  readonly slowQueries?: SlowQueryLog
  /** Adds a comment to each statement of a request: its route, its action and its trace. Such statements are not prepared. */
  readonly sqlComments?: boolean
}

/** Embedded PostgreSQL, for development and tests: it does not wait for the disk, so a power cut may lose data. */
export interface PgliteSettings extends CommonSettings {
  readonly kind: 'pglite'
  /** A folder that no other process uses, or `memory`. */
  readonly folder: string
  /** The initial data directory, from PGlite's `dumpDataDir`. */
  readonly loadDataDir?: Blob
}

/** A PostgreSQL server. */
export interface PostgresSettings extends CommonSettings {
  readonly kind: 'postgres'
  /** `postgres://user:password@host:port/database?sslmode=verify-full` */
  readonly url: string
  /** The setting that contains the url, for error messages: `DATABASE_URL`, or a key such as `db.reports.url`. */
  readonly urlSetting?: string | undefined
  /** Default 10. */
  readonly poolSize?: number
  /** Milliseconds; default 15000, 0 is no limit. */
  readonly statementTimeout?: number
  /** Milliseconds until the server ends a transaction without statements; default 60000, 0 is no limit. */
  readonly idleTransactionTimeout?: number
  /** Milliseconds until a connection is replaced; default 30 minutes, 0 is never. */
  readonly maxAge?: number
  /** Milliseconds until an unused connection is closed; default 10 minutes, 0 is never. */
  readonly idleTimeout?: number
  /** Overrides the URL's `sslmode`; `true` verifies the server against the system's authorities. */
  readonly tls?: ConnectionOptions | boolean
  /** Prepared statements for the models' finders; false behind a transaction pooler (pgbouncer). */
  readonly prepare?: boolean
  readonly applicationName?: string
  /** Where read-only requests may run. */
  readonly replicas?: {
    /** As `url`; each has a pool of its own. */
    readonly urls: readonly string[]
    /** Milliseconds by which a replica may be behind; default 5000, 0: any. */
    readonly maxLag?: number
    /** Milliseconds after a write in which a browser reads from the primary; default 10000. */
    readonly primaryAfterWrite?: number
  }
}

/** Settings of one database: embedded, or on a server. */
export type DatabaseSettings = PgliteSettings | PostgresSettings

const longest = 86_400_000

/** The section `db` of an application's configuration: databases by name. */
export const databaseSettingsSchema = defineSettings({
  db: {
    kind: 'each',
    doc: 'Databases by name; models use the one named default.',
    of: {
      url: {
        kind: 'string',
        secret: true,
        doc: 'The address of the server; DATABASE_URL wins over it. Without one the database is embedded.',
        check: (url) => (isPostgresUrl(url) ? undefined : `must look like ${urlExample}`),
      },
      folder: {
        kind: 'string',
        doc: 'Folder of the embedded database, relative to the application; `memory` keeps nothing after the command ends, but under fw run one such database outlives restarts. Default db/data, or db/data-<name>.',
      },
      poolSize: { kind: 'int', min: 1, max: 10_000, doc: 'Maximum of connections; default 10.' },
      acquireTimeout: {
        kind: 'duration',
        min: 1,
        max: longest,
        doc: 'Time that a request waits for a connection; default 5s.',
      },
      queueLimit: {
        kind: 'int',
        min: 1,
        doc: 'Maximum of requests that wait for a connection; default 1000.',
      },
      maxQueueTime: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Under overload, requests that waited longer for a connection get 503; 0: never. Default: 250ms in production, else 0.',
      },
      statementTimeout: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Time limit of a statement on the server; default 15s, 0 is no limit.',
      },
      idleTransactionTimeout: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'After this time the server ends a transaction without statements, as of a frozen node; default 60s, 0 is never. Not sent behind a pooler.',
      },
      lockTimeout: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Time that a migration waits for a lock before it is rolled back and repeated; default 2s, 0 is no limit.',
      },
      pendingMigrations: {
        kind: 'string',
        oneOf: ['warn', 'error', 'ignore'],
        default: 'warn',
        doc: 'What the start does when migrations are pending: a warning, an error, or nothing.',
      },
      maxAge: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Age at which a connection is replaced, with up to 10 % of jitter; default 30m, 0 is never.',
      },
      idleTimeout: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Time after which an unused connection is closed; default 10m, 0 is never.',
      },
      tls: { kind: 'boolean', doc: "Overrides the url's sslmode; true verifies the server." },
      prepare: {
        kind: 'boolean',
        doc: 'Prepared statements; false behind a transaction pooler. Default true.',
      },
      replicas: {
        kind: 'strings',
        secret: true,
        doc: 'The addresses of read replicas, for routes with transaction({ readOnly: true }); only of the default database.',
        check: (urls) => (urls.every(isPostgresUrl) ? undefined : `must look like ${urlExample}`),
      },
      replicaMaxLag: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'A replica that is further behind is skipped; default 5s, 0 is never.',
      },
      primaryAfterWrite: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'Time after a write in which a browser reads from the primary; default 10s.',
      },
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

/** One database of the section `db`. */
type DatabaseSection = SettingsOf<typeof databaseSettingsSchema.db.of>

/** The context in which the settings of a database are resolved. */
export interface SettingsContext {
  /** The application's folder; the default for the embedded database is `db/data` in it. */
  readonly root: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly logger?: Logger
  /** The name of the connections in `pg_stat_activity`. */
  readonly applicationName?: string
  /** The default of the setting; 0 unless given. */
  readonly maxQueueTime?: number
}

/**
 * The first of `DATABASE_URL` (for the default database), the section's url, and an embedded database in `<root>/db/data`.
 * `section` is absent when the configuration does not name the database.
 * @throws FwError `db.setting-invalid`
 */
export function databaseSettings(
  section: DatabaseSection | undefined,
  { root, environment = process.env, logger, applicationName, maxQueueTime = 0 }: SettingsContext,
  name = 'default',
): DatabaseSettings {
  const variable = name === 'default' ? environment['DATABASE_URL'] : undefined
  const url = variable || section?.url
  const urlSetting = variable ? 'DATABASE_URL' : `db.${name}.url`
  const { slowQuery: threshold = 500, logValues: values = false } = section ?? {}
  const common = {
    ...pick(section, ['acquireTimeout', 'queueLimit', 'lockTimeout', 'sqlComments']),
    maxQueueTime: section?.maxQueueTime ?? maxQueueTime,
    logger: logger ?? silentLogger,
    ...(logger && { slowQueries: { logger, threshold, values } }),
  }
  if (!url) {
    const folder = section?.folder ?? join('db', name === 'default' ? 'data' : `data-${name}`)
    const path = folder === 'memory' ? folder : resolve(root, folder)
    return { kind: 'pglite', folder: path, ...common }
  }
  if (!isPostgresUrl(url)) {
    throw new FwError(
      'db.setting-invalid',
      `${urlSetting} is not the address of a PostgreSQL server. Write it like ${urlExample}. (The value is not shown, because it may contain a password.)`,
    )
  }
  const limits = pick(section, [
    'poolSize',
    'statementTimeout',
    'idleTransactionTimeout',
    'lockTimeout',
    'maxAge',
    'idleTimeout',
  ])
  const server = { ...limits, ...pick(section, ['tls', 'prepare']) }
  const named = applicationName === undefined ? {} : { applicationName }
  const replicas = replicaSettings(section)
  return { kind: 'postgres', url, urlSetting, ...common, ...server, ...named, ...replicas }
}

function replicaSettings(section: DatabaseSection | undefined): Pick<PostgresSettings, 'replicas'> {
  const { replicas: urls = [], replicaMaxLag, primaryAfterWrite } = section ?? {}
  if (urls.length === 0) return {}
  return {
    replicas: {
      urls,
      ...(replicaMaxLag === undefined ? {} : { maxLag: replicaMaxLag }),
      ...(primaryAfterWrite === undefined ? {} : { primaryAfterWrite }),
    },
  }
}

const urlExample = 'postgres://user:password@host:5432/name'

const isPostgresUrl = (url: string): boolean => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)

/** The settings of these names, without the absent ones. */
function pick<K extends keyof DatabaseSection>(
  section: DatabaseSection | undefined,
  names: readonly K[],
): { [P in K]?: Exclude<DatabaseSection[P], undefined> } {
  const entries = names.map((name) => [name, section?.[name]] as const)
  const present = entries.filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [P in K]?: Exclude<DatabaseSection[P], undefined> }
}
