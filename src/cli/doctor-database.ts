/** Looks at the database: there, in step with the migrations, on the same clock. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { furtherNames, openApplicationDatabase, usesDatabase } from '../app.ts'
import { HttpError, silentLogger } from '../base.ts'
import { previewConfiguration, readSettings, type Configuration } from '../config.ts'
import {
  databaseSchema,
  databaseSettings,
  folderHolder,
  migrationStatus,
  openDatabase,
  readMigrations,
  type Database,
  type MigrationState,
} from '../db.ts'
import { findings, type Finding } from './finding.ts'

const { ok, warning, problem } = findings('database')
const migrations = findings('migrations')
const clock = findings('clock')

/** Older ones are no longer maintained by their makers. */
const oldestServer = 14
const skewAllowed = 2000

const names = (states: readonly MigrationState[]): string =>
  states.map(({ version, name }) => `${version} ${name}`).join(', ')

function lookAtMigrations(states: readonly MigrationState[], production: boolean): Finding[] {
  const of = (state: MigrationState['state']) => states.filter((one) => one.state === state)
  const [pending, changed, missing] = [of('pending'), of('changed'), of('missing')]
  const found: Finding[] = []
  if (changed.length > 0)
    found.push(
      migrations.problem(
        `edited after they were applied: ${names(changed)}`,
        'Undo the edit, and write a new migration.',
      ),
    )
  if (missing.length > 0)
    found.push(
      migrations.warning(
        `applied, and their files are gone: ${names(missing)}`,
        'Fetch the branch that has them, or restore the files.',
      ),
    )
  if (pending.length > 0)
    found.push(
      migrations[production ? 'problem' : 'warning'](`pending: ${names(pending)}`, 'fw db:migrate'),
    )
  return found.length > 0
    ? found
    : [
        migrations.ok(
          states.length === 0 ? 'no migrations' : `every migration is applied (${states.length})`,
        ),
      ]
}

async function lookAtClock(database: Database): Promise<Finding> {
  const sql = 'select extract(epoch from clock_timestamp()) * 1000 as now'
  const before = Date.now()
  const { rows } = await database.query<{ readonly now: unknown }>({ sql, parameters: [] })
  // The answer is as old as half the way there and back.
  const skew = Math.round(Number(rows[0]!.now) - (before + Date.now()) / 2)
  return Math.abs(skew) <= skewAllowed
    ? clock.ok("the database's clock and this one agree")
    : clock.warning(
        `the database's clock is ${Math.abs(skew) / 1000} s ${skew > 0 ? 'ahead' : 'behind'}: sessions end by it`,
        'Let both machines follow NTP.',
      )
}

async function versionOf(database: Database, production: boolean): Promise<Finding> {
  const sql = "select current_setting('server_version') as version"
  const { rows } = await database.query<{ readonly version: string }>({ sql, parameters: [] })
  const { version } = rows[0]!
  const text = `${database.engine === 'pglite' ? 'embedded ' : ''}PostgreSQL ${version}`
  if (production && database.engine === 'pglite')
    return warning(
      `${text} does not wait for the disk: a power cut can cost data`,
      'Give production a server: DATABASE_URL',
    )
  return Number.parseInt(version) >= oldestServer
    ? ok(text)
    : warning(`${text} is no longer maintained`, `Upgrade to PostgreSQL ${oldestServer} or newer.`)
}

/** A look leaves no table behind, as `migrationStatus` does where none is yet. */
async function statesOf(database: Database, folder: string): Promise<readonly MigrationState[]> {
  const sql = "select to_regclass('fw_schema_migrations') is not null as known"
  const { rows } = await database.query<{ readonly known: boolean }>({ sql, parameters: [] })
  if (rows[0]!.known) return migrationStatus(database, folder)
  return readMigrations(folder).map(({ version, name }) => ({
    version,
    name,
    state: 'pending',
    appliedAt: undefined,
  }))
}

async function lookInside(root: string, configuration: Configuration): Promise<Finding[]> {
  const database = await openApplicationDatabase(root, configuration, silentLogger)
  try {
    const production = configuration.env.isProduction()
    const version = await versionOf(database, production)
    const states = await statesOf(database, join(root, 'db/migration'))
    return [version, ...lookAtMigrations(states, production), await lookAtClock(database)]
  } finally {
    await database.close()
  }
}

/** What can be said of an embedded database without opening it; `undefined` when it can be opened. */
function lookAtFolder(root: string, folder: string): Finding | undefined {
  const shown = relative(root, folder) || folder
  const holder = folderHolder(folder)
  if (holder?.isAlive === true)
    return ok(`${shown} is in use by the process ${holder.pid}, and was not looked into`)
  if (!existsSync(folder)) return ok(`embedded PostgreSQL, made in ${shown} by the first start`)
  return undefined
}

function lookAtLock(root: string, folder: string): Finding[] {
  const holder = folderHolder(folder)
  if (holder === undefined || holder.isAlive) return []
  const file = `${relative(root, folder) || folder}.lock`
  return [
    findings('lock').warning(
      `${file} was left by the process ${holder.pid}, which is gone`,
      'Nothing: the next start takes it over.',
    ),
  ]
}

/** A server that cannot be asked is an `HttpError` of a request; whatever else fails says itself how to mend it. */
function failed(error: unknown, setting: string): Finding {
  if (error instanceof HttpError)
    return problem(error.message, `Start the server, or correct ${setting}.`)
  return problem(error instanceof Error ? error.message : String(error))
}

/** Whether each server beside the default one answers; an embedded database is there when it is needed. */
async function lookAtFurther(root: string, configuration: Configuration): Promise<Finding[]> {
  const { db } = readSettings(configuration, databaseSchema)
  const found: Finding[] = []
  for (const name of furtherNames(configuration)) {
    const settings = databaseSettings(db.get(name), { root }, name)
    if (settings.kind === 'pglite') continue
    const database = await openDatabase(settings)
    const looked = await versionOf(database, false).catch((error: unknown) =>
      failed(error, `db.${name}.url`),
    )
    await database.close()
    found.push({ ...looked, text: `${name}: ${looked.text}` })
  }
  return found
}

/** The default database, and whether the others are there. */
export async function lookAtDatabase(root: string): Promise<Finding[]> {
  const configuration = previewConfiguration({ root })
  if (!usesDatabase(root, configuration)) return [ok('the application uses none')]
  const [own, further] = await Promise.all([
    lookAtDefault(root, configuration),
    lookAtFurther(root, configuration),
  ])
  return [...own, ...further]
}

async function lookAtDefault(root: string, configuration: Configuration): Promise<Finding[]> {
  const { db } = readSettings(configuration, databaseSchema)
  const settings = databaseSettings(db.get('default'), { root })
  const embedded = settings.kind === 'pglite' && settings.folder !== 'memory'
  const folder = embedded ? lookAtFolder(root, settings.folder) : undefined
  if (folder !== undefined) return [folder]
  // Opening takes a lock over, so it is looked at before.
  const lock = embedded ? lookAtLock(root, settings.folder) : []
  const inside = await lookInside(root, configuration).catch((error: unknown) => [
    failed(error, 'DATABASE_URL or db.default.url'),
  ])
  return [...lock, ...inside]
}
