/** Where the database is, read from the configuration and the environment. */
import { join, resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { FwError, silentLogger, type Logger } from '../base.ts'
import { defineSettings, type SettingsOf } from '../config.ts'
import type { SlowQueryLog } from './slow-report.ts'

interface CommonSettings {
  /** Milliseconds a caller waits for a connection: 5000 when absent. */
  readonly acquireTimeout?: number
  /** Callers that may wait at once: 1000 when absent. */
  readonly queueLimit?: number
  readonly logger?: Logger
  /** Absent: no statement is logged. */
  readonly slowQueries?: SlowQueryLog
}

/** Embedded PostgreSQL, for development and tests: it does not wait for the disk, so a power cut may cost data. */
export interface PgliteSettings extends CommonSettings {
  readonly kind: 'pglite'
  /** A folder that is this process's own, or `memory`. */
  readonly folder: string
  /** A data directory, as `dumpDataDir` gives it, to start from. */
  readonly loadDataDir?: Blob
}

/** A PostgreSQL server; connections are opened as they are needed. */
export interface PostgresSettings extends CommonSettings {
  readonly kind: 'postgres'
  /** `postgres://user:password@host:port/database?sslmode=verify-full` */
  readonly url: string
  /** 10 when absent. */
  readonly poolSize?: number
  /** Milliseconds: 15000 when absent; 0 is no limit. */
  readonly statementTimeout?: number
  /** Over the URL's `sslmode`: `true` verifies the server against the system's authorities. */
  readonly tls?: ConnectionOptions | boolean
  /** Prepared statements for the models' finders; false behind a transaction pooler (pgbouncer). */
  readonly prepare?: boolean
  readonly applicationName?: string
}

/** What `openDatabase` opens. */
export type DatabaseSettings = PgliteSettings | PostgresSettings

const longest = 86_400_000

/** The section `db` of an application's configuration: databases by name. */
export const databaseSchema = defineSettings({
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
        doc: "Of the embedded database, from the application's folder; `memory` keeps nothing once the command ends: under fw run the first such database outlives restarts. db/data unless given, db/data-<name> for a further one.",
      },
      poolSize: { kind: 'int', min: 1, max: 10_000, doc: 'Connections at most; 10 unless given.' },
      acquireTimeout: {
        kind: 'duration',
        min: 1,
        max: longest,
        doc: 'What a request waits for a connection; 5s unless given.',
      },
      queueLimit: {
        kind: 'int',
        min: 1,
        doc: 'Requests that may wait for a connection at once; 1000 unless given.',
      },
      statementTimeout: {
        kind: 'duration',
        min: 0,
        max: longest,
        doc: 'After which the server stops a statement; 15s unless given, 0 is no limit.',
      },
      tls: { kind: 'boolean', doc: "Over the url's sslmode: true verifies the server." },
      prepare: {
        kind: 'boolean',
        doc: 'Prepared statements; false behind a transaction pooler. true unless given.',
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
        doc: 'Log the values of slow statements too, personal data or not.',
      },
    },
  },
})

/** One database of the section `db`. */
type DatabaseSection = SettingsOf<typeof databaseSchema.db.of>

/** What the settings need beside the configuration. */
export interface SettingsContext {
  /** The application's folder: the embedded database is `db/data` below it. */
  readonly root: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly logger?: Logger
}

/**
 * `DATABASE_URL` wins (for the default database), else the section's url, else an embedded database in
 * `<root>/db/data`. `section` is absent when the configuration does not name the database.
 * @throws FwError `db.setting-invalid`
 */
export function databaseSettings(
  section: DatabaseSection | undefined,
  context: SettingsContext,
  name = 'default',
): DatabaseSettings {
  const environment = context.environment ?? process.env
  const url = (name === 'default' && environment['DATABASE_URL']) || section?.url
  const common = {
    ...given(section, ['acquireTimeout', 'queueLimit']),
    logger: context.logger ?? silentLogger,
    ...slowQueries(section, context.logger),
  }
  if (!url) {
    const folder = section?.folder ?? join('db', name === 'default' ? 'data' : `data-${name}`)
    const path = folder === 'memory' ? folder : resolve(context.root, folder)
    return { kind: 'pglite', folder: path, ...common }
  }
  const own = given(section, ['poolSize', 'statementTimeout', 'tls', 'prepare'])
  return { kind: 'postgres', url: checkedUrl(url, name), ...common, ...own }
}

const urlExample = 'postgres://user:password@host:5432/name'

function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && URL.canParse(url)
}

function checkedUrl(url: string, name: string): string {
  if (isPostgresUrl(url)) return url
  // The url may hold a password: it is not repeated.
  throw new FwError(
    'db.setting-invalid',
    `The url of the database '${name}' must look like ${urlExample}.`,
  )
}

type Given<K extends keyof DatabaseSection> = { [P in K]?: Exclude<DatabaseSection[P], undefined> }

/** The settings of these names that the section has. */
function given<K extends keyof DatabaseSection>(
  section: DatabaseSection | undefined,
  names: readonly K[],
): Given<K> {
  const found = names.map((name) => [name, section?.[name]] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Given<K>
}

function slowQueries(
  section: DatabaseSection | undefined,
  logger: Logger | undefined,
): { slowQueries?: SlowQueryLog } {
  if (!logger) return {}
  const { slowQuery = 500, logValues = false } = section ?? {}
  return { slowQueries: { logger, threshold: slowQuery, values: logValues } }
}
