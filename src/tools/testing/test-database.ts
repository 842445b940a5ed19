/** Creates a migrated database for the tests of one process, as a copy of a template that all processes share. */
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import {
  engineVersion,
  makeDataDir,
  migrate,
  migrationsChecksum,
  openDatabase,
  type Database,
  type PostgresSettings,
  withDatabaseName,
} from '../../runtime/db.ts'

interface TestDatabaseOptions {
  readonly migrations: string
  /** The server's URL; by default `FW_TEST_DATABASE_URL`, else `DATABASE_URL`, else the database is embedded, in memory. */
  readonly url?: string
}

/**
 * Opens a database for this process; the database's `close` removes it. Use `isolateDatabase(database)` to roll back the writes
 * of a test. The migrations create a template, which is created again only after a migration has changed.
 */
export async function testDatabase(
  options: TestDatabaseOptions,
): Promise<{ database: Database; close: () => Promise<void> }> {
  // An empty variable counts as absent.
  const url = options.url ?? (process.env['FW_TEST_DATABASE_URL'] || process.env['DATABASE_URL'])
  return url ? copyOfTemplate(url, options.migrations) : copyInMemory(options.migrations)
}

async function copyInMemory(migrations: string) {
  const loadDataDir = await readDump(migrations)
  const database = await openDatabase({ kind: 'pglite', folder: 'memory', loadDataDir })
  return { database, close: () => database.close() }
}

const maxDumps = 8

/** Reads the stored dump of the migrated database, or creates and stores it. */
async function readDump(migrations: string): Promise<Blob> {
  const file = join(
    templateFolder(),
    `${migrationsChecksum(migrations).slice(0, 24)}-${engineVersion()}.tar`,
  )
  try {
    const dump = new Blob([readFileSync(file)])
    utimesSync(file, new Date(), new Date())
    return dump
  } catch {
    const dump = await makeDataDir((database) => migrate(database, migrations))
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, Buffer.from(await dump.arrayBuffer()), { mode: 0o600 })
    renameSync(draft, file)
    removeOldDumps(templateFolder())
    return dump
  }
}

/** Removes all but the most recently used dumps, because each change of the migrations creates a dump of about 40 MB. */
function removeOldDumps(folder: string): void {
  const dumps = readdirSync(folder).map((name) => join(folder, name))
  // Do not throw for a missing file, because another process may remove a dump at the same time.
  const used = dumps.map((dump) => statSync(dump, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  const newestFirst = [...dumps.keys()].sort((one, other) => used[other]! - used[one]!)
  for (const at of newestFirst.slice(maxDumps)) rmSync(dumps[at]!, { force: true })
}

function templateFolder(): string {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `fw-test-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // If another user has created the folder, use a different one.
  if (process.platform !== 'win32' && statSync(folder).uid !== uid) {
    const own = join(tmpdir(), `fw-test-${uid}-${process.pid}`)
    mkdirSync(own, { mode: 0o700 })
    process.once('exit', () => rmSync(own, { recursive: true, force: true }))
    return own
  }
  return folder
}

let databaseCount = 0
const hostHash = createHash('sha256').update(hostname()).digest('hex').slice(0, 6)
const dayMillis = 24 * 60 * 60 * 1000
/** The days without use after which a template is dropped. */
const maxDays = 14
/** The key of the advisory lock that is held while a template is created or copied. */
export const templateLock = 0x667774657374

async function copyOfTemplate(url: string, migrations: string) {
  const name = `fw_test_${hostHash}_${process.pid}_${++databaseCount}`
  await onServer({ url, poolSize: 2, statementTimeout: 0 }, (server) =>
    server.transaction(async () => {
      await server.query({ sql: `select pg_advisory_xact_lock(${templateLock})`, parameters: [] })
      // This transaction only holds the lock: CREATE DATABASE cannot run in a transaction, so it runs on another connection.
      const template = await prepareTemplate(server, url, migrations)
      await dropAbandoned(server)
      await dropOldTemplates(server, template)
      await query(server, `create database ${name} template ${template}`)
    }),
  )
  const database = await openDatabase({
    kind: 'postgres',
    url: withDatabaseName(url, name),
    poolSize: 4,
  })
  const close = async (): Promise<void> => {
    await database.close()
    await onServer({ url, poolSize: 1 }, (server) =>
      query(server, `drop database if exists ${name} with (force)`),
    )
  }
  return { database, close }
}

/** Opens a database of a server, runs `work` on it, and closes it. */
async function onServer(
  settings: Omit<PostgresSettings, 'kind'>,
  work: (server: Database) => Promise<unknown>,
): Promise<void> {
  const server = await openDatabase({ kind: 'postgres', ...settings })
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

/** Runs a statement outside the transaction of `server`. */
const query = async <R>(server: Database, sql: string, ...parameters: readonly string[]) =>
  (await server.pool.query<R>({ sql, parameters })).rows

async function prepareTemplate(server: Database, url: string, migrations: string): Promise<string> {
  const name = `fw_template_${migrationsChecksum(migrations).slice(0, 24)}`
  const known = await query(server, 'select 1 from pg_database where datname = $1', name)
  if (known.length > 0) return name
  const draft = `${name}_draft`
  await query(server, `drop database if exists ${draft}`)
  await query(server, `create database ${draft}`)
  await onServer({ url: withDatabaseName(url, draft), poolSize: 1 }, (database) =>
    migrate(database, migrations),
  )
  // Rename the template last, so that a template with the final name is always complete.
  await query(server, `alter database ${draft} rename to ${name}`)
  return name
}

/** Drops the databases of processes of this host that have ended. */
async function dropAbandoned(server: Database): Promise<void> {
  const sql = `select datname as name from pg_database where datname like $1`
  for (const { name } of await query<{ name: string }>(
    server,
    sql,
    `fw\\_test\\_${hostHash}\\_%`,
  )) {
    const pid = Number(name.split('_')[3])
    if (Number.isInteger(pid) && !isAlive(pid))
      await query(server, `drop database if exists ${name}`).catch(() => {})
  }
}

/** Drops the templates that have not been used for `maxDays`; the comment on each database contains the day of its last use. */
async function dropOldTemplates(server: Database, inUse: string): Promise<void> {
  const today = Math.floor(Date.now() / dayMillis)
  await query(server, `comment on database ${inUse} is 'fw tests, day ${today}'`)
  const sql = `select datname as name, substring(shobj_description(oid, 'pg_database') from 'fw tests, day (\\d+)')::int as day
    from pg_database where datname like 'fw\\_template\\_%'`
  for (const { name, day } of await query<{ name: string; day: number | null }>(server, sql))
    if (name !== inUse && day !== null && today - day > maxDays)
      await query(server, `drop database if exists ${name}`).catch(() => {})
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
