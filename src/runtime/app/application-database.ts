/** Opens the databases of an application as its configuration requires. */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { FwError, HttpError, type Logger } from '../base.ts'
import { ApplicationScope, readSettings, type Configuration } from '../config.ts'
import {
  databaseSettingsSchema,
  databaseSettings,
  migrationFolder,
  migrationStatus,
  openAhead,
  openDatabase,
  readMigrations,
  useDatabase,
  registeredDatabase,
  type Database,
  type DatabaseSettings,
} from '../db.ts'
import { closeOnFailure } from './closers.ts'
import { readManifest } from './manifest.ts'
import type { ServletContext } from './servlet-context.ts'

/** Returns true if the application has `DATABASE_URL`, a `db` section in its configuration, or a folder of migrations. */
export function usesDatabase(root: string, configuration: Configuration): boolean {
  return (
    Boolean(process.env['DATABASE_URL']) ||
    configuration.has('db') ||
    existsSync(join(root, 'db', 'migration'))
  )
}

type DatabaseSource = Pick<ServletContext, 'root' | 'configuration' | 'logger'>

/** The maximum length of an application name; PostgreSQL truncates longer ones. */
const longestName = 63

/** Returns the name of the connections in `pg_stat_activity`, such as `shop/1.4.0 web-1:4242` (node and process). */
function applicationName(root: string): string {
  const { name = 'fw', version } = readManifest(root)
  const title = version === undefined ? name : `${name}/${version}`
  const node = ` ${hostname().split('.', 1)[0]!.slice(0, 24)}:${process.pid}`
  return title.replace(/[^ -~]/g, '?').slice(0, longestName - node.length) + node
}

/**
 * Opens a database, by default the one named `default`. With `onDemand`, it is opened at the first query.
 * @throws FwError `config.invalid`, `db.embedded-in-production` unless on demand, `db.folder-locked`, `db.setting-invalid`
 */
export async function openApplicationDatabase(
  { root, configuration, logger }: DatabaseSource,
  onDemand = false,
  name = 'default',
): Promise<Database> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const context = { root, logger, applicationName: applicationName(root) }
  const settings = databaseSettings(db.get(name), context, name)
  if (!onDemand) checkEmbedded(configuration, settings, name)
  return openDatabase({ ...settings, onDemand })
}

/**
 * Lets `fw run` begin to open an existing embedded database while this process loads the modules of the application, which may
 * still set another address.
 * @throws FwError `config.invalid`, `db.setting-invalid`
 */
export function openEmbeddedAhead({
  root,
  configuration,
}: Pick<DatabaseSource, 'root' | 'configuration'>): void {
  if (!usesDatabase(root, configuration)) return
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const settings = databaseSettings(db.get('default'), { root })
  if (settings.kind === 'pglite' && existsSync(settings.folder)) openAhead(settings.folder)
}

/** Throws if production would use the embedded database, which a power failure can damage, without a set folder. */
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

/** Unregisters a database. If another running application has one of this name, registers that one again. */
export function unregisterDatabase(database: Database, name: string): void {
  if (registeredDatabase(name) !== database) return
  const other = ApplicationScope.findOther(name, database)
  useDatabase(other as Database | undefined, name)
}

/** True if the database was registered for the whole process, and not by another application. */
const isShared = (database: Database | undefined): boolean =>
  database !== undefined && !ApplicationScope.owns(database)

/** Returns the names of the databases in the section `db`, except `default`. @throws FwError `config.invalid` */
export function additionalDatabaseNames(configuration: Configuration): string[] {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  return [...db.keys()].filter((name) => name !== 'default')
}

/**
 * Opens the databases of the section `db`, except `default`, and registers them for models. Skips names that are already
 * registered for the whole process.
 * @throws FwError like `openApplicationDatabase`
 */
export async function openAdditionalDatabases(
  source: DatabaseSource,
  onDemand = false,
): Promise<{ readonly names: readonly string[]; close(): Promise<void> }> {
  const names = additionalDatabaseNames(source.configuration).filter(
    (name) => !isShared(registeredDatabase(name)),
  )
  return closeOnFailure(async (closers) => {
    for (const name of names) {
      const database = await openApplicationDatabase(source, onDemand, name)
      closers.add(() => database.close())
      useDatabase(database, name)
      closers.add(() => unregisterDatabase(database, name))
    }
    return { names, close: () => closers.close() }
  })
}

/** Logs pending migrations, or throws, by the setting `pendingMigrations`. Skips databases that cannot be reached. */
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

const firstDelay = 100
const longestDelay = 5_000

/** Returns the delay before the next attempt, with jitter, so that the nodes of a cluster do not connect at once. */
const backOff = (attempt: number): number =>
  Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** Waits until all databases can be reached. @throws the reason of the signal; errors of a database other than 503 */
export async function waitForDatabases(
  databases: ReadonlyMap<string, Database>,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [name, database] of databases) {
    for (let attempt = 0; !(await isReachable(name, database, logger)); attempt++) {
      signal?.throwIfAborted()
      await delay(backOff(attempt), undefined, signal === undefined ? {} : { signal })
    }
  }
}

async function isReachable(name: string, database: Database, logger: Logger): Promise<boolean> {
  try {
    await database.ping()
    return true
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 503) throw error
    logger.warn({ database: name, err: error }, 'the start waits for the database')
    return false
  }
}
