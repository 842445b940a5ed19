/** `fw db:migrate`, `fw db:rollback`, `fw db:status`, `fw db:seed`, `fw db:dump`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApplicationDatabase, openFurtherDatabases } from '../app.ts'
import { FwError, silentLogger } from '../base.ts'
import { loadConfiguration, type Configuration } from '../config.ts'
import {
  dumpSchema,
  migrate,
  migrationStatus,
  rollback,
  seed,
  useDatabase,
  type Database,
  type MigrationFile,
} from '../db.ts'
import { applicationRoot } from './load-life-cycle.ts'
import { withProgress } from './progress.ts'

interface DatabaseOptions {
  readonly app: string
  readonly json?: boolean
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** What was done, a line each, or that nothing was; one document for programs. */
function tellDone<T>(
  done: readonly T[],
  { json }: DatabaseOptions,
  words: { readonly line: (one: T) => string; readonly nothing: string },
): void {
  if (json === true) say(JSON.stringify(done, undefined, 2))
  else if (done.length === 0) say(words.nothing)
  else for (const one of done) say(words.line(one))
}

const named = ({ version, name }: MigrationFile) => ({ version, name })

/** An embedded database alone takes a second to open. */
function withDatabase<T>(
  folder: string,
  text: string,
  work: (database: Database, migrations: string, configuration: Configuration) => Promise<T>,
): Promise<T> {
  const root = applicationRoot(folder)
  const configuration = loadConfiguration({ root })
  return withProgress(text, async () => {
    const database = await openApplicationDatabase(root, configuration, silentLogger)
    useDatabase(database)
    try {
      return await work(database, join(root, 'db', 'migration'), configuration)
    } finally {
      useDatabase(undefined)
      await database.close()
    }
  })
}

/** Applies what is pending. */
export async function migrateDatabase(options: DatabaseOptions): Promise<void> {
  const done = await withDatabase(options.app, 'applying migrations', migrate)
  tellDone(done.map(named), options, {
    line: ({ version, name }) => `applied ${version} ${name}`,
    nothing: 'nothing to do: every migration is applied',
  })
}

/** Takes back the last migrations. @throws FwError `cli.number-invalid` */
export async function rollbackDatabase(
  options: DatabaseOptions & { readonly steps: string },
): Promise<void> {
  const count = Number(options.steps)
  if (!Number.isInteger(count) || count < 1)
    throw new FwError(
      'cli.number-invalid',
      `--steps ${options.steps} is not a number of 1 or more.`,
    )
  const done = await withDatabase(options.app, 'taking back migrations', (database, folder) =>
    rollback(database, folder, count),
  )
  tellDone(done.map(named), options, {
    line: ({ version, name }) => `took back ${version} ${name}`,
    nothing: 'nothing to do: no migration is applied',
  })
}

/** Lists the migrations, oldest first. */
export async function showMigrations(options: DatabaseOptions): Promise<void> {
  const states = await withDatabase(options.app, 'looking at migrations', migrationStatus)
  tellDone(states, options, {
    line: ({ version, name, state }) => `${state.padEnd(8)}  ${version}  ${name}`,
    nothing: 'there are no migrations',
  })
}

/** Fills the tables with what the application starts with. */
export async function seedDatabase(options: DatabaseOptions): Promise<void> {
  const done = await withDatabase(
    options.app,
    'seeding',
    async (database, folder, configuration) => {
      const root = join(folder, '../..')
      const further = await openFurtherDatabases(root, configuration, silentLogger)
      try {
        return await seed(database, join(root, 'db'))
      } finally {
        await further.close()
      }
    },
  )
  tellDone(
    done.map((file) => `db/${file}`),
    options,
    {
      line: (file) => `ran ${file}`,
      nothing: 'nothing to do: there is neither db/seed.sql nor db/seed.ts',
    },
  )
}

/** Writes the schema to `db/schema.sql`. */
export async function dumpDatabase(options: DatabaseOptions): Promise<void> {
  await withDatabase(options.app, 'reading the structure', async (database, folder) =>
    writeFileSync(join(folder, '..', 'schema.sql'), await dumpSchema(database)),
  )
  tellDone(['db/schema.sql'], options, { line: (file) => `wrote ${file}`, nothing: '' })
}
