/** Runs one step of a migration: SQL or a module, in the open transaction or outside of one. */
import { FwError } from '../base.ts'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { MigrationError } from './migration-error.ts'
import {
  showPath,
  type MigrationFile,
  type MigrationStep,
  type ModuleStep,
  type SqlStep,
} from './migration-files.ts'
import { QueryError } from './query-error.ts'
import { scriptParts } from './script-parts.ts'
import { outsideTransaction } from './transaction-scope.ts'

/** Whether the step runs in a transaction; a module with `export const transaction = false` does not. */
export async function runsInTransaction(step: MigrationStep): Promise<boolean> {
  if ('sql' in step) return step.inTransaction
  const exports = (await import(step.module)) as { readonly transaction?: unknown }
  return exports.transaction !== false
}

/**
 * Runs a step of the migration. A step in a transaction uses the one that is open.
 * @throws FwError `db.migration-invalid`, `db.migration-failed`
 */
export async function runMigration(
  database: Database,
  migration: MigrationFile,
  step: MigrationStep,
) {
  const inTransaction = await runsInTransaction(step)
  try {
    if (!inTransaction) return await outsideTransaction(() => runOutside(database, migration, step))
    await runInside(database, migration, step)
  } catch (cause) {
    if (cause instanceof FwError && cause.code === 'db.migration-invalid') throw cause
    if (cause instanceof MigrationError) throw cause
    const isKept = inTransaction
      ? cause instanceof QueryError && (await hasCommitted(database))
      : 'module' in step
    throw new MigrationError(migration, step, cause, { isKept })
  }
}

/** Whether a module that failed has ended its transaction before, by COMMIT. */
async function hasCommitted(database: Database): Promise<boolean> {
  const transaction = database.currentTransaction()!
  // An open transaction refuses each statement after a failure.
  const isAccepted = await transaction
    .script('select 1')
    .then(() => true)
    .catch(() => false)
  return isAccepted && !transaction.inTransaction
}

async function runInside(database: Database, migration: MigrationFile, step: MigrationStep) {
  const transaction = database.currentTransaction()!
  if ('sql' in step) await runScript(transaction, migration, step)
  else await runModule(database, migration, step)
  if (transaction.inTransaction) return transaction.resetSettings()
  const [record, command] =
    step === migration.down
      ? ['is still recorded as applied', './fw db:rollback']
      : ['is not recorded as applied', './fw db:migrate']
  throw new FwError(
    'db.migration-invalid',
    `${showPath(migration.path)} ended the transaction in which Fw runs each migration. The migration ${record}, but some of its changes may be in the database. Undo these changes by hand, remove BEGIN, COMMIT and ROLLBACK from the file, then run ${command}.`,
  )
}

async function runScript(
  runner: Pick<Connection, 'script'>,
  migration: MigrationFile,
  step: SqlStep,
  isKept = false,
): Promise<void> {
  for (const { sql, rows, start } of scriptParts(step.sql, step.inTransaction)) {
    await runner.script(sql, rows).catch((cause: unknown) => {
      throw new MigrationError(migration, step, cause, { start, isKept })
    })
  }
}

/** Runs the step without a transaction. SQL runs on a separate connection, which is closed after the step. */
async function runOutside(database: Database, migration: MigrationFile, step: MigrationStep) {
  if ('module' in step) return runModule(database, migration, step)
  const connection = await database.pool.reserve()
  try {
    await connection.setUnlimited?.()
    await runScript(connection, migration, step, true)
    if (connection.inTransaction) throw openTransactionError(step)
  } finally {
    await database.pool.discard(connection)
  }
}

const openTransactionError = ({ path }: SqlStep): FwError =>
  new FwError(
    'db.migration-invalid',
    `${showPath(path)} begins a transaction that it does not end, so PostgreSQL rolled it back. Add COMMIT, then run the command again.`,
  )

/** Calls the function of the module. @throws FwError `db.migration-invalid` if the module does not export it; and its errors */
async function runModule(database: Database, migration: MigrationFile, step: ModuleStep) {
  const exports = (await import(step.module)) as Record<string, unknown>
  const work = exports[step.export]
  if (typeof work !== 'function')
    throw new FwError(
      'db.migration-invalid',
      `${showPath(migration.path)} has no function '${step.export}': export one that ${step.export === 'up' ? 'applies' : 'reverses'} the migration.`,
    )
  await (work as (database: Database) => unknown)(database)
}
