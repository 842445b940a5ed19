/** db: connections, the request's transaction, migrations, embedded Postgres. */
export { Database, type AnyTables, type EngineName } from './db/database.ts'
export { folderHolder, type FolderHolder } from './db/folder-lock.ts'
export { makeDataDir, openDatabase } from './db/open-database.ts'
export { engineVersion } from './db/new-cluster.ts'
export {
  databaseSchema,
  databaseSettings,
  type DatabaseSettings,
  type PgliteSettings,
  type PostgresSettings,
  type SettingsContext,
} from './db/settings.ts'
export { EmbeddedHost } from './db/embedded-host.ts'
export type { EngineChannel } from './db/engine-channel.ts'
export { useEmbeddedHost } from './db/hosted-engine.ts'
export type { SlowQueryLog } from './db/slow-report.ts'
export type { Isolation, Statement, StatementResult, TransactionMode } from './db/connection.ts'
export type { PoolState } from './db/pool.ts'
export { Transaction } from './db/transaction.ts'
export type { Abortable, Savepoint, TransactionOptions } from './db/transaction-options.ts'
export { currentDatabase, currentTransaction, useDatabase, usedDatabase } from './db/current.ts'
export { outsideTransaction, runInTransaction, runWithDatabase } from './db/scope.ts'
export { logStatements, sentStatements, type SentStatement } from './db/statement-log.ts'
export { QueryError, isRetryable, isUniqueViolation } from './db/query-error.ts'
export { refusalOf, type Refusal, type RefusalReason } from './db/refusal.ts'
export { dumpSchema, type DumpOptions } from './db/dump-schema.ts'
export { readOtherRelations, type OtherRelation } from './db/read-relations.ts'
export {
  readSchema,
  type CheckSchema,
  type ColumnSchema,
  type ForeignKey,
  type TableSchema,
} from './db/read-schema.ts'
export { seed } from './db/seed.ts'
export { migrate, migrationStatus, rollback, type MigrationState } from './db/migrate.ts'
export {
  migrationsChecksum,
  readMigrations,
  type MigrationFile,
  type MigrationStep,
} from './db/migration-file.ts'
export { isolateDatabase, type IsolatedDatabase } from './db/isolated.ts'
