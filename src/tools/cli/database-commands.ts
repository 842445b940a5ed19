/** The commands `fw db:migrate`, `fw db:rollback`, `fw db:redo`, `fw db:status`, `fw db:seed` and `fw db:dump`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { additionalDatabaseNames, openAdditionalDatabases } from '../../runtime/app.ts'
import {
  didYouMean,
  escapeControls,
  FwError,
  silentLogger,
  type Logger,
} from '../../runtime/base.ts'
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
import {
  applicationRoot,
  withApplicationDatabase,
  type CommandOptions,
} from './load-application.ts'
import { printJson, printLine, withProgress } from './terminal.ts'

/** The options of a command for one of the application's databases. */
export interface DatabaseOptions extends CommandOptions {
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

/** Prints one line for each item, or the text `none` without items. With the option `--json`, prints all items as JSON. */
export function printItems<T>(
  items: readonly T[],
  { json }: CommandOptions,
  line: (item: T) => string = String,
  none = '',
): void {
  if (json === true) printJson(items)
  else if (items.length === 0) printLine(none)
  else for (const item of items) printLine(line(item))
}

/**
 * Opens the database, runs `work` on it, and closes it. Shows progress, because opening an embedded database takes a second.
 * @throws FwError `db.name-unknown`
 */
export async function withDatabase<T>(
  { app, database: name = 'default' }: DatabaseOptions,
  text: string,
  work: (application: OpenedApplication) => Promise<T>,
): Promise<T> {
  const root = applicationRoot(app)
  const configuration = loadConfiguration({ root })
  checkName(configuration, name)
  const useNamed = async (database: Database): Promise<T> => {
    useDatabase(database, name)
    const migrations = migrationFolder(root, name)
    try {
      return await work({ root, name, database, configuration, migrations })
    } finally {
      useDatabase(undefined, name)
    }
  }
  const warnings: string[] = []
  const source = { root, configuration, logger: warningLogger(warnings) }
  try {
    return await withProgress(text, () => withApplicationDatabase(source, useNamed, name))
  } finally {
    // Printed at the end, because the progress erases its line.
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
  }
}

/** Adds the warnings about files to `lines`, such as that of a late migration; not those of slow statements. */
const warningLogger = (lines: string[]): Logger => ({
  ...silentLogger,
  warn: (fields, message) => {
    if (typeof fields['file'] !== 'string') return
    const details = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)
    lines.push(escapeControls(`warning: ${[message, ...details].join(', ')}`))
  },
})

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

interface SchemaUpdate {
  /** The line about the file that was written, if the application has one. */
  readonly written: readonly string[]
  /** The line about a file that stays as it is, because the dump was refused. */
  readonly refused: readonly string[]
}

/**
 * Rewrites the file db/schema.sql, if the application has one, so that it includes the applied migrations. A refused dump is no
 * error here, because the command has done its work.
 */
export async function updateSchemaFile(application: OpenedApplication): Promise<SchemaUpdate> {
  const file = schemaFile(application)
  if (!existsSync(join(application.root, file))) return { written: [], refused: [] }
  try {
    return { written: [`wrote ${await writeSchemaFile(application)}`], refused: [] }
  } catch (error) {
    if (!(error instanceof FwError) || error.code !== 'db.dump-refused') throw error
    return { written: [], refused: [`${file} is out of date: ${error.message}`] }
  }
}

const schemaFile = ({ name }: OpenedApplication): string =>
  name === 'default' ? 'db/schema.sql' : `db/schema.${name}.sql`

async function writeSchemaFile(application: OpenedApplication): Promise<string> {
  const file = schemaFile(application)
  writeFileSync(join(application.root, file), await dumpSchema(application.database))
  return file
}

interface MigrationChange {
  readonly progress: string
  readonly change: (database: Database, migrations: string) => Promise<readonly MigrationFile[]>
  readonly line: (migration: string) => string
  readonly none: string
}

/** Changes migrations, updates the schema file, and prints each changed migration, else `none`. */
async function changeMigrations(
  options: DatabaseOptions,
  { progress, change, line, none }: MigrationChange,
): Promise<void> {
  const { changed, refused } = await withDatabase(options, progress, async (application) => {
    const files = await change(application.database, application.migrations)
    const update = files.length > 0 ? await updateSchemaFile(application) : undefined
    const changed = files.map(({ version, name }) => ({ version, name }))
    return { changed, refused: update?.refused ?? [] }
  })
  printItems(changed, options, ({ version, name }) => line(`${version} ${name}`), none)
  for (const problem of refused) process.stderr.write(`${problem}\n`)
}

export const migrateDatabase = (options: DatabaseOptions): Promise<void> =>
  changeMigrations(options, {
    progress: 'applying migrations',
    change: migrate,
    line: (migration) => `applied ${migration}`,
    none: 'nothing to do: every migration is applied',
  })

/** Parses the number of migrations to roll back. @throws FwError `cli.number-invalid` */
function readSteps(steps: string): number {
  const count = Number(steps)
  if (Number.isInteger(count) && count >= 1) return count
  throw new FwError(
    'cli.number-invalid',
    `--steps ${steps} is not a number of 1 or more: write --steps 3, for example.`,
  )
}

interface StepOptions extends DatabaseOptions {
  readonly steps: string
}

/** Runs `fw db:rollback`. @throws FwError `cli.number-invalid` */
export async function rollbackDatabase(options: StepOptions): Promise<void> {
  const count = readSteps(options.steps)
  await changeMigrations(options, {
    progress: 'rolling back migrations',
    change: (database, migrations) => rollback(database, migrations, count),
    line: (migration) => `rolled back ${migration}`,
    none: 'nothing to do: no migration is applied',
  })
}

/** Rolls back the last migrations and applies them again. @throws FwError `cli.number-invalid` */
export async function redoMigrations(options: StepOptions): Promise<void> {
  const count = readSteps(options.steps)
  await changeMigrations(options, {
    progress: 'redoing migrations',
    change: async (database, migrations) => {
      await rollback(database, migrations, count)
      return migrate(database, migrations)
    },
    line: (migration) => `applied ${migration} again`,
    none: 'nothing to do: no migration is applied',
  })
}

export async function showMigrations(options: DatabaseOptions): Promise<void> {
  const states = await withDatabase(options, 'reading migrations', ({ database, migrations }) =>
    migrationStatus(database, migrations),
  )
  printItems(
    states,
    options,
    ({ version, name, state }) => `${state.padEnd(8)}  ${version}  ${name}`,
    'there are no migrations',
  )
}

/** Runs the seed files for all environments, then those for the current one. Returns their names in `db/`. */
export async function runSeeds(application: OpenedApplication): Promise<readonly string[]> {
  const { root, database, configuration } = application
  const additional = await openAdditionalDatabases({ root, configuration, logger: silentLogger })
  try {
    return await seed(database, join(root, 'db'), configuration.env.names)
  } catch (error) {
    throw await addPending(error, application)
  } finally {
    await additional.close()
  }
}

/** Adds to the error of a seed that migrations are pending, because their tables may be the ones that it lacks. */
async function addPending(error: unknown, { database, migrations }: OpenedApplication) {
  const states = await migrationStatus(database, migrations)
  if (error instanceof FwError && states.some(({ state }) => state === 'pending'))
    error.message += '\nMigrations are pending: run fw db:migrate first.'
  return error
}

export async function seedDatabase(options: CommandOptions): Promise<void> {
  const files = await withDatabase(options, 'seeding', runSeeds)
  printItems(
    files.map((file) => `db/${file}`),
    options,
    (file) => `ran ${file}`,
    'nothing to do: there is neither db/seed.sql nor db/seed.ts, and none of this environment',
  )
}

export async function dumpDatabase(options: DatabaseOptions): Promise<void> {
  const written = await withDatabase(options, 'reading the schema', writeSchemaFile)
  printItems([written], options, (file) => `wrote ${file}`)
}
