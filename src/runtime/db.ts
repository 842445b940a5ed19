/** db: connections, transactions, migrations, and embedded PostgreSQL. */
export { addCallSite } from './db/call-site.ts'
export type { Statement, StatementResult, TransactionMode } from './db/connection.ts'
export {
  currentDatabase,
  Database,
  registeredDatabase,
  registeredDatabases,
  useDatabase,
} from './db/database.ts'
export { parseDatabaseUrl, withDatabaseName } from './db/database-url.ts'
export { dumpSchema } from './db/dump-schema.ts'
export { EmbeddedHost } from './db/embedded-host.ts'
export { shareDatabases, type RpcChannel } from './db/engine-socket.ts'
export { lockFolder, readFolderLock } from './db/folder-lock.ts'
export { isShared, openAhead, useEmbeddedHost } from './db/hosted-engine.ts'
export { isolateDatabase, type IsolatedDatabase } from './db/isolate-database.ts'
export { createKysely, loadKysely } from './db/kysely-dialect.ts'
export {
  checkSettingNames,
  controlStatement,
  noLocalSettings,
  runWithLocalSettings,
  withLocalSettings,
  withoutLocalSettings,
  type LocalSettings,
  type LocalSettingValue,
} from './db/local-settings.ts'
export {
  migrationFolder,
  migrationsChecksum,
  readMigrations,
  type MigrationFile,
} from './db/migration-files.ts'
export {
  migrate,
  migrateNonEmpty,
  migrationStatus,
  rollback,
  type MigrationState,
} from './db/migrations.ts'
export { MigrationError } from './db/migration-error.ts'
export { makeDataDir, openDatabase } from './db/open-database.ts'
export { engineVersion } from './db/pglite.ts'
export { createdExtensions } from './db/pglite-extensions.ts'
export { isPlainSelectBeforeLast } from './db/plain-select.ts'
export {
  isRetryable,
  isSchemaChange,
  isUniqueViolation,
  parseRefusal,
  QueryError,
  type Refusal,
  type RefusalReason,
} from './db/query-error.ts'
export {
  readOtherRelations,
  readSchema,
  readViews,
  type CheckSchema,
  type ColumnSchema,
  type ForeignKey,
  type OtherRelation,
  type TableSchema,
} from './db/read-schema.ts'
export { seed } from './db/seed.ts'
export {
  databaseSettings,
  databaseSettingsSchema,
  type DatabaseSettings,
  type PostgresSettings,
  type SettingsContext,
} from './db/settings.ts'
export { findUrlProblem } from './db/server-address.ts'
export { sqlTokens } from './db/sql-tokens.ts'
export { sqlChannel, type StatementEvent } from './db/statement-event.ts'
export {
  logStatements,
  onStatement,
  sentStatements,
  type SentStatement,
  withoutStatementLog,
} from './db/statement-log.ts'
export { UnavailableError } from './db/unavailable-error.ts'
export { currentTransaction, runInReplaceable, runInTransaction } from './db/current-transaction.ts'
export { Transaction } from './db/transaction.ts'
export { outsideReadOnly, outsideTransaction } from './db/transaction-scope.ts'
export type { TransactionOptions } from './db/transaction-options.ts'
export { encodeText, parseTextArray, UnreadValue } from './db/values.ts'
export { poolWaitChannel } from './db/pool.ts'
