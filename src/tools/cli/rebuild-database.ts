/** `fw db:create`, `fw db:drop`, `fw db:reset`, `fw db:redo`: create or drop a database, or repeat its migrations. */
import { existsSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { FwError, silentLogger } from '../../runtime/base.ts'
import { loadConfiguration, readSettings, type Configuration } from '../../runtime/config.ts'
import {
  databaseSettings,
  databaseSettingsSchema,
  lockFolder,
  migrate,
  openDatabase,
  rollback,
  type Database,
  type DatabaseSettings,
  type PostgresSettings,
} from '../../runtime/db.ts'
import {
  printItems,
  readSteps,
  runSeeds,
  updateSchemaFile,
  versionAndName,
  withDatabase,
  type DatabaseOptions,
  type NamedDatabaseOptions,
} from './database-commands.ts'
import { applicationRoot } from './load-application.ts'

interface DestructiveOptions extends DatabaseOptions {
  readonly force?: boolean
}

interface Target {
  readonly root: string
  readonly configuration: Configuration
  readonly settings: DatabaseSettings
}

function readTarget({ app }: DatabaseOptions): Target {
  const root = applicationRoot(app)
  const configuration = loadConfiguration({ root })
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const settings = databaseSettings(db.get('default'), { root, logger: silentLogger })
  return { root, configuration, settings }
}

/** Throws in production unless the user has confirmed the command. @throws FwError `cli.production-refused` */
function refuseProduction(
  command: string,
  { configuration }: Target,
  { force }: DestructiveOptions,
): void {
  if (force === true || !configuration.env.isProduction()) return
  throw new FwError(
    'cli.production-refused',
    `${command} deletes all rows of the production database. Write fw ${command} --force to delete them.`,
  )
}

const print = (options: DatabaseOptions, ...lines: readonly string[]): void =>
  printItems(lines, options, { line: (line) => line, none: '' })

/** Returns the name of the database in a server's URL. */
const databaseName = ({ url }: PostgresSettings): string =>
  decodeURIComponent(new URL(url).pathname.slice(1))

/** Runs `work` in the server's maintenance database, because a connection cannot create or drop its own database. */
async function onServer<T>(
  settings: PostgresSettings,
  work: (server: Database) => Promise<T>,
): Promise<T> {
  const url = new URL(settings.url)
  url.pathname = '/postgres'
  const server = await openDatabase({ ...settings, url: url.href, poolSize: 1 })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

const run = (database: Database, sql: string, ...parameters: readonly unknown[]) =>
  database.query({ sql, parameters })

export async function createDatabase(options: DatabaseOptions): Promise<void> {
  const { root, settings } = readTarget(options)
  if (settings.kind === 'pglite') {
    const isNew = !existsSync(settings.folder)
    await (await openDatabase(settings)).close()
    const folder = relative(root, settings.folder)
    return print(options, `${isNew ? 'created' : 'nothing to do:'} the embedded database ${folder}`)
  }
  const name = databaseName(settings)
  const isNew = await onServer(settings, async (server) => {
    const known = await run(server, 'select 1 from pg_database where datname = $1', name)
    if (known.rows.length === 0) await run(server, `create database ${quote(name)}`)
    return known.rows.length === 0
  })
  print(options, isNew ? `created the database ${name}` : `nothing to do: ${name} exists`)
}

/** Runs `fw db:drop`. @throws FwError `cli.production-refused`, `db.folder-locked` */
export async function dropDatabase(options: DestructiveOptions): Promise<void> {
  const target = readTarget(options)
  const { root, settings } = target
  refuseProduction('db:drop', target, options)
  if (settings.kind === 'pglite') {
    if (existsSync(settings.folder)) {
      const unlock = lockFolder(settings.folder)
      rmSync(settings.folder, { recursive: true, force: true })
      unlock()
    }
    return print(options, `dropped the embedded database ${relative(root, settings.folder)}`)
  }
  const name = databaseName(settings)
  await onServer(settings, (server) =>
    run(server, `drop database if exists ${quote(name)} with (force)`),
  )
  print(options, `dropped the database ${name}`)
}

/** Drops all objects in the database. Unlike dropping the database, this needs no special privilege and ends no connections. */
async function empty(database: Database): Promise<void> {
  const { rows } = await run(
    database,
    `select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`,
  )
  await database.transaction(async () => {
    for (const { name } of rows)
      await database.currentTransaction()!.script(`drop schema ${quote(String(name))} cascade`)
    await database.currentTransaction()!.script('create schema public')
  })
}

/** Runs `fw db:reset`. @throws FwError `cli.production-refused` */
export async function resetDatabase(options: DestructiveOptions): Promise<void> {
  refuseProduction('db:reset', readTarget(options), options)
  const lines = await withDatabase(options, 'resetting the database', async (application) => {
    const { database, migrations } = application
    await empty(database)
    const applied = await migrate(database, migrations)
    const seeds = await runSeeds(application)
    return [
      ...applied.map(({ version, name }) => `applied ${version} ${name}`),
      ...seeds.map((file) => `ran db/${file}`),
      ...(await updateSchemaFile(application)),
    ]
  })
  print(options, 'emptied the database', ...lines)
}

/** Rolls back the last migrations and applies them again. @throws FwError `cli.number-invalid` */
export async function redoMigrations(
  options: NamedDatabaseOptions & { readonly steps: string },
): Promise<void> {
  const count = readSteps(options.steps)
  const applied = await withDatabase(options, 'redoing migrations', async (application) => {
    const { database, migrations } = application
    await rollback(database, migrations, count)
    const again = await migrate(database, migrations)
    await updateSchemaFile(application)
    return again
  })
  printItems(applied.map(versionAndName), options, {
    line: ({ version, name }) => `applied ${version} ${name} again`,
    none: 'nothing to do: no migration is applied',
  })
}
