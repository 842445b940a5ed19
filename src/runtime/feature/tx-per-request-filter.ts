/** One transaction for each request: all of its writes are kept, or none. */
import {
  inheritedRegistrations,
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

  /** Rolls the transaction back at the end of the request; the response stays. */
  rollbackOnly(): void {
    this.#ctx[attemptOfRequest]?.transaction.rollbackOnly()
  }

  /**
   * Runs `work` once COMMIT is confirmed, before the response is sent; never after a rollback. An error of `work` is
   * logged. In a route without a transaction it runs at once.
   * @throws FwError `db.transaction-ended`
   */
  afterCommit(work: () => unknown): void {
    const attempt = this.#ctx[attemptOfRequest]
    if (attempt === undefined) work()
    else attempt.transaction.afterCommit(work)
  }
}

/** The member that `transaction` adds. */
export interface HasTransaction {
  readonly transaction: RequestTransaction
}

/**
 * Options of `transaction`. They apply to the routes of `only`, or to all except the routes of `except`. The last trait
 * that applies wins.
 */
export interface RequestTransactionOptions
  extends FilterOptions, Pick<TransactionMode, 'isolation' | 'readOnly'> {
  /** False: the routes run without a transaction. Default true. */
  readonly enabled?: boolean
  /**
   * How often the request runs again, from its first filter, after a serialization failure, a deadlock or a schema
   * change; 0 unless given. For routes whose only side effects are in this database.
   */
  readonly retries?: number
}

/** One run of a request, which may have several. */
interface Attempt {
  readonly transaction: Transaction
  /** Runs before this one. */
  readonly earlier: number
  mustRetry: boolean
}

type RouteOptions = RequestTransactionOptions & TransactionOptions

/** With `retries` BEGIN is sent with the first query: rows that were read before a conflict are read again. */
const routeOptions = (options: RequestTransactionOptions): RouteOptions => ({
  ...options,
  beginsAtWrite: (options.retries ?? 0) === 0,
})

const usualOptions = routeOptions({})

const attemptOfRequest: unique symbol = Symbol('transaction attempt')
const optionsOfRoute: unique symbol = Symbol('transaction')

type WithAttempt = FwContext & { [attemptOfRequest]?: Attempt | undefined }

function runInRequestTransaction(ctx: WithAttempt, next: () => unknown): unknown {
  const options = optionsOf(ctx)
  const last = ctx[attemptOfRequest]
  ctx[attemptOfRequest] = undefined
  if (options.enabled === false) return outsideTransaction(next)
  const earlier = last?.mustRetry === true ? last.earlier + 1 : 0
  // The first query creates the request's signal.
  const transaction = new Transaction(currentDatabase(), withReplicas(ctx, options, earlier), ctx)
  ctx[attemptOfRequest] = { transaction, earlier, mustRetry: false }
  return runInTransaction(transaction, next)
}

/** A read-only route runs on a replica, unless its browser has just written, or its first run on a replica failed. */
function withReplicas(ctx: WithAttempt, options: RouteOptions, earlier: number): RouteOptions {
  const { replicas } = options.readOnly === true ? currentDatabase() : {}
  // A standby refuses serializable transactions.
  if (replicas === undefined || options.isolation === 'serializable') return options
  if (earlier === 0 && ctx.services.recentWrites?.includes(ctx) !== true)
    return { ...options, replicas }
  replicas.skip(earlier === 0 ? 'written' : 'failed')
  return options
}

const optionsOf = (ctx: FwContext): RouteOptions =>
  ctx.plan?.settings.get(optionsOfRoute) ?? usualOptions

/** How often a GET runs again after schema changes: clients, too, may repeat it. */
const retriesOfGet = 2

/**
 * A replica stops, or cancels a statement that conflicts with the changes that it replays: the primary can run it. Other
 * errors with status 503, such as a slow statement, are not repeated: the primary must not get the load of its replicas.
 */
const failsOnReplica = (error: unknown, { transaction }: Attempt): boolean =>
  transaction.usesReplica && (error instanceof UnavailableError || isRetryable(error))

const mayRepeatGet = (error: unknown, attempt: Attempt): boolean =>
  isSchemaChange(error) || failsOnReplica(error, attempt)

/** After COMMIT the writes are kept, so an error must not run the request again. */
function shouldRetry(error: unknown, ctx: WithAttempt): boolean {
  const attempt = ctx[attemptOfRequest]
  if (attempt === undefined || attempt.transaction.committed) return false
  if (!isRetryable(error) && !failsOnReplica(error, attempt)) return false
  const { retries = 0 } = optionsOf(ctx)
  const { method, http } = ctx.request
  const repeatsGet = (method === 'GET' || method === 'HEAD') && mayRepeatGet(error, attempt)
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
 * BEGIN is sent with the first statement that may write or lock, and COMMIT is confirmed before the first byte of the
 * response is sent. A fault, a status of 500 and above, or a client that has gone rolls back, before any error filter
 * runs. Halts below 500, redirects and failed validations commit. From BEGIN on, models and sessions in the database use
 * the request's own connection.
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
        const inherited = inheritedRegistrations(this)
        if (!inherited.some(({ around }) => around.includes(runInRequestTransaction))) {
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

/** `transaction()` under the specification's name. @spec Filters › 7 */
export const TxPerRequestFilter: <B extends ControllerClass>(Base: B) => B & Ctor<HasTransaction> =
  transaction()
