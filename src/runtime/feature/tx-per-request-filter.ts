/** `transaction`: runs each request in one database transaction, so either all of its writes are stored or none. */
import {
  Registrations,
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
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
  readonly #ctx: WithAttempt

  constructor(ctx: FwContext) {
    this.#ctx = ctx
  }

  /** Makes the transaction roll back at the end of the request. The response does not change. */
  rollbackOnly(): void {
    this.#ctx[attemptOfRequest]?.transaction.rollbackOnly()
  }

  /**
   * Calls `work` after COMMIT is confirmed and before the response is sent; never after a rollback. An error of `work` is
   * logged. In a route without a transaction, `work` is called immediately.
   * @throws FwError `db.transaction-ended`
   */
  afterCommit(work: () => unknown): void {
    const attempt = this.#ctx[attemptOfRequest]
    if (attempt === undefined) work()
    else attempt.transaction.afterCommit(work)
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

interface Attempt {
  readonly transaction: Transaction
  /** The number of earlier runs of the same request. */
  readonly earlier: number
  mustRetry: boolean
}

type RouteOptions = RequestTransactionOptions & TransactionOptions

/** Adds when BEGIN is sent: with the first write, but with `retries` before the first read, to include all reads. */
const routeOptions = (options: RequestTransactionOptions): RouteOptions => ({
  ...options,
  beginsAtWrite: (options.retries ?? 0) === 0,
})

const defaultOptions = routeOptions({})

const attemptOfRequest: unique symbol = Symbol('transaction attempt')
const optionsOfRoute: unique symbol = Symbol('transaction')

type WithAttempt = FwContext & { [attemptOfRequest]?: Attempt | undefined }

function runInRequestTransaction(ctx: WithAttempt, next: () => unknown): unknown {
  const options = optionsOf(ctx)
  const last = ctx[attemptOfRequest]
  ctx[attemptOfRequest] = undefined
  if (options.enabled === false) return outsideTransaction(next)
  const earlier = last?.mustRetry === true ? last.earlier + 1 : 0
  // The transaction gets `ctx` instead of the request's signal, so that the signal is created only at the first query.
  const transaction = new Transaction(currentDatabase(), withReplicas(ctx, options, earlier), ctx)
  ctx[attemptOfRequest] = { transaction, earlier, mustRetry: false }
  return runInTransaction(transaction, next)
}

/** Lets a read-only route run on a replica, unless the browser has just written, or a first run on a replica has failed. */
function withReplicas(ctx: WithAttempt, options: RouteOptions, earlier: number): RouteOptions {
  const { replicas } = options.readOnly === true ? currentDatabase() : {}
  // PostgreSQL does not allow serializable transactions on a standby.
  if (replicas === undefined || options.isolation === 'serializable') return options
  if (earlier === 0 && ctx.services.recentWrites?.includes(ctx) !== true)
    return { ...options, replicas }
  replicas.skip(earlier === 0 ? 'written' : 'failed')
  return options
}

const optionsOf = (ctx: FwContext): RouteOptions =>
  ctx.plan?.settings.get(optionsOfRoute) ?? defaultOptions

/** The maximum number of times that a GET runs again after a schema change or a failure of a replica. */
const retriesOfGet = 2

/**
 * True if the request failed only because it ran on a replica: the replica stopped, or it cancelled a statement that conflicts
 * with replayed changes. The request can then run on the primary. Other errors with status 503, such as a slow statement, are
 * not retried: the primary must not get the load of its replicas.
 */
const failsOnReplica = (error: unknown, { transaction }: Attempt): boolean =>
  transaction.usesReplica && (error instanceof UnavailableError || isRetryable(error))

/** Returns true if the request should run again; after COMMIT, it must not, because its writes are stored. */
function shouldRetry(error: unknown, ctx: WithAttempt): boolean {
  const attempt = ctx[attemptOfRequest]
  if (attempt === undefined || attempt.transaction.committed) return false
  const failed = failsOnReplica(error, attempt)
  if (!isRetryable(error) && !failed) return false
  const { retries = 0 } = optionsOf(ctx)
  const { method, http } = ctx.request
  const repeatsGet = (method === 'GET' || method === 'HEAD') && (failed || isSchemaChange(error))
  if (attempt.earlier >= Math.max(retries, repeatsGet ? retriesOfGet : 0)) return false
  return (attempt.mustRetry = !http.aborted)
}

function commit(_controller: object, ctx: WithAttempt): Promise<void> | undefined {
  const transaction = ctx[attemptOfRequest]?.transaction
  if (transaction?.hasWritten === true) ctx.services.recentWrites?.add(ctx)
  return transaction === undefined || transaction.commitUnused() ? undefined : transaction.commit()
}

function rollBack(_controller: object, ctx: WithAttempt): Promise<void> | undefined {
  return ctx[attemptOfRequest]?.transaction.rollback()
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
        if (!Registrations.has(this, commit)) {
          own.around.push(runInRequestTransaction)
          own.retries.push(shouldRetry)
          own.add('commit', commit)
          own.rollbacks.push(rollBack)
        }
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
