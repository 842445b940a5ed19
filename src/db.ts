/** The public interface `fwjs/db`: databases, transactions and migrations, usable outside a request. */
export {
  currentDatabase,
  Database,
  dumpSchema,
  isRetryable,
  isUniqueViolation,
  migrate,
  migrationStatus,
  openDatabase,
  outsideTransaction,
  QueryError,
  readSchema,
  rollback,
  seed,
  Transaction,
  useDatabase,
  withLocalSettings,
} from './runtime/db.ts'
export type { DatabaseSettings, TableSchema, TransactionOptions } from './runtime/db.ts'
