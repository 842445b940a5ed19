/** Opens the databases of an application as its configuration says. */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { FwError, type Logger } from '../base.ts'
import { ApplicationScope, readSettings, type Configuration } from '../config.ts'
import {
  databaseSettingsSchema,
  databaseSettings,
  migrationFolder,
  migrationStatus,
  openDatabase,
  readMigrations,
  useDatabase,
  registeredDatabase,
  type Database,
  type DatabaseSettings,
  type SettingsContext,
} from '../db.ts'
import { Closers } from './closers.ts'
import { readManifest } from './manifest.ts'

/** Whether the application has `DATABASE_URL`, a `db` section, or a folder of migrations. */
export function usesDatabase(root: string, configuration: Configuration): boolean {
  return (
    Boolean(process.env['DATABASE_URL']) ||
    configuration.has('db') ||
    existsSync(join(root, 'db', 'migration'))
  )
}

/** What opening a database reads of an application. */
export interface DatabaseSource {
  readonly root: string
  readonly configuration: Configuration
  readonly logger: Logger
}

/** PostgreSQL cuts longer names off. */
const longestName = 63

/**
 * The name of the application's connections in `pg_stat_activity`: the application's name and version, node and process,
 * such as `shop/1.4.0 web-1:4242`.
 */
export function applicationName(root: string): string {
  const { name = 'fw', version } = readManifest(root)
  const title = version === undefined ? name : `${name}/${version}`
  const node = ` ${hostname().split('.', 1)[0]!.slice(0, 24)}:${process.pid}`
  return title.replace(/[^ -~]/g, '?').slice(0, longestName - node.length) + node
}

/** Milliseconds. A development machine stops for longer, under a debugger or a compiler. */
const productionQueueTime = 250

const settingsContext = ({ root, configuration, logger }: DatabaseSource): SettingsContext => ({
  root,
  logger,
  applicationName: applicationName(root),
  maxQueueTime: configuration.env.isProduction() ? productionQueueTime : 0,
})

/**
 * Opens a database, by default the default one; with `onDemand` at the first query.
 * @throws FwError `config.invalid`, `db.embedded-in-production` unless on demand, `db.folder-locked`, `db.setting-invalid`
 */
export async function openApplicationDatabase(
  { root, configuration, logger }: DatabaseSource,
  onDemand = false,
  name = 'default',
): Promise<Database> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const context = settingsContext({ root, configuration, logger })
  const settings = databaseSettings(db.get(name), context, name)
  if (!onDemand) checkEmbedded(configuration, settings, name)
  return openDatabase({ ...settings, onDemand })
}

/**
 * Production uses the embedded database only where a setting names its folder: a missing `DATABASE_URL` must not start an
 * empty database that a power failure can damage.
 */
function checkEmbedded(
  configuration: Configuration,
  settings: DatabaseSettings,
  name: string,
): void {
  if (settings.kind !== 'pglite' || !configuration.env.isProduction()) return
  if (configuration.has(`db.${name}.folder`)) return
  const variable = name === 'default' ? 'DATABASE_URL or db.default.url' : `db.${name}.url`
  throw new FwError(
    'db.embedded-in-production',
    `Production has no address of a server for the database '${name}': set ${variable} to postgres://user:password@host:5432/name. ` +
      `To use the embedded database, which a power failure can damage, set db.${name}.folder.`,
  )
}

/** Unregisters a database that closes; another running application's of this name counts again. */
export function forget(database: Database, name: string): void {
  if (registeredDatabase(name) !== database) return
  const other = ApplicationScope.findOther(name, database)
  useDatabase(other as Database | undefined, name)
}

/** Open databases other than `default`. */
export interface AdditionalDatabases {
  readonly names: readonly string[]
  /** Closes them and unregisters their names. */
  close(): Promise<void>
}

/** Whether the database was registered for the whole process, not by another application. */
const isShared = (database: Database | undefined): boolean =>
  database !== undefined && !ApplicationScope.owns(database)

/** The names in the section `db` other than `default`. @throws FwError `config.invalid` */
export function additionalDatabaseNames(configuration: Configuration): string[] {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  return [...db.keys()].filter((name) => name !== 'default')
}

/**
 * Opens the databases of the section `db` other than `default`, and registers them for models. Skips registered names.
 * @throws as `openApplicationDatabase`
 */
export async function openAdditionalDatabases(
  { root, configuration, logger }: DatabaseSource,
  onDemand = false,
): Promise<AdditionalDatabases> {
  const names = additionalDatabaseNames(configuration).filter(
    (name) => !isShared(registeredDatabase(name)),
  )
  const closers = new Closers()
  try {
    for (const name of names) {
      const source = { root, configuration, logger }
      const database = await openApplicationDatabase(source, onDemand, name)
      closers.add(() => database.close())
      useDatabase(database, name)
      closers.add(() => forget(database, name))
    }
  } catch (error) {
    await closers.close().catch(() => {})
    throw error
  }
  return { names, close: () => closers.close() }
}

/**
 * Logs pending migrations of the application's databases, or refuses the start, as `pendingMigrations` of the database says.
 * An unreachable database is left to the first request.
 * @throws FwError `db.migrations-pending`
 */
export async function checkMigrations(
  { root, configuration, logger }: DatabaseSource,
  databases: ReadonlyMap<string, Database>,
): Promise<void> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  for (const [name, database] of databases) {
    const reaction = db.get(name)?.pendingMigrations ?? 'warn'
    if (reaction === 'ignore') continue
    const pending = await listPending(database, migrationFolder(root, name))
    if (pending.length === 0) continue
    const option = name === 'default' ? '' : ` --database ${name}`
    if (reaction === 'warn')
      logger.warn({ pending }, `migrations are pending: apply them with fw db:migrate${option}`)
    else
      throw new FwError(
        'db.migrations-pending',
        `Migrations are pending: ${pending.join(', ')}. Apply them with fw db:migrate${option}, or set db.${name}.pendingMigrations to warn.`,
      )
  }
}

async function listPending(database: Database, folder: string): Promise<string[]> {
  if (readMigrations(folder).length === 0) return []
  const states = await migrationStatus(database, folder).catch(() => [])
  return states
    .filter(({ state }) => state === 'pending')
    .map(({ version, name }) => `${version} ${name}`)
}
