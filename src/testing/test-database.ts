/** A migrated database for this process alone, made from a copy that all processes share. */
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
} from '../db.ts'

export interface TestDatabaseOptions {
  /** The folder of the migrations: what they say is in the database, and no row more. */
  readonly migrations: string
  /** A PostgreSQL server. Absent: `FW_TEST_DATABASE_URL`, else `DATABASE_URL`, else an embedded database in memory. */
  readonly url?: string
}

/**
 * Gives a database that no other process sees; `close` removes it. A test takes `isolateDatabase(database)` of it, so that
 * its rows are gone afterwards. The migrations run once for each state of their folder, then a copy is made.
 */
export async function testDatabase(
  options: TestDatabaseOptions,
): Promise<{ database: Database; close(): Promise<void> }> {
  // A variable that is empty names no server.
  const url = options.url ?? (process.env['FW_TEST_DATABASE_URL'] || process.env['DATABASE_URL'])
  return url ? copyOfTemplate(url, options.migrations) : copyInMemory(options.migrations)
}

async function copyInMemory(migrations: string) {
  const loadDataDir = await dataDir(migrations)
  const database = await openDatabase({ kind: 'pglite', folder: 'memory', loadDataDir })
  return { database, close: () => database.close() }
}

const keptDumps = 8

/** The dump is kept in a folder that is this user's own, beside dumps of other schemas. */
async function dataDir(migrations: string): Promise<Blob> {
  const file = join(
    templateFolder(),
    `${migrationsChecksum(migrations).slice(0, 24)}-${engineVersion()}.tar`,
  )
  try {
    const kept = new Blob([readFileSync(file)])
    utimesSync(file, new Date(), new Date())
    return kept
  } catch {
    const made = await makeDataDir((database) => migrate(database, migrations))
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, Buffer.from(await made.arrayBuffer()), { mode: 0o600 })
    renameSync(draft, file)
    forgetOldest(templateFolder())
    return made
  }
}

/** Each state of the migrations leaves a dump of some 40 MB: those used last stay. */
function forgetOldest(folder: string): void {
  const dumps = readdirSync(folder).map((name) => join(folder, name))
  // Another process may take one away meanwhile.
  const used = dumps.map((dump) => statSync(dump, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  const oldestLast = [...dumps.keys()].sort((one, other) => used[other]! - used[one]!)
  for (const at of oldestLast.slice(keptDumps)) rmSync(dumps[at]!, { force: true })
}

function templateFolder(): string {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `fw-test-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // In a shared folder for temporary files, another user may have made it first.
  if (process.platform !== 'win32' && statSync(folder).uid !== uid) {
    const own = join(tmpdir(), `fw-test-${uid}-${process.pid}`)
    mkdirSync(own, { mode: 0o700 })
    process.once('exit', () => rmSync(own, { recursive: true, force: true }))
    return own
  }
  return folder
}

let made = 0
const here = createHash('sha256').update(hostname()).digest('hex').slice(0, 6)
const day = 24 * 60 * 60 * 1000
const keptDays = 14
/** One lock for all that make or copy templates. */
export const lockKey = 0x667774657374

async function copyOfTemplate(url: string, migrations: string) {
  const name = `fw_test_${here}_${process.pid}_${++made}`
  const server = await openDatabase({ kind: 'postgres', url, poolSize: 2, statementTimeout: 0 })
  try {
    await server.transaction(async () => {
      await server.query({ sql: `select pg_advisory_xact_lock(${lockKey})`, parameters: [] })
      // CREATE DATABASE stands outside every transaction; the lock is held by this one meanwhile.
      const template = await makeTemplate(server, url, migrations)
      await sweep(server)
      await retire(server, template)
      await direct(server, `create database ${name} template ${template}`)
    })
  } finally {
    await server.close()
  }
  const database = await openDatabase({ kind: 'postgres', url: named(url, name), poolSize: 4 })
  return { database, close: () => remove(database, url, name) }
}

async function makeTemplate(server: Database, url: string, migrations: string): Promise<string> {
  const name = `fw_template_${migrationsChecksum(migrations).slice(0, 24)}`
  const known = await server.pool.query({
    sql: 'select 1 from pg_database where datname = $1',
    parameters: [name],
  })
  if (known.rows.length > 0) return name
  const draft = `${name}_draft`
  await direct(server, `drop database if exists ${draft}`)
  await direct(server, `create database ${draft}`)
  const database = await openDatabase({ kind: 'postgres', url: named(url, draft), poolSize: 1 })
  try {
    await migrate(database, migrations)
  } finally {
    await database.close()
  }
  // The name is given last: a template that bears it is whole.
  await direct(server, `alter database ${draft} rename to ${name}`)
  return name
}

/** Databases of this machine's processes that were killed before they could remove them. */
async function sweep(server: Database): Promise<void> {
  const sql = `select datname as name from pg_database where datname like $1`
  const { rows } = await server.pool.query<{ name: string }>({
    sql,
    parameters: [`fw\\_test\\_${here}\\_%`],
  })
  for (const { name } of rows) {
    const pid = Number(name.split('_')[3])
    if (Number.isInteger(pid) && !isAlive(pid))
      await direct(server, `drop database if exists ${name}`).catch(() => {})
  }
}

/** Templates of schemas that nobody has tested for long; the comment on each says when it was last used. */
async function retire(server: Database, inUse: string): Promise<void> {
  const today = Math.floor(Date.now() / day)
  await direct(server, `comment on database ${inUse} is 'fw tests, day ${today}'`)
  const sql = `select datname as name, substring(shobj_description(oid, 'pg_database') from 'fw tests, day (\\d+)')::int as day
    from pg_database where datname like 'fw\\_template\\_%'`
  const { rows } = await server.pool.query<{ name: string; day: number | null }>({
    sql,
    parameters: [],
  })
  for (const { name, day: last } of rows)
    if (name !== inUse && last !== null && today - last > keptDays)
      await direct(server, `drop database if exists ${name}`).catch(() => {})
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

async function remove(database: Database, url: string, name: string): Promise<void> {
  await database.close()
  const server = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
  try {
    await direct(server, `drop database if exists ${name} with (force)`)
  } finally {
    await server.close()
  }
}

async function direct(server: Database, sql: string): Promise<void> {
  await server.pool.query({ sql, parameters: [] })
}

function named(url: string, database: string): string {
  const at = new URL(url)
  at.pathname = `/${database}`
  return at.href
}
