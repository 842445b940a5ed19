/** Applies migrations and rolls them back, one by one. One lock prevents two nodes from migrating at the same time. */
import { setTimeout } from 'node:timers/promises'
import { FwError, Temporal } from '../base.ts'
import type { Statement } from './connection.ts'
import type { Database } from './database.ts'
import {
  checkMigration,
  readMigrations,
  showPath,
  type MigrationFile,
  type MigrationStep,
} from './migration-files.ts'
import { isLockTimeout, QueryError } from './query-error.ts'
import { isApplications } from './read-schema.ts'
import { runMigration, runsInTransaction } from './run-migration.ts'
import { parseScript } from './sql-script.ts'
import { outsideTransaction } from './transaction-scope.ts'

/** A migration that has been applied or has a file. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** The state. `changed`: the file was edited after it was applied; `missing`: the file of the applied migration is gone. */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing'
  readonly appliedAt: Temporal.Instant | undefined
}

interface AppliedMigration extends Pick<MigrationFile, 'version' | 'name' | 'checksum'> {
  readonly appliedAt: Temporal.Instant
}

type Files = readonly MigrationFile[]
type Applied = readonly AppliedMigration[]

const table = 'fw_schema_migrations'
/** The key of the advisory lock: an arbitrary constant, 'fwmigr' in ASCII. */
const lockKey = 0x66776d696772

const tableSql = `create table if not exists ${table} (
  version bigint not null primary key,
  name varchar(512) not null,
  checksum varchar(64) not null,
  applied_at timestamptz not null default clock_timestamp()
)`

/**
 * Applies the pending migrations, oldest first, and returns them. Of two nodes, one waits while the other applies a migration.
 * @throws FwError `db.migration-changed`, `db.migration-invalid` before any migration is applied; `db.migration-failed` after
 * the failed migration has been rolled back, unless it runs outside a transaction
 */
export function migrate(database: Database, folder: string): Promise<MigrationFile[]> {
  return applyPending(database, folder, () => true)
}

/**
 * Applies the pending migrations like `migrate`, except SQL files without a statement. `fw run` thus leaves a file alone that
 * `fw g migration` has just written, because a migration must not change after it is applied.
 */
export const migrateNonEmpty = (database: Database, folder: string): Promise<MigrationFile[]> =>
  applyPending(
    database,
    folder,
    ({ up }) => !('sql' in up) || parseScript(up.sql).statements.length > 0,
  )

async function applyPending(
  database: Database,
  folder: string,
  isReady: (migration: MigrationFile) => boolean,
): Promise<MigrationFile[]> {
  const files = readMigrations(folder)
  if (files.length === 0) return []
  const done: MigrationFile[] = []
  const applied = await withLock(database, () => readApplied(database))
  checkUnchanged(files, applied)
  const versions = new Set(applied.map(({ version }) => version))
  const pending = files.filter((file) => !versions.has(file.version) && isReady(file))
  for (const migration of pending) checkMigration(migration, database.engine)
  const newest = applied.at(-1)
  for (const { file, version } of pending)
    if (newest !== undefined && version < newest.version)
      database.logger.warn(
        { file, newest: newest.version },
        'a migration is late: a newer one is already applied, so this database runs them in another order than a new one',
      )
  for (const migration of pending) {
    const apply = () => applyOnce(database, migration, files)
    const isDone = await runStep(database, migration, migration.up, apply).catch(
      (error: unknown) => {
        throw addDone(error, done, 'applied')
      },
    )
    if (isDone) done.push(migration)
  }
  return done
}

/** Adds to the error of a run which migrations the run has applied or rolled back before. */
function addDone(error: unknown, done: Files, verb: string): unknown {
  if (error instanceof FwError && done.length > 0)
    error.message += `\nBefore it, this run has ${verb} ${done.map(({ file }) => file).join(', ')}.`
  return error
}

/**
 * Rolls back the `steps` migrations that were applied last, and returns them.
 * @throws FwError `db.migration-missing`; `db.migration-invalid` for a migration without a down step; `db.migration-failed`
 */
export async function rollback(
  database: Database,
  folder: string,
  steps = 1,
): Promise<MigrationFile[]> {
  const files = filesByVersion(folder)
  const done: MigrationFile[] = []
  for (let step = 0; step < steps; step++) {
    const { version } = lastApplied(await withLock(database, () => readApplied(database))) ?? {}
    if (version === undefined) break
    const migration = files.get(version)
    const undo = () => rollbackOnce(database, version, files)
    const undone = await runStep(database, migration, migration?.down, undo).catch(
      (error: unknown) => {
        throw addDone(error, done, 'rolled back')
      },
    )
    if (undone) done.push(undone)
  }
  return done
}

/** Returns the migrations that are applied or have a file, by version, without those that a squashed baseline replaces. */
export async function migrationStatus(
  database: Database,
  folder: string,
): Promise<MigrationState[]> {
  const files = filesByVersion(folder)
  // Do not take the lock: a running migration holds it, and the readiness checks of other nodes must not wait.
  const { rows } = await database.query<{ known: boolean }>({ sql: knownSql, parameters: [] })
  const applied = withoutSquashed(rows[0]!.known ? await readApplied(database) : [], files.values())
  const states = applied.map(({ version, name, checksum, appliedAt }): MigrationState => {
    const file = files.get(version)
    files.delete(version)
    const state = !file ? 'missing' : file.checksum === checksum ? 'applied' : 'changed'
    return { version, name, state, appliedAt }
  })
  for (const { version, name } of files.values())
    states.push({ version, name, state: 'pending', appliedAt: undefined })
  return states.sort((a, b) => a.version - b.version)
}

const knownSql = `select to_regclass('${table}') is not null as known`

/** Removes the migrations that a baseline of `fw db:squash` replaces. */
function withoutSquashed(applied: Applied, files: Iterable<MigrationFile>): Applied {
  const squash = [...files].find(({ squashes }) => squashes !== undefined)
  return squash === undefined ? applied : applied.filter(({ version }) => version >= squash.version)
}

const filesByVersion = (folder: string): Map<number, MigrationFile> =>
  new Map(readMigrations(folder).map((file) => [file.version, file]))

const maxAttempts = 20

/** Runs `work`, which runs the step, under the lock of migrations. Repeats it if a table's lock is not available in time. */
async function runStep<T>(
  database: Database,
  migration: MigrationFile | undefined,
  step: MigrationStep | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const inTransaction = step !== undefined && (await runsInTransaction(step))
  if (step !== undefined && !inTransaction && database.engine === 'pglite') {
    // Release the lock before the step, which needs the engine's only connection. No other node uses the database.
    await withLock(database, () => Promise.resolve())
    return work()
  }
  if (step !== undefined && !inTransaction && database.pool.size < 2)
    throw poolTooSmallError(migration!)
  const lockTimeout = inTransaction ? database.lockTimeout : 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await withLock(database, work, lockTimeout)
    } catch (error) {
      if (!isLockTimeout(error) || attempt === maxAttempts) throw error
      const { file } = migration!
      database.logger.warn({ file, attempt }, 'a migration waits for a lock and is repeated')
      // A limit of the server applies if `lockTimeout` is 0.
      const pause = Math.min(Math.max(lockTimeout, 100) * 2 ** (attempt - 1), 5000)
      await setTimeout(pause * (0.5 + Math.random() / 2))
    }
  }
}

const poolTooSmallError = ({ path }: MigrationFile): FwError =>
  new FwError(
    'db.setting-invalid',
    `${showPath(path)} runs outside a transaction, while another connection holds the lock of migrations: set poolSize of the database to 2 or more.`,
  )

/**
 * Runs the work in a transaction that holds the lock of migrations, so that the lock works behind a pooler and after a crash. Creates the
 * table of migrations if it is missing. With a `lockTimeout` above 0, the statements of the work wait at most that many milliseconds for a
 * table lock, because other clients' statements queue behind them; with 0, the server's limit applies.
 */
function withLock<T>(database: Database, work: () => Promise<T>, lockTimeout = 0): Promise<T> {
  const locked = async (): Promise<T> => {
    const transaction = database.currentTransaction()!
    await transaction.script(`select pg_advisory_xact_lock(${lockKey})`)
    await transaction.script(tableSql)
    if (lockTimeout > 0) await transaction.script(`set local lock_timeout = ${lockTimeout}`)
    return work()
  }
  const options = { unlimited: true, isolation: 'read committed' } as const
  return outsideTransaction(() => database.transaction(locked, options))
}

async function readApplied(database: Database): Promise<AppliedMigration[]> {
  const sql = `select version, name, checksum, applied_at as "appliedAt" from ${table} order by version`
  return (await database.query<AppliedMigration>({ sql, parameters: [] })).rows
}

function checkUnchanged(files: Files, applied: Applied): void {
  const changed = files.find(({ version, checksum }) =>
    applied.some((one) => one.version === version && one.checksum !== checksum),
  )
  if (changed === undefined) return
  throw new FwError(
    'db.migration-changed',
    `The migration ${changed.file} was edited after it had been applied. Undo the edit, and write a new migration for the change.`,
  )
}

async function applyOnce(database: Database, migration: MigrationFile, files: Files) {
  const { version, name, checksum } = migration
  const applied = await readApplied(database)
  if (applied.some((one) => one.version === version)) return false
  checkSquashed(migration, applied)
  if (!migration.isBaseline || !(await hasTables(database)))
    await runMigration(database, migration, migration.up).catch((error: unknown) => {
      throw addMissing(error, applied, files)
    })
  const sql = `insert into ${table} (version, name, checksum) values ($1, $2, $3)`
  await record(database, migration, { sql, parameters: [version, name, checksum] })
  return true
}

/** Records the migration. @throws FwError `db.migration-invalid` if the migration has removed the table for it */
async function record(database: Database, { path }: MigrationFile, statement: Statement) {
  await database.query(statement).catch((cause: unknown) => {
    if (!(cause instanceof QueryError) || cause.sqlState !== undefinedTable) throw cause
    throw new FwError(
      'db.migration-invalid',
      `${showPath(path)} removed the table ${table}, in which Fw records the applied migrations. Remove the statement that does so, such as drop schema public.`,
      { cause },
    )
  })
}

/** Throws `db.migration-missing` if only some squashed migrations are applied: the others would never be applied. */
function checkSquashed({ file, version, squashes }: MigrationFile, applied: Applied): void {
  const before = new Set(applied.map((one) => one.version).filter((one) => one < version))
  const missing = squashes?.find((one) => !before.has(one))
  if (missing === undefined || before.size === 0) return
  throw new FwError(
    'db.migration-missing',
    `The baseline ${file} replaces the migration ${missing}, which this database lacks. Run fw db:migrate with the files from before fw db:squash, then again with these.`,
  )
}

const tablesSql = `select 1 from pg_class t_ join pg_namespace t_n on t_n.oid = t_.relnamespace
  where t_.relkind in ('r', 'p') and t_.relname <> '${table}' and ${isApplications} limit 1`

/** Whether the database has tables, apart from the table of migrations and the tables of extensions. */
async function hasTables(database: Database): Promise<boolean> {
  return (await database.query({ sql: tablesSql, parameters: [] })).rows.length > 0
}

const undefinedTable = '42P01'

/** The SQLSTATEs of errors about a table, column, type, index, schema or function that already exists. */
const duplicateStates: ReadonlySet<unknown> = new Set(['42P07', '42701', '42710', '42P06', '42723'])

/** Names the applied migrations without a file in the error, because a table that one of them created is often the cause. */
function addMissing(error: unknown, applied: Applied, files: Files): unknown {
  const versions = new Set(files.map(({ version }) => version))
  const missing = withoutSquashed(applied, files).filter(({ version }) => !versions.has(version))
  if (!(error instanceof FwError) || missing.length === 0) return error
  const { sqlState } = (error.cause ?? {}) as { sqlState?: unknown }
  if (!duplicateStates.has(sqlState)) return error
  error.message += `\n${missing.map(describeMissing).join('\n')}`
  return error
}

const describeMissing = ({ version, name }: AppliedMigration): string =>
  `The migration ${version} (${name}) is applied and its file is gone, so what it made is still there. Restore the file and ` +
  `run fw db:rollback; or undo its changes by hand and forget it: delete from ${table} where version = ${version}.`

/** Returns the migration that was applied last, which is not the newest one if an older one came late. */
const lastApplied = (applied: Applied): Applied[number] | undefined =>
  applied.reduce<Applied[number] | undefined>(
    (last, one) =>
      last !== undefined && Temporal.Instant.compare(last.appliedAt, one.appliedAt) > 0
        ? last
        : one,
    undefined,
  )

async function rollbackOnce(
  database: Database,
  version: number,
  files: ReadonlyMap<number, MigrationFile>,
): Promise<MigrationFile | undefined> {
  const last = lastApplied(await readApplied(database))
  // Another node has already rolled this migration back.
  if (last?.version !== version) return undefined
  const migration = files.get(version)
  if (!migration) throw new FwError('db.migration-missing', describeMissing(last))
  if (!migration.down) throw noWayBackError(migration)
  checkMigration(migration, database.engine)
  await runMigration(database, migration, migration.down)
  const sql = `delete from ${table} where version = $1`
  await record(database, migration, { sql, parameters: [version] })
  return migration
}

function noWayBackError({ path, isBaseline }: MigrationFile): FwError {
  const remedy = isBaseline
    ? 'it is a baseline, a file whose name begins with B. Write a new migration that reverses it.'
    : "it has no part '-- down'. If only this database has applied it, add a line '-- down' at its end, and below it the SQL that reverses it. Otherwise write a new migration that reverses it."
  const message = `${showPath(path)} cannot be rolled back, because ${remedy}`
  return new FwError('db.migration-invalid', message)
}
