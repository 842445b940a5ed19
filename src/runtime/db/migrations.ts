/** Migrations are applied and rolled back one by one, under one lock for all nodes. */
import { setTimeout } from 'node:timers/promises'
import { FwError, type Temporal } from '../base.ts'
import type { Database } from './database.ts'
import { MigrationError } from './migration-error.ts'
import {
  countLines,
  readMigrations,
  type MigrationFile,
  type MigrationStep,
} from './migration-files.ts'
import { isLockTimeout } from './query-error.ts'
import { splitStatements } from './split-statements.ts'
import { outsideTransaction, runInTransaction, Transaction } from './transaction.ts'

/** A migration that is applied or has a file. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** `changed`: edited after it was applied; `missing`: applied, and its file does not exist any more. */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing'
  readonly appliedAt: Temporal.Instant | undefined
}

interface AppliedMigration {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly appliedAt: Temporal.Instant
}

const table = 'fw_schema_migrations'
/** An arbitrary constant: 'fwmigr' in ASCII. */
const lockKey = 0x66776d696772

const tableSql = `create table if not exists ${table} (
  version bigint not null primary key,
  name varchar(512) not null,
  checksum varchar(64) not null,
  applied_at timestamptz not null default clock_timestamp()
)`

/**
 * Applies the pending migrations, oldest first, and returns them. When two nodes start together, each migration is applied
 * by one of them while the other waits.
 * @throws FwError `db.migration-changed` before any is applied; `db.migration-failed` with that migration undone, if it runs in
 * a transaction
 */
export async function migrate(database: Database, folder: string): Promise<MigrationFile[]> {
  const files = readMigrations(folder)
  if (files.length === 0) return []
  const done: MigrationFile[] = []
  await withLock(database, async () => checkUnchanged(files, await readApplied(database)))
  for (const migration of files) {
    const apply = () => applyOnce(database, migration, files)
    if (await runStep(database, migration, apply)) done.push(migration)
  }
  return done
}

/**
 * Rolls back the newest `steps` migrations and returns them.
 * @throws FwError `db.migration-missing`, `db.migration-invalid` for one without a way back, `db.migration-failed`
 */
export async function rollback(
  database: Database,
  folder: string,
  steps = 1,
): Promise<MigrationFile[]> {
  const files = filesByVersion(folder)
  const done: MigrationFile[] = []
  for (let step = 0; step < steps; step++) {
    const { version } = (await withLock(database, () => readApplied(database))).at(-1) ?? {}
    if (version === undefined) break
    const migration = files.get(version)
    const undo = () => rollbackOnce(database, version, files)
    const undone = await runStep(database, migration, undo)
    if (undone) done.push(undone)
  }
  return done
}

/** Every migration that is applied or has a file, in order of version. */
export async function migrationStatus(
  database: Database,
  folder: string,
): Promise<MigrationState[]> {
  const files = filesByVersion(folder)
  // Without the lock, which a running migration holds: the readiness check of other nodes must not wait for it.
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

/** The migrations that no baseline of `fw db:squash` replaces. */
function withoutSquashed(
  applied: readonly AppliedMigration[],
  files: Iterable<MigrationFile>,
): readonly AppliedMigration[] {
  const squash = [...files].find(({ squashes }) => squashes !== undefined)
  return squash === undefined ? applied : applied.filter(({ version }) => version >= squash.version)
}

const filesByVersion = (folder: string): Map<number, MigrationFile> =>
  new Map(readMigrations(folder).map((file) => [file.version, file]))

const maxAttempts = 20

/** Runs a step of a migration under the lock; repeats it while locks of tables are not available in time. */
async function runStep<T>(
  database: Database,
  migration: MigrationFile | undefined,
  step: () => Promise<T>,
): Promise<T> {
  if (migration?.inTransaction === false && database.engine === 'pglite') {
    // The only connection must be free. No other node uses the database.
    await withLock(database, () => Promise.resolve())
    return step()
  }
  const lockTimeout = migration?.inTransaction === true ? database.lockTimeout : 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await withLock(database, step, lockTimeout)
    } catch (error) {
      if (!isLockTimeout(error) || attempt === maxAttempts) throw error
      const { file } = migration!
      database.logger.warn({ file, attempt }, 'a migration waits for a lock and is repeated')
      const pause = Math.min(lockTimeout * 2 ** (attempt - 1), 5000) * (0.5 + Math.random() / 2)
      await setTimeout(pause)
    }
  }
}

/**
 * The lock ends with the transaction, so it works behind a pooler and after a crash. Statements wait at most `lockTimeout`
 * milliseconds for other locks: what they wait for, later statements of other clients wait for too.
 */
async function withLock<T>(
  database: Database,
  work: () => Promise<T>,
  lockTimeout = 0,
): Promise<T> {
  const transaction = new Transaction(database, { unlimited: true, isolation: 'read committed' })
  try {
    await transaction.script(`select pg_advisory_xact_lock(${lockKey})`)
    await transaction.script(tableSql)
    if (lockTimeout > 0) await transaction.script(`set local lock_timeout = ${lockTimeout}`)
    const result = await runInTransaction(transaction, work)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

async function readApplied(database: Database): Promise<AppliedMigration[]> {
  const sql = `select version, name, checksum, applied_at as "appliedAt" from ${table} order by version`
  return (await database.query<AppliedMigration>({ sql, parameters: [] })).rows
}

function checkUnchanged(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): void {
  const checksums = new Map(applied.map(({ version, checksum }) => [version, checksum]))
  const changed = files.find(
    ({ version, checksum }) => (checksums.get(version) ?? checksum) !== checksum,
  )
  if (changed === undefined) return
  throw new FwError(
    'db.migration-changed',
    `The migration ${changed.file} was edited after it had been applied. Undo the edit, and write a new migration for the change.`,
  )
}

async function applyOnce(
  database: Database,
  migration: MigrationFile,
  files: readonly MigrationFile[],
): Promise<boolean> {
  const { version, name, checksum } = migration
  const applied = await readApplied(database)
  if (applied.some((one) => one.version === version)) return false
  checkSquashed(migration, applied)
  if (!migration.isBaseline || !(await hasTables(database)))
    await run(database, migration, migration.up).catch((error: unknown) => {
      throw addMissing(error, applied, files)
    })
  const sql = `insert into ${table} (version, name, checksum) values ($1, $2, $3)`
  await database.query({ sql, parameters: [version, name, checksum] })
  return true
}

/**
 * A database with some of the squashed migrations would never get the others.
 * @throws FwError `db.migration-missing`
 */
function checkSquashed(
  { file, version, squashes }: MigrationFile,
  applied: readonly AppliedMigration[],
): void {
  const before = new Set(applied.map((one) => one.version).filter((one) => one < version))
  const missing = squashes?.find((one) => !before.has(one))
  if (missing === undefined || before.size === 0) return
  throw new FwError(
    'db.migration-missing',
    `The baseline ${file} replaces the migration ${missing}, which this database lacks. Run fw db:migrate with the files from before fw db:squash, then again with these.`,
  )
}

const tablesSql = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and c.relname <> '${table}' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
    and not exists (select 1 from pg_depend x where x.objid = c.oid and x.classid = 'pg_class'::regclass and x.deptype = 'e')
  limit 1`

/** Ignores the table of migrations and the tables of extensions. */
async function hasTables(database: Database): Promise<boolean> {
  return (await database.query({ sql: tablesSql, parameters: [] })).rows.length > 0
}

/** SQLSTATEs of a table, column, type, index or schema that already exists. */
const duplicateStates: ReadonlySet<unknown> = new Set(['42P07', '42701', '42710', '42P06', '42723'])

/** What a deleted migration has made is often the reason why a new one fails: the message names it. */
function addMissing(
  error: unknown,
  applied: readonly AppliedMigration[],
  files: readonly MigrationFile[],
): unknown {
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

async function rollbackOnce(
  database: Database,
  version: number,
  files: ReadonlyMap<number, MigrationFile>,
): Promise<MigrationFile | undefined> {
  const last = (await readApplied(database)).at(-1)
  // Another node has rolled it back.
  if (last?.version !== version) return undefined
  const migration = files.get(version)
  if (!migration) {
    throw new FwError('db.migration-missing', describeMissing(last))
  }
  if (!migration.down) throw noWayBackError(migration)
  await run(database, migration, migration.down)
  const sql = `delete from ${table} where version = $1`
  await database.query({ sql, parameters: [version] })
  return migration
}

function noWayBackError({ file }: MigrationFile): FwError {
  return new FwError(
    'db.migration-invalid',
    `The migration ${file} cannot be rolled back, because it does not contain the way back. Write the SQL for it below a line '-- down', or export a function 'down'.`,
  )
}

async function run(
  database: Database,
  migration: MigrationFile,
  step: MigrationStep,
): Promise<void> {
  const { file, inTransaction } = migration
  try {
    if (!inTransaction) return await outsideTransaction(() => runOutside(database, migration, step))
    await runInside(database, migration, step)
  } catch (cause) {
    if (cause instanceof FwError && cause.code === 'db.migration-invalid') throw cause
    if (cause instanceof MigrationError) throw cause
    throw new MigrationError(file, 'sql' in step ? step : undefined, cause)
  }
}

async function runInside(
  database: Database,
  migration: MigrationFile,
  step: MigrationStep,
): Promise<void> {
  const transaction = database.currentTransaction()!
  if ('sql' in step) await transaction.script(step.sql)
  else await runModule(database, migration, step)
  if (transaction.inTransaction) return
  throw new FwError(
    'db.migration-invalid',
    `The migration ${migration.file} ended the transaction that Fw runs it in. Remove BEGIN, COMMIT and ROLLBACK from it.`,
  )
}

/** The statements of a `.sql` file run one by one: the server refuses to run several in one text outside a transaction. */
async function runOutside(
  database: Database,
  migration: MigrationFile,
  step: MigrationStep,
): Promise<void> {
  if (!('sql' in step)) {
    return runModule(database, migration, step).catch((cause: unknown) => {
      throw new MigrationError(migration.file, undefined, cause, true)
    })
  }
  const connection = await database.pool.reserve()
  let end = 0
  try {
    await connection.setUnlimited(true)
    for (const sql of splitStatements(step.sql)) {
      const start = step.sql.indexOf(sql, end)
      const line = step.line + countLines(step.sql.slice(0, start)) - 1
      end = start + sql.length
      await connection.query({ sql, parameters: [] }).catch((cause: unknown) => {
        throw new MigrationError(migration.file, { ...step, sql, line }, cause, true)
      })
    }
  } finally {
    if (!connection.broken) await connection.setUnlimited(false).catch(() => connection.destroy())
    database.pool.release(connection)
  }
}

async function runModule(
  database: Database,
  migration: MigrationFile,
  step: Exclude<MigrationStep, { readonly sql: string }>,
): Promise<void> {
  const exports = (await import(step.module)) as Record<string, unknown>
  const work = exports[step.export]
  if (typeof work !== 'function') throw noWayBackError(migration)
  await (work as (database: Database) => unknown)(database)
}
