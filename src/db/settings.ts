/** Where the database is, read from the configuration and the environment. */
import { join, resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { FwError, silentLogger, type Logger } from '../base.ts'
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

export type DatabaseSettings = PgliteSettings | PostgresSettings

/** What is asked of a configuration; `FwConfig` fits. */
export interface ConfigReader {
  stringConfigValue(key: string): string | undefined
  intConfigValue(key: string): number | undefined
  booleanConfigValue(key: string): boolean | undefined
}

export interface SettingsContext {
  /** The application's folder: the embedded database is `db/data` below it. */
  readonly root: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly logger?: Logger
}

/**
 * `DATABASE_URL` wins (for the default database), else `db.<name>.url`, else an embedded database in `<root>/db/data`.
 * Beside the url: poolSize, acquireTimeout, statementTimeout, queueLimit, tls, prepare, folder, slowQuery, logValues.
 * @throws FwError `db.setting-invalid`
 */
export function databaseSettings(config: ConfigReader, context: SettingsContext, name = 'default'): DatabaseSettings {
  const key = (setting: string): string => `db.${name}.${setting}`
  const environment = context.environment ?? process.env
  const url = (name === 'default' && environment['DATABASE_URL']) || config.stringConfigValue(key('url'))
  const common = {
    ...wholeNumbers(config, key, ['acquireTimeout', 'queueLimit']),
    logger: context.logger ?? silentLogger,
    ...slowQueries(config, key, context.logger),
  }
  if (!url) {
    const folder = config.stringConfigValue(key('folder')) ?? join('db', name === 'default' ? 'data' : `data-${name}`)
    return { kind: 'pglite', folder: folder === 'memory' ? folder : resolve(context.root, folder), ...common }
  }
  return {
    kind: 'postgres',
    url: checkedUrl(url, name),
    ...common,
    ...wholeNumbers(config, key, ['poolSize', 'statementTimeout']),
    ...flags(config, key),
  }
}

function checkedUrl(url: string, name: string): string {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url
  // The url may hold a password: it is not repeated.
  throw new FwError('db.setting-invalid', `The url of the database '${name}' must look like postgres://user:password@host:5432/name.`)
}

type Key = (setting: string) => string

function wholeNumbers(config: ConfigReader, key: Key, names: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const name of names) {
    const value = config.intConfigValue(key(name))
    if (value === undefined) continue
    const least = name === 'statementTimeout' ? 0 : 1
    if (value < least || value > 86_400_000) throw new FwError('db.setting-invalid', `${key(name)} is ${value}: give at least ${least}.`)
    found[name] = value
  }
  return found
}

function flags(config: ConfigReader, key: Key): { tls?: boolean; prepare?: boolean } {
  const tls = config.booleanConfigValue(key('tls'))
  const prepare = config.booleanConfigValue(key('prepare'))
  return { ...(tls === undefined ? {} : { tls }), ...(prepare === undefined ? {} : { prepare }) }
}

function slowQueries(config: ConfigReader, key: Key, logger: Logger | undefined): { slowQueries?: SlowQueryLog } {
  if (!logger) return {}
  const threshold = config.intConfigValue(key('slowQuery')) ?? 500
  return { slowQueries: { logger, threshold, values: config.booleanConfigValue(key('logValues')) ?? false } }
}
