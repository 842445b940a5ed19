/** `transaction`: runs each request in one database transaction, so either all of its writes are stored or none. */
import {
  registrationsOf,
  slot,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
  type UnitOfWork,
  type UnitOfWorkFactory,
} from '../action.ts'
import {
  currentDatabase,
  isRetryable,
  isSchemaChange,
  outsideTransaction,
  runInTransaction,
  Transaction,
  UnavailableError,
  type TransactionMode,
  type TransactionOptions,
} from '../db.ts'

/** The transaction of a request: `this.transaction` in a controller. */
export class RequestTransaction {
  readonly #ctx: FwContext

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /** Makes the transaction roll back at the end of the request. The response does not change. */
  rollbackOnly(): void {
    unitOfRequest.get(this.#ctx)?.transaction.rollbackOnly()
  }

  /**
   * Calls `work` after COMMIT is confirmed and before the response is sent; never after a rollback. An error of `work` is
   * logged. In a route without a transaction, `work` is called immediately.
   * @throws FwError `db.transaction-ended`
   */
  afterCommit(work: () => unknown): void {
    const unit = unitOfRequest.get(this.#ctx)
    if (unit === undefined) work()
    else unit.transaction.afterCommit(work)
  }
}

export interface HasTransaction {
  readonly transaction: RequestTransaction
}

/** Options for the routes in `only`, or not in `except`. Of several traits that apply to a route, the last wins. */
export interface RequestTransactionOptions
  extends FilterOptions, Pick<TransactionMode, 'isolation' | 'readOnly'> {
  /** False runs the routes without a transaction; true by default. */
  readonly enabled?: boolean
  /**
   * The maximum number of times that the request runs again, from its first filter, after a serialization failure, a deadlock
   * or a schema change. 0 by default. Set it only for routes whose side effects are all in this database.
   */
  readonly retries?: number
}

type RouteOptions = RequestTransactionOptions & TransactionOptions

/** Adds when BEGIN is sent: with the first write, but with `retries` before the first read, to include all reads. */
const routeOptions = (options: RequestTransactionOptions): RouteOptions => ({
  ...options,
  beginsAtWrite: (options.retries ?? 0) === 0,
})

const defaultOptions = routeOptions({})

const optionsOfRoute: unique symbol = Symbol('transaction')

const optionsOf = (ctx: FwContext): RouteOptions =>
  ctx.plan?.settings.get(optionsOfRoute) ?? defaultOptions

/** The maximum number of times that a GET runs again after a schema change or a failure of a replica. */
const retriesOfGet = 2

/** The transaction of one attempt of a request. */
class TransactionUnit implements UnitOfWork {
  readonly transaction: Transaction
  readonly #ctx: FwContext
  readonly #options: RouteOptions
  /** The number of earlier attempts of the same request. */
  readonly #earlier: number

  constructor(ctx: FwContext, options: RouteOptions, failed: UnitOfWork | undefined) {
    this.#ctx = ctx
    this.#options = options
    this.#earlier = failed instanceof TransactionUnit ? failed.#earlier + 1 : 0
    const mode = withReplicas(ctx, options, this.#earlier)
    // The transaction gets `ctx` instead of the request's signal, so that the signal is created only at the first query.
    this.transaction = new Transaction(currentDatabase(), mode, ctx)
  }

  run<T>(work: () => T): T {
    return runInTransaction(this.transaction, work)
  }

  beginEnd(): void {
    this.transaction.isEnding = true
  }

  commit(): Promise<void> | undefined {
    const { transaction } = this
    if (transaction.hasWritten) this.#ctx.services.recentWrites?.add(this.#ctx)
    return transaction.commitUnused() ? undefined : transaction.commit()
  }

  rollback(): Promise<void> | undefined {
    return this.transaction.committed ? undefined : this.transaction.rollback()
  }

  /** After COMMIT the request must not run again, because its writes are stored. */
  mayRetry(error: unknown): boolean {
    if (this.transaction.committed) return false
    const failed = this.#failsOnReplica(error)
    if (!isRetryable(error) && !failed) return false
    const { retries = 0 } = this.#options
    const { method, http } = this.#ctx.request
    const repeatsGet = (method === 'GET' || method === 'HEAD') && (failed || isSchemaChange(error))
    return this.#earlier < Math.max(retries, repeatsGet ? retriesOfGet : 0) && !http.aborted
  }

  /**
   * True if the request failed only because it ran on a replica: the replica stopped, or it cancelled a statement that
   * conflicts with replayed changes. The request can then run on the primary. Other errors with status 503, such as a slow
   * statement, are not retried: the primary must not get the load of its replicas.
   */
  #failsOnReplica(error: unknown): boolean {
    const { usesReplica } = this.transaction
    return usesReplica && (error instanceof UnavailableError || isRetryable(error))
  }
}

/** The unit of a route with `enabled: false`. */
const noTransaction: UnitOfWork = {
  run: outsideTransaction,
  beginEnd: () => undefined,
  commit: () => undefined,
  rollback: () => undefined,
  mayRetry: () => false,
}

const unitOfRequest = slot<TransactionUnit>('attempt')

const beginTransaction: UnitOfWorkFactory = (ctx, failed) => {
  const options = optionsOf(ctx)
  if (options.enabled === false) return noTransaction
  const unit = new TransactionUnit(ctx, options, failed)
  unitOfRequest.set(ctx, unit)
  return unit
}

/** Lets a read-only route run on a replica, unless the browser has just written, or a first run on a replica has failed. */
function withReplicas(ctx: FwContext, options: RouteOptions, earlier: number): RouteOptions {
  const { replicas } = options.readOnly === true ? currentDatabase() : {}
  // PostgreSQL does not allow serializable transactions on a standby.
  if (replicas === undefined || options.isolation === 'serializable') return options
  if (earlier === 0 && ctx.services.recentWrites?.includes(ctx) !== true)
    return { ...options, replicas }
  replicas.skip(earlier === 0 ? 'written' : 'failed')
  return options
}

/**
 * Runs each request in a transaction of its own database connection, which models and sessions in the database use. BEGIN is
 * sent with the first statement that may write or lock. COMMIT is confirmed before the first byte of the response is sent.
 * A fault, a status of 500 or more, or a disconnected client rolls back; after a fault, the rollback comes before the error
 * filters. Halts below 500, redirects and failed validations commit.
 *
 *     mix(ApplicationController, transaction({ only: ['transfer'], isolation: 'serializable', retries: 3 }))
 *
 * @spec Filters › 7
 */
export function transaction(options?: RequestTransactionOptions) {
  return <B extends ControllerClass>(Base: B): B & Ctor<HasTransaction> => {
    abstract class TxPerRequestFilter extends Base implements HasTransaction {
      static {
        const own = registrationsOf(this)
        own.beginUnit = beginTransaction
        if (options !== undefined) own.configure(optionsOfRoute, options, routeOptions(options))
      }

      get transaction(): RequestTransaction {
        return new RequestTransaction(this.ctx)
      }
    }
    return TxPerRequestFilter
  }
}

/** The same as `transaction()`, under the specification's name. @spec Filters › 7 */
export const TxPerRequestFilter: <B extends ControllerClass>(Base: B) => B & Ctor<HasTransaction> =
  transaction()
