/** `fw db:migrate`, `fw db:rollback`, `fw db:status`, `fw db:seed`, `fw db:dump`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApplicationDatabase } from '../app.ts'
import { FwError, silentLogger } from '../base.ts'
import { loadConfiguration } from '../config.ts'
import {
  dumpSchema,
  migrate,
  migrationStatus,
  rollback,
  seed,
  useDatabase,
  type Database,
} from '../db.ts'
import { applicationRoot } from './load-life-cycle.ts'

interface DatabaseOptions {
  readonly app: string
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function withDatabase(
  folder: string,
  work: (database: Database, migrations: string) => Promise<void>,
): Promise<void> {
  const root = applicationRoot(folder)
  const database = await openApplicationDatabase(root, loadConfiguration({ root }), silentLogger)
  useDatabase(database)
  try {
    await work(database, join(root, 'db', 'migration'))
  } finally {
    useDatabase(undefined)
    await database.close()
  }
}

/** Applies what is pending. */
export function migrateDatabase({ app }: DatabaseOptions): Promise<void> {
  return withDatabase(app, async (database, folder) => {
    const done = await migrate(database, folder)
    for (const { version, name } of done) say(`applied ${version} ${name}`)
    if (done.length === 0) say('nothing to do: every migration is applied')
  })
}

/** Takes back the last migrations. @throws FwError `cli.number-invalid` */
export function rollbackDatabase({
  app,
  steps,
}: DatabaseOptions & { readonly steps: string }): Promise<void> {
  const count = Number(steps)
  if (!Number.isInteger(count) || count < 1)
    throw new FwError('cli.number-invalid', `--steps ${steps} is not a number of 1 or more.`)
  return withDatabase(app, async (database, folder) => {
    const done = await rollback(database, folder, count)
    for (const { version, name } of done) say(`took back ${version} ${name}`)
    if (done.length === 0) say('nothing to do: no migration is applied')
  })
}

/** Lists the migrations, oldest first. */
export function showMigrations({
  app,
  json,
}: DatabaseOptions & { readonly json?: boolean }): Promise<void> {
  return withDatabase(app, async (database, folder) => {
    const states = await migrationStatus(database, folder)
    if (json === true) return say(JSON.stringify(states, undefined, 2))
    for (const { version, name, state } of states) say(`${state.padEnd(8)}  ${version}  ${name}`)
    if (states.length === 0) say('there are no migrations')
  })
}

/** Fills the tables with what the application starts with. */
export function seedDatabase({ app }: DatabaseOptions): Promise<void> {
  return withDatabase(app, async (database, folder) => {
    const done = await seed(database, join(folder, '..'))
    for (const file of done) say(`ran db/${file}`)
    if (done.length === 0) say('nothing to do: there is neither db/seed.sql nor db/seed.ts')
  })
}

/** Writes the schema to `db/schema.sql`. */
export function dumpDatabase({ app }: DatabaseOptions): Promise<void> {
  return withDatabase(app, async (database, folder) => {
    writeFileSync(join(folder, '..', 'schema.sql'), await dumpSchema(database))
    say('wrote db/schema.sql')
  })
}
