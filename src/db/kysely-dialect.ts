/** Kysely on our connections: a query built anywhere goes through the transaction it is run in. */
import {
  createQueryId,
  IdentifierNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  RawNode,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { FwError } from '../base.ts'
import type { Connection, Isolation } from './connection.ts'
import { logged } from './statement-log.ts'
import { Transaction } from './transaction.ts'
import type { Savepoint, TransactionHost } from './transaction-options.ts'

interface Host extends TransactionHost {
  transactionHere(): Transaction | undefined
}

export function ambientDialect(database: Host): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new AmbientDriver(database),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** What Kysely takes for a connection: the running transaction, or a connection reserved for it. */
class Lease implements DatabaseConnection {
  readonly executor: Transaction | Connection
  /** Kysely's own `transaction()` inside a running one. */
  savepoint: Savepoint | undefined

  constructor(executor: Transaction | Connection) {
    this.executor = executor
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const statement = { sql, parameters }
    const answer = this.executor.query<R>(statement)
    // A transaction logs what goes through it.
    const inside = this.executor instanceof Transaction
    const { rows, count, command } = await (inside ? answer : logged(statement, answer))
    return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(count) }
  }

  streamQuery(): never {
    throw new FwError('db.query-failed', 'A query cannot be streamed: read it in pages.')
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    if (this.executor instanceof Transaction) this.savepoint = await this.executor.savepoint()
    else {
      const isolation =
        isolationLevel === undefined ? {} : { isolation: isolationLevel as Isolation }
      await this.executor.begin({ ...isolation, readOnly: accessMode === 'read only' })
    }
  }

  async commit(): Promise<void> {
    if (this.savepoint) await this.savepoint.release()
    else if (
      !(this.executor instanceof Transaction) &&
      (await this.executor.commit()) === 'ROLLBACK'
    )
      throw new FwError(
        'db.commit-failed',
        'Nothing was committed: an earlier statement of the transaction had failed.',
      )
  }

  async rollback(): Promise<void> {
    if (this.savepoint) await this.savepoint.undo()
    else if (!(this.executor instanceof Transaction)) await this.executor.rollback()
  }
}

type Compile = Parameters<NonNullable<Driver['savepoint']>>[2]

class AmbientDriver implements Driver {
  readonly #database: Host

  constructor(database: Host) {
    this.#database = database
  }

  async init(): Promise<void> {}

  /** The database closes itself; Kysely's `destroy` leaves it open for the others that use it. */
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new Lease(this.#database.transactionHere() ?? (await this.#database.pool.reserve()))
  }

  async releaseConnection(lease: DatabaseConnection): Promise<void> {
    const { executor } = lease as Lease
    if (!(executor instanceof Transaction)) this.#database.pool.release(executor)
  }

  beginTransaction(lease: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return (lease as Lease).begin(settings)
  }

  commitTransaction(lease: DatabaseConnection): Promise<void> {
    return (lease as Lease).commit()
  }

  rollbackTransaction(lease: DatabaseConnection): Promise<void> {
    return (lease as Lease).rollback()
  }

  savepoint(lease: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return command(lease, 'savepoint', name, compile)
  }

  rollbackToSavepoint(lease: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return command(lease, 'rollback to', name, compile)
  }

  releaseSavepoint(lease: DatabaseConnection, name: string, compile: Compile): Promise<void> {
    return command(lease, 'release', name, compile)
  }
}

async function command(
  lease: DatabaseConnection,
  verb: string,
  name: string,
  compile: Compile,
): Promise<void> {
  const node = RawNode.create([`${verb} `, ''], [IdentifierNode.create(name)])
  await lease.executeQuery(compile(node, createQueryId()))
}
