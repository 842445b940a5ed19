/** The checks of `fw doctor` for databases: whether they are reachable, supported and migrated, and their clocks correct. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { additionalDatabaseNames, usesDatabase } from '../../runtime/app.ts'
import { previewConfiguration, readSettings, type Configuration } from '../../runtime/config.ts'
import {
  createdExtensions,
  databaseSettingsSchema,
  databaseSettings,
  isShared,
  readFolderLock,
  migrationStatus,
  openDatabase,
  readMigrations,
  UnavailableError,
  type Database,
  type MigrationState,
} from '../../runtime/db.ts'
import { ok, problem, warning, type Finding } from './doctor-checks.ts'
import { withApplicationDatabase } from './load-application.ts'

/** The oldest major version that the PostgreSQL project still maintains. */
const oldestServer = 14
/** The maximum difference between the clocks of database and application, in milliseconds. */
const allowedSkew = 2000

const listNames = (states: readonly MigrationState[]): string =>
  states.map(({ version, name }) => `${version} ${name}`).join(', ')

/** The findings for states of migrations other than `applied`. */
const migrationFindings = [
  ['changed', 'edited after they were applied', 'Undo the edit, and write a new migration.'],
  [
    'missing',
    'applied, but their files are missing',
    'Fetch the branch that contains them, or restore the files.',
  ],
  ['pending', 'pending', 'fw db:migrate'],
] as const

function checkMigrations(states: readonly MigrationState[], production: boolean): Finding[] {
  const found = migrationFindings.flatMap(([state, text, mend]) => {
    const affected = states.filter((one) => one.state === state)
    if (affected.length === 0) return []
    const isProblem = state === 'changed' || (state === 'pending' && production)
    return [(isProblem ? problem : warning)(`${text}: ${listNames(affected)}`, mend)]
  })
  if (found.length > 0) return found
  return [
    ok(states.length === 0 ? 'no migrations' : `every migration is applied (${states.length})`),
  ]
}

async function checkClock(database: Database): Promise<Finding> {
  const sql = 'select extract(epoch from clock_timestamp()) * 1000 as now'
  const before = Date.now()
  const { rows } = await database.query<{ readonly now: unknown }>({ sql, parameters: [] })
  // Compare with the mean of the local times before and after the query: the database read its clock about halfway.
  const skew = Math.round(Number(rows[0]!.now) - (before + Date.now()) / 2)
  return Math.abs(skew) <= allowedSkew
    ? ok("the database's clock and this one agree")
    : warning(
        `the database's clock is ${Math.abs(skew) / 1000} s ${skew > 0 ? 'ahead' : 'behind'}: sessions expire by it`,
        'Synchronize both machines with NTP.',
      )
}

async function checkVersion(database: Database, production: boolean): Promise<Finding> {
  const sql = "select current_setting('server_version') as version"
  const { rows } = await database.query<{ readonly version: string }>({ sql, parameters: [] })
  const { version } = rows[0]!
  const text = `${database.engine === 'pglite' ? 'embedded ' : ''}PostgreSQL ${version}`
  if (production && database.engine === 'pglite')
    return warning(
      `${text} does not wait for the disk: a power cut can cost data`,
      'Give production a server: DATABASE_URL',
    )
  const major = Number.parseInt(version)
  if (major < oldestServer)
    return warning(
      `${text} is no longer maintained`,
      `Upgrade to PostgreSQL ${oldestServer} or newer.`,
    )
  const missing = additions.filter(([since]) => since > major).map(([, names]) => names)
  return ok(
    missing.length === 0
      ? text
      : `${text}; unlike the embedded database it lacks ${missing.join('; ')}`,
  )
}

/** What versions of PostgreSQL have added to SQL, up to that of the embedded database. */
const additions: readonly (readonly [since: number, names: string])[] = [
  [15, 'merge, unique nulls not distinct, views with security_invoker'],
  [16, 'is json, json_arrayagg, any_value'],
  [17, 'json_table, merge … returning'],
  [18, 'uuidv7(), virtual generated columns, returning old and new, keys without overlaps'],
]

/** Returns the extensions that the migrations create and the server does not offer. */
async function checkExtensions(database: Database, folder: string): Promise<Finding[]> {
  const sql = 'select name from pg_available_extensions'
  const { rows } = await database.query<{ readonly name: string }>({ sql, parameters: [] })
  const offered = new Set(rows.map(({ name }) => name))
  return readMigrations(folder).flatMap(({ file, path }) =>
    [...createdExtensions(readFileSync(path, 'utf8'))]
      .filter((name) => database.engine === 'postgres' && !offered.has(name))
      .map((name) =>
        problem(
          `the server does not offer the extension ${name}, which ${file} creates`,
          'Install it on the server, or do without it.',
        ),
      ),
  )
}

/** Reads the states of the migrations; without a migrations table, all are pending. */
async function readStates(database: Database, folder: string): Promise<readonly MigrationState[]> {
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

const checkOpened = (root: string, configuration: Configuration): Promise<Finding[]> =>
  withApplicationDatabase({ root, configuration }, async (database) => {
    const production = configuration.env.isProduction()
    const version = await checkVersion(database, production)
    const states = await readStates(database, join(root, 'db/migration'))
    return [
      version,
      ...checkMigrations(states, production).map((one) => ({ ...one, topic: 'migrations' })),
      ...(await checkExtensions(database, join(root, 'db/migration'))),
      { ...(await checkClock(database)), topic: 'clock' },
    ]
  })

/** Creates the finding for an error. Only an unreachable server needs a separate remedy: other messages contain one. */
function describeFailure(error: unknown, setting: string): Finding {
  if (error instanceof UnavailableError)
    return problem(error.reason, error.remedy ?? `Start the server, or correct ${setting}.`)
  return problem(error instanceof Error ? error.message : String(error))
}

/**
 * Checks that each additional database server responds. Additional embedded databases are skipped: they are created on demand.
 */
async function checkAdditional(root: string, configuration: Configuration): Promise<Finding[]> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const found: Finding[] = []
  for (const name of additionalDatabaseNames(configuration)) {
    const settings = databaseSettings(db.get(name), { root }, name)
    if (settings.kind === 'pglite') continue
    const database = await openDatabase(settings)
    const finding = await checkVersion(database, false).catch((error: unknown) =>
      describeFailure(error, `db.${name}.url`),
    )
    await database.close()
    found.push({ ...finding, text: `${name}: ${finding.text}` })
  }
  return found
}

/** Checks the default database, and whether the additional database servers respond. */
export async function checkDatabase(root: string): Promise<Finding[]> {
  const configuration = previewConfiguration({ root })
  if (!usesDatabase(root, configuration)) return [ok('the application uses none')]
  const [main, additional] = await Promise.all([
    checkDefault(root, configuration),
    checkAdditional(root, configuration),
  ])
  return [...main, ...additional]
}

async function checkDefault(root: string, configuration: Configuration): Promise<Finding[]> {
  const { db } = readSettings(configuration, databaseSettingsSchema)
  const settings = databaseSettings(db.get('default'), { root })
  const found: Finding[] = []
  if (settings.kind === 'pglite' && settings.folder !== 'memory') {
    const { folder } = settings
    const shown = relative(root, folder) || folder
    // Read the lock first, because opening the database replaces a stale lock.
    const holder = readFolderLock(folder)
    if (holder?.isAlive === true && !(await isShared(folder)))
      return [ok(`${shown} is in use by the process ${holder.pid}, and was not checked`)]
    if (!existsSync(folder))
      return [ok(`embedded PostgreSQL, created in ${shown} by the first start`)]
    if (holder?.isAlive === false) {
      const text = `${shown}.lock was left by the process ${holder.pid}, which no longer runs`
      const mend = 'Nothing to do: the next start replaces it.'
      found.push({ ...warning(text, mend), topic: 'lock' })
    }
  }
  const opened = await checkOpened(root, configuration).catch((error: unknown) => [
    describeFailure(error, 'DATABASE_URL or db.default.url'),
  ])
  return [...found, ...opened]
}
