/** `fw db:create`, `fw db:drop` and `fw db:reset`: create, drop or empty a database. */
import { existsSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { FwError, silentLogger } from '../../runtime/base.ts'
import { loadConfiguration, readSettings } from '../../runtime/config.ts'
import {
  databaseSettings,
  databaseSettingsSchema,
  lockFolder,
  migrate,
  openDatabase,
  type Database,
  type PostgresSettings,
  parseDatabaseUrl,
  withDatabaseName,
} from '../../runtime/db.ts'
import { printItems, runSeeds, updateSchemaFile, withDatabase } from './database-commands.ts'
import { applicationRoot, type CommandOptions } from './load-application.ts'

interface DestructiveOptions extends CommandOptions {
  readonly force?: boolean
}

/**
 * Reads the settings of the default database. `destructive` is the name of a command that deletes rows.
 * @throws FwError `cli.production-refused` if the user has not confirmed a destructive command in production
 */
function readTarget({ app, force }: DestructiveOptions, destructive?: string) {
  const root = applicationRoot(app)
  const configuration = loadConfiguration({ root })
  if (destructive !== undefined && force !== true && configuration.env.isProduction())
    throw new FwError(
      'cli.production-refused',
      `${destructive} deletes all rows of the production database. Write fw ${destructive} --force to delete them.`,
    )
  const { db } = readSettings(configuration, databaseSettingsSchema)
  return { root, settings: databaseSettings(db.get('default'), { root, logger: silentLogger }) }
}

const print = (options: CommandOptions, ...lines: readonly string[]): void =>
  printItems(lines, options)

const databaseName = ({ url }: PostgresSettings): string => parseDatabaseUrl(url).database ?? ''

/** Runs `work` in the server's maintenance database, because a connection cannot create or drop its own database. */
async function onServer<T>(
  settings: PostgresSettings,
  work: (server: Database) => Promise<T>,
): Promise<T> {
  const url = withDatabaseName(settings.url, 'postgres')
  const server = await openDatabase({ ...settings, url, poolSize: 1 })
  try {
    return await work(server)
  } finally {
    await server.close()
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

const run = (database: Database, sql: string, ...parameters: readonly unknown[]) =>
  database.query({ sql, parameters })

export async function createDatabase(options: CommandOptions): Promise<void> {
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
  const { root, settings } = readTarget(options, 'db:drop')
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
  readTarget(options, 'db:reset')
  const lines = await withDatabase(options, 'resetting the database', async (application) => {
    const { database, migrations } = application
    await empty(database)
    const applied = await migrate(database, migrations)
    const seeds = await runSeeds(application)
    const { written, refused } = await updateSchemaFile(application)
    return [
      ...applied.map(({ version, name }) => `applied ${version} ${name}`),
      ...seeds.map((file) => `ran db/${file}`),
      ...written,
      ...refused,
    ]
  })
  print(options, 'emptied the database', ...lines)
}
