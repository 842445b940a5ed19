/** Connects Kysely to a database's pool. A query runs in the transaction that is current at its execution. */
import { createRequire } from 'node:module'
import type {
  CompiledQuery,
  DatabaseConnection,
  Driver,
  Kysely,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import { FwError, moduleFile } from '../base.ts'
import { addCallSite } from './call-site.ts'
import type { Connection, Isolation } from './connection.ts'
import { controlStatement } from './local-settings.ts'
import type * as KyselyParts from './kysely-parts.ts'
import { isPlainSelect } from './plain-select.ts'
import { commitFailedError } from './query-error.ts'
import { sendStatement } from './statement-event.ts'
import type { Savepoint } from './transaction-scope.ts'
import { Transaction } from './transaction.ts'
import type { TransactionHost } from './transaction-options.ts'

interface Host extends TransactionHost {
  readonly commentsStatements: boolean
  currentTransaction(): Transaction | undefined
}

const kyselyFile = moduleFile('runtime/db/kysely-parts')
let loaded: typeof KyselyParts | undefined

/** Loads Kysely on first use, because few requests need it. */
export function loadKysely(): typeof KyselyParts {
  return (loaded ??= createRequire(import.meta.url)(kyselyFile) as typeof KyselyParts)
}

/** Creates Kysely's query builder. Without a database it can compile queries but not run them. */
export function createKysely<Tables>(database?: Host): Kysely<Tables> {
  const { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } =
    loadKysely()
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => (database ? poolDriver(database) : new DummyDriver()),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

/** Kysely's connection: the current transaction, or a connection reserved from the pool. */
class Lease implements DatabaseConnection {
  readonly executor: Transaction | Connection
  readonly #host: Host
  /** The savepoint that Kysely's `transaction()` has set, if called inside a transaction. */
  #savepoint: Savepoint | undefined

  constructor(executor: Transaction | Connection, host: Host) {
    this.executor = executor
    this.#host = host
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const { executor } = this
    const mayWait = executor instanceof Transaction && !executor.begun
    const statement = { sql, parameters, isRead: mayWait && isPlainSelect(query) }
    try {
      const { rows, count, command } = await sendStatement<R>(executor, statement, this.#host)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(count) }
    } catch (error) {
      throw addCallSite(error)
    }
  }

  streamQuery(): never {
    throw new FwError('db.query-failed', 'A query cannot be streamed: read it in pages.')
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    if (this.executor instanceof Transaction) this.#savepoint = await this.executor.savepoint()
    else {
      const isolation = isolationLevel && { isolation: isolationLevel as Isolation }
      await this.executor.begin({ ...isolation, readOnly: accessMode === 'read only' })
    }
  }

  async commit(): Promise<void> {
    if (this.executor instanceof Transaction) return this.#savepoint?.release()
    if ((await this.executor.commit()) !== 'ROLLBACK') return
    throw commitFailedError(new Error('an earlier statement of the transaction had failed'))
  }

  async rollback(): Promise<void> {
    if (this.executor instanceof Transaction) await this.#savepoint?.undo()
    else await this.executor.rollback()
  }

  async runSavepoint(command: string, name: string): Promise<void> {
    const sql = `${command} "${name.replaceAll('"', '""')}"`
    await this.executor.query(controlStatement(sql))
  }
}

/** Kysely's driver. Kysely's `destroy` does not close the pool, because the database still uses it. */
function poolDriver(database: Host): Driver {
  return {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: async () =>
      new Lease(database.currentTransaction() ?? (await database.pool.reserve()), database),
    releaseConnection: async ({ executor }: Lease) => {
      if (!(executor instanceof Transaction)) database.pool.release(executor)
    },
    beginTransaction: (lease: Lease, settings) => lease.begin(settings),
    commitTransaction: (lease: Lease) => lease.commit(),
    rollbackTransaction: (lease: Lease) => lease.rollback(),
    savepoint: (lease: Lease, name) => lease.runSavepoint('savepoint', name),
    rollbackToSavepoint: (lease: Lease, name) => lease.runSavepoint('rollback to', name),
    releaseSavepoint: (lease: Lease, name) => lease.runSavepoint('release', name),
  }
}
