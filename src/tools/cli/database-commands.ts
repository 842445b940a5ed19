/** `fw db:migrate`, `fw db:rollback`, `fw db:status`, `fw db:seed`, `fw db:dump`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAdditionalDatabases, openApplicationDatabase } from '../../runtime/app.ts'
import { FwError, silentLogger } from '../../runtime/base.ts'
import { loadConfiguration, type Configuration } from '../../runtime/config.ts'
import {
  dumpSchema,
  migrate,
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

export interface OpenedApplication {
  readonly root: string
  readonly database: Database
  readonly migrations: string
  readonly configuration: Configuration
}

/** Prints a line for each item, or one JSON document. */
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

/** Shows progress, since opening an embedded database alone takes a second. */
export function withDatabase<T>(
  folder: string,
  text: string,
  work: (application: OpenedApplication) => Promise<T>,
): Promise<T> {
  const root = applicationRoot(folder)
  const configuration = loadConfiguration({ root })
  return withProgress(text, async () => {
    const database = await openApplicationDatabase({ root, configuration, logger: silentLogger })
    useDatabase(database)
    try {
      return await work({ root, database, configuration, migrations: join(root, 'db/migration') })
    } finally {
      useDatabase(undefined)
      await database.close()
    }
  })
}

/** Writes db/schema.sql again if the application has one, so that it fits its migrations. */
export async function updateSchemaFile({
  root,
  database,
}: OpenedApplication): Promise<readonly string[]> {
  const file = join(root, 'db/schema.sql')
  if (!existsSync(file)) return []
  writeFileSync(file, await dumpSchema(database))
  return ['wrote db/schema.sql']
}

export async function migrateDatabase(options: DatabaseOptions): Promise<void> {
  const applied = await withDatabase(options.app, 'applying migrations', async (application) => {
    const files = await migrate(application.database, application.migrations)
    if (files.length > 0) await updateSchemaFile(application)
    return files
  })
  printItems(applied.map(versionAndName), options, {
    line: ({ version, name }) => `applied ${version} ${name}`,
    none: 'nothing to do: every migration is applied',
  })
}

/** @throws FwError `cli.number-invalid` */
export function readSteps(steps: string): number {
  const count = Number(steps)
  if (Number.isInteger(count) && count >= 1) return count
  throw new FwError(
    'cli.number-invalid',
    `--steps ${steps} is not a number of 1 or more: write --steps 3, for example.`,
  )
}

/** @throws FwError `cli.number-invalid` */
export async function rollbackDatabase(
  options: DatabaseOptions & { readonly steps: string },
): Promise<void> {
  const count = readSteps(options.steps)
  const undone = await withDatabase(options.app, 'rolling back migrations', async (application) => {
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
export async function showMigrations(options: DatabaseOptions): Promise<void> {
  const states = await withDatabase(options.app, 'reading migrations', ({ database, migrations }) =>
    migrationStatus(database, migrations),
  )
  printItems(states, options, {
    line: ({ version, name, state }) => `${state.padEnd(8)}  ${version}  ${name}`,
    none: 'there are no migrations',
  })
}

/** Runs the seeds of every environment, then those of this one. Returns their names in `db/`. */
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
  const files = await withDatabase(options.app, 'seeding', runSeeds)
  printItems(
    files.map((file) => `db/${file}`),
    options,
    {
      line: (file) => `ran ${file}`,
      none: 'nothing to do: there is neither db/seed.sql nor db/seed.ts, and none of this environment',
    },
  )
}

export async function dumpDatabase(options: DatabaseOptions): Promise<void> {
  await withDatabase(options.app, 'reading the schema', async ({ root, database }) =>
    writeFileSync(join(root, 'db/schema.sql'), await dumpSchema(database)),
  )
  printItems(['db/schema.sql'], options, { line: (file) => `wrote ${file}`, none: '' })
}
