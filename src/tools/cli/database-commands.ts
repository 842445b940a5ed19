/** The commands `fw db:migrate`, `fw db:rollback`, `fw db:status`, `fw db:seed` and `fw db:dump`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  additionalDatabaseNames,
  openAdditionalDatabases,
  openApplicationDatabase,
} from '../../runtime/app.ts'
import { didYouMean, FwError, silentLogger } from '../../runtime/base.ts'
import { loadConfiguration, type Configuration } from '../../runtime/config.ts'
import {
  dumpSchema,
  migrate,
  migrationFolder,
  migrationStatus,
  rollback,
  seed,
  useDatabase,
  type Database,
  type MigrationFile,
} from '../../runtime/db.ts'
import { applicationRoot } from './load-application.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

export interface DatabaseOptions {
  readonly app: string
  readonly json?: boolean
}

/** The options of a command for one of the application's databases. */
export interface NamedDatabaseOptions extends DatabaseOptions {
  /** The database's name in the configuration; default `default`. */
  readonly database?: string
}

export interface OpenedApplication {
  readonly root: string
  /** The name of `database` in the configuration. */
  readonly name: string
  readonly database: Database
  readonly migrations: string
  readonly configuration: Configuration
}

/** Prints a line for each item, or with `json` one JSON document. */
export function printItems<T>(
  items: readonly T[],
  { json }: DatabaseOptions,
  texts: { readonly line: (item: T) => string; readonly none: string },
): void {
  if (json === true) printJson(items)
  else if (items.length === 0) printLine(texts.none)
  else for (const item of items) printLine(texts.line(item))
}

export const versionAndName = ({ version, name }: MigrationFile) => ({ version, name })

/**
 * Opens the database, runs `work` on it, and closes it. Shows progress, because opening an embedded database takes a second.
 * @throws FwError `db.name-unknown`
 */
export function withDatabase<T>(
  { app, database: name = 'default' }: NamedDatabaseOptions,
  text: string,
  work: (application: OpenedApplication) => Promise<T>,
): Promise<T> {
  const root = applicationRoot(app)
  const configuration = loadConfiguration({ root })
  checkName(configuration, name)
  return withProgress(text, async () => {
    const source = { root, configuration, logger: silentLogger }
    const database = await openApplicationDatabase(source, false, name)
    useDatabase(database, name)
    const migrations = migrationFolder(root, name)
    try {
      return await work({ root, name, database, configuration, migrations })
    } finally {
      useDatabase(undefined, name)
      await database.close()
    }
  })
}

function checkName(configuration: Configuration, name: string): void {
  const names = ['default', ...additionalDatabaseNames(configuration)]
  if (names.includes(name)) return
  const suggestion = didYouMean(name, names)
  const hint = suggestion === undefined ? '' : ` (did you mean ${suggestion}?)`
  throw new FwError(
    'db.name-unknown',
    `The configuration has no database '${name}'${hint}: it has ${names.join(', ')}. Name it below db in application.yml.`,
  )
}

/** Rewrites the file db/schema.sql, if the application has one, so that it includes the applied migrations. */
export async function updateSchemaFile({
  root,
  name,
  database,
}: OpenedApplication): Promise<readonly string[]> {
  const file = schemaFile(name)
  if (!existsSync(join(root, file))) return []
  writeFileSync(join(root, file), await dumpSchema(database))
  return [`wrote ${file}`]
}

const schemaFile = (name: string): string =>
  name === 'default' ? 'db/schema.sql' : `db/schema.${name}.sql`

export async function migrateDatabase(options: NamedDatabaseOptions): Promise<void> {
  const applied = await withDatabase(options, 'applying migrations', async (application) => {
    const files = await migrate(application.database, application.migrations)
    if (files.length > 0) await updateSchemaFile(application)
    return files
  })
  printItems(applied.map(versionAndName), options, {
    line: ({ version, name }) => `applied ${version} ${name}`,
    none: 'nothing to do: every migration is applied',
  })
}

/** Parses the number of migrations to roll back. @throws FwError `cli.number-invalid` */
export function readSteps(steps: string): number {
  const count = Number(steps)
  if (Number.isInteger(count) && count >= 1) return count
  throw new FwError(
    'cli.number-invalid',
    `--steps ${steps} is not a number of 1 or more: write --steps 3, for example.`,
  )
}

/** Runs `fw db:rollback`. @throws FwError `cli.number-invalid` */
export async function rollbackDatabase(
  options: NamedDatabaseOptions & { readonly steps: string },
): Promise<void> {
  const count = readSteps(options.steps)
  const undone = await withDatabase(options, 'rolling back migrations', async (application) => {
    const files = await rollback(application.database, application.migrations, count)
    if (files.length > 0) await updateSchemaFile(application)
    return files
  })
  printItems(undone.map(versionAndName), options, {
    line: ({ version, name }) => `rolled back ${version} ${name}`,
    none: 'nothing to do: no migration is applied',
  })
}

/** Lists the migrations, oldest first. */
export async function showMigrations(options: NamedDatabaseOptions): Promise<void> {
  const states = await withDatabase(options, 'reading migrations', ({ database, migrations }) =>
    migrationStatus(database, migrations),
  )
  printItems(states, options, {
    line: ({ version, name, state }) => `${state.padEnd(8)}  ${version}  ${name}`,
    none: 'there are no migrations',
  })
}

/** Runs the seed files for all environments, then those for the current one. Returns their names in `db/`. */
export async function runSeeds({
  root,
  database,
  configuration,
}: OpenedApplication): Promise<readonly string[]> {
  const additional = await openAdditionalDatabases({ root, configuration, logger: silentLogger })
  try {
    return await seed(database, join(root, 'db'), configuration.env.names)
  } finally {
    await additional.close()
  }
}

export async function seedDatabase(options: DatabaseOptions): Promise<void> {
  const files = await withDatabase(options, 'seeding', runSeeds)
  printItems(
    files.map((file) => `db/${file}`),
    options,
    {
      line: (file) => `ran ${file}`,
      none: 'nothing to do: there is neither db/seed.sql nor db/seed.ts, and none of this environment',
    },
  )
}

export async function dumpDatabase(options: NamedDatabaseOptions): Promise<void> {
  const written = await withDatabase(options, 'reading the schema', async (application) => {
    const { root, name, database } = application
    writeFileSync(join(root, schemaFile(name)), await dumpSchema(database))
    return schemaFile(name)
  })
  printItems([written], options, { line: (file) => `wrote ${file}`, none: '' })
}
