/** Migrations forward and back: each in a transaction of its own, under one lock for all nodes. */
import { FwError, type Temporal } from '../base.ts'
import type { Database } from './database.ts'
import { runInTransaction } from './scope.ts'
import {
  loadStep,
  type MigrationFile,
  type MigrationStep,
  readMigrations,
} from './migration-file.ts'
import { Transaction } from './transaction.ts'

/** One migration as the database and the folder know it. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** `changed`: edited after it was applied; `missing`: applied, and its file is gone. */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing'
  readonly appliedAt: Temporal.Instant | undefined
}

interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly appliedAt: Temporal.Instant
}

const table = 'fw_schema_migrations'
/** Any number that is always the same: 'fwmigrat' in ASCII would not fit the safe range, so its first six letters. */
const lockKey = 0x66776d696772

const schema = `create table if not exists ${table} (
  version bigint not null primary key,
  name varchar(512) not null,
  checksum varchar(64) not null,
  applied_at timestamptz not null default clock_timestamp()
)`

/**
 * Applies what is pending, oldest first, and gives what it applied. Of two nodes that start together each migration is
 * applied by one; the other waits.
 * @throws FwError `db.migration-changed` before anything is applied; `db.migration-failed` with nothing of that one kept
 */
export async function migrate(database: Database, folder: string): Promise<MigrationFile[]> {
  const files = readMigrations(folder)
  if (files.length === 0) return []
  const done: MigrationFile[] = []
  await locked(database, async () => checkChanged(files, await readApplied(database)))
  for (const migration of files) {
    const applied = await locked(database, () => applyOnce(database, migration))
    if (applied) done.push(migration)
  }
  return done
}

/**
 * Takes back the newest `steps` applied migrations and gives them.
 * @throws FwError `db.migration-missing`, `db.migration-invalid` where one has no way back, `db.migration-failed`
 */
export async function rollback(
  database: Database,
  folder: string,
  steps = 1,
): Promise<MigrationFile[]> {
  const files = new Map(readMigrations(folder).map((file) => [file.version, file]))
  const done: MigrationFile[] = []
  for (let step = 0; step < steps; step++) {
    const migration = await locked(database, async () =>
      takeBack(database, files, await readApplied(database)),
    )
    if (!migration) break
    done.push(migration)
  }
  return done
}

/** Every migration that is applied or has a file, in order of version. */
export async function migrationStatus(
  database: Database,
  folder: string,
): Promise<MigrationState[]> {
  const files = new Map(readMigrations(folder).map((file) => [file.version, file]))
  const states: MigrationState[] = []
  for (const { version, name, checksum, appliedAt } of await locked(database, () =>
    readApplied(database),
  )) {
    const file = files.get(version)
    files.delete(version)
    const state = !file ? 'missing' : file.checksum === checksum ? 'applied' : 'changed'
    states.push({ version, name, state, appliedAt })
  }
  for (const { version, name } of files.values())
    states.push({ version, name, state: 'pending', appliedAt: undefined })
  return states.sort((a, b) => a.version - b.version)
}

/** The lock ends with the transaction, so it works behind a pooler and after a crash. */
async function locked<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const transaction = new Transaction(database, { unlimited: true })
  try {
    await transaction.script(`select pg_advisory_xact_lock(${lockKey})`)
    await transaction.script(schema)
    const result = await runInTransaction(transaction, work)
    await transaction.commit()
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

async function readApplied(database: Database): Promise<Applied[]> {
  const sql = `select version, name, checksum, applied_at as "appliedAt" from ${table} order by version`
  return (await database.query<Applied>({ sql, parameters: [] })).rows
}

function checkChanged(files: readonly MigrationFile[], applied: readonly Applied[]): void {
  const checksums = new Map(applied.map(({ version, checksum }) => [version, checksum]))
  for (const { version, file, checksum } of files) {
    const before = checksums.get(version)
    if (before === undefined || before === checksum) continue
    throw new FwError(
      'db.migration-changed',
      `The migration ${file} was edited after it had been applied. Undo the edit, and write a new migration for the change.`,
    )
  }
}

async function applyOnce(database: Database, migration: MigrationFile): Promise<boolean> {
  const { version, name, checksum } = migration
  const known = await database.query({
    sql: `select 1 from ${table} where version = $1`,
    parameters: [version],
  })
  if (known.rows.length > 0) return false
  if (!migration.isBaseline || !(await hasTables(database)))
    await run(database, migration, migration.up)
  const sql = `insert into ${table} (version, name, checksum) values ($1, $2, $3)`
  await database.query({ sql, parameters: [version, name, checksum] })
  return true
}

const ownTables = `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and c.relname <> '${table}' and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'
    and not exists (select 1 from pg_depend x where x.objid = c.oid and x.classid = 'pg_class'::regclass and x.deptype = 'e')
  limit 1`

/** Any but that of the migrations, and those of extensions. */
async function hasTables(database: Database): Promise<boolean> {
  return (await database.query({ sql: ownTables, parameters: [] })).rows.length > 0
}

async function takeBack(
  database: Database,
  files: ReadonlyMap<number, MigrationFile>,
  applied: readonly Applied[],
): Promise<MigrationFile | undefined> {
  const last = applied.at(-1)
  if (!last) return undefined
  const migration = files.get(last.version)
  if (!migration) {
    throw new FwError(
      'db.migration-missing',
      `The migration ${last.version} (${last.name}) is applied and its file is gone.`,
    )
  }
  if (!migration.down) throw noWayBack(migration)
  await run(database, migration, migration.down)
  await database.query({
    sql: `delete from ${table} where version = $1`,
    parameters: [last.version],
  })
  return migration
}

function noWayBack({ file }: MigrationFile): FwError {
  return new FwError(
    'db.migration-invalid',
    `The migration ${file} does not say how to go back: write the SQL below a line '-- down', or export 'down'.`,
  )
}

async function run(
  database: Database,
  migration: MigrationFile,
  step: MigrationStep,
): Promise<void> {
  const transaction = database.transactionHere()!
  try {
    if ('sql' in step) await transaction.script(step.sql)
    else {
      const work = await loadStep(step)
      if (!work) throw noWayBack(migration)
      await work(database)
    }
  } catch (error) {
    if (error instanceof FwError && error.code === 'db.migration-invalid') throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new FwError(
      'db.migration-failed',
      `The migration ${migration.file} failed, and nothing of it was kept: ${reason}`,
      {
        cause: error,
      },
    )
  }
  if (await transaction.use(async (connection) => connection.inTransaction)) return
  throw new FwError(
    'db.migration-invalid',
    `The migration ${migration.file} ends its transaction: leave BEGIN and COMMIT to Fw.`,
  )
}
