/** One transaction around each request: all of what it wrote is kept, or nothing. */
import {
  inheritedRegistrations,
  registrationsOf,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
  type Plan,
  type Step,
} from '../action.ts'
import {
  currentDatabase,
  isRetryable,
  outsideTransaction,
  runInTransaction,
  Transaction,
  type TransactionMode,
} from '../db.ts'

/** What `TxPerRequestFilter` adds. */
export interface HasTransaction {
  /** What the request has written will not be kept; the response stays as it is. */
  rollbackTxPerRequest(): void
  /**
   * Runs `work` once COMMIT is confirmed, before the response leaves; never when the request is rolled back. What it
   * throws is logged. In a route without a transaction it runs at once.
   * @throws FwError `db.transaction-ended`
   */
  afterCommit(work: () => unknown): void
}

/** How a route's transaction is to be. */
export interface RequestTransaction extends Pick<TransactionMode, 'isolation' | 'readOnly'> {
  /**
   * How often the route is run again, from its first filter, when another transaction got in its way (a serialisation
   * failure, a deadlock); none when absent. For routes that change nothing but this database.
   */
  readonly retries?: number
}

const transactions = new WeakMap<FwContext, Transaction>()
/** Steps that do nothing: where a plan has one, its route was chosen, and the names are checked as those of filters are. */
const marks = new WeakMap<Step, RequestTransaction | 'none'>()
const modes = new WeakMap<Plan, RequestTransaction | 'none'>()
const usual: RequestTransaction = {}

/**
 * For the chosen routes of a controller with `TxPerRequestFilter`; the last one that names a route decides:
 *
 *     static { requestTransaction(this, { only: ['transfer'] }, { isolation: 'serializable', retries: 3 }) }
 *     static { requestTransaction(this, { only: ['ping'] }, 'none') }
 */
export function requestTransaction(
  controllerClass: object,
  routes: FilterOptions,
  transaction: RequestTransaction | 'none',
): void {
  const mark: Step = () => undefined
  marks.set(mark, transaction)
  registrationsOf(controllerClass).add('guard', mark, routes)
}

function modeOf(plan: Plan): RequestTransaction | 'none' {
  const known = modes.get(plan)
  if (known !== undefined) return known
  const mark = plan.steps.findLast((step) => marks.has(step))
  const mode = (mark && marks.get(mark)) ?? usual
  modes.set(plan, mode)
  return mode
}

function around(ctx: FwContext, next: () => unknown): unknown {
  const mode = modeOf(ctx.plan!)
  transactions.delete(ctx)
  if (mode === 'none') return outsideTransaction(next)
  return mode.retries === undefined ? begin(ctx, mode, next) : repeat(ctx, mode, mode.retries, next)
}

/** `BEGIN` goes with the first query, and the request's signal is made then. */
function begin(ctx: FwContext, mode: RequestTransaction, next: () => unknown): unknown {
  const transaction = new Transaction(currentDatabase(), mode, ctx)
  transactions.set(ctx, transaction)
  return runInTransaction(transaction, next)
}

async function repeat(
  ctx: FwContext,
  mode: RequestTransaction,
  retries: number,
  next: () => unknown,
): Promise<unknown> {
  for (let left = retries; ; left -= 1) {
    let again = false
    ctx.runsAgain = (error) => (again = left > 0 && isRetryable(error) && !ctx.request.http.aborted)
    const answered = await begin(ctx, mode, next)
    ctx.runsAgain = undefined
    if (!again) return answered
    ctx.restart()
  }
}

function commit(_controller: unknown, ctx: FwContext): Promise<void> | undefined {
  const committing = transactions.get(ctx)?.commit()
  if (ctx.runsAgain === undefined) return committing
  // What fails from here on has been kept already.
  return committing?.then(() => (ctx.runsAgain = undefined))
}

/**
 * `COMMIT` is confirmed before the first byte of the response leaves. A fault, an answer of 500 and above, or a request
 * that nobody waits for any more rolls back, before any error filter runs. Halts below 500, redirects and failed
 * validations commit. Models and sessions in the database use the request's own connection.
 * @spec Filters › 7
 */
export const TxPerRequestFilter = <B extends ControllerClass>(
  Base: B,
): B & Ctor<HasTransaction> => {
  abstract class TxPerRequestFilter extends Base implements HasTransaction {
    static {
      // Once, where a subclass of a controller that has it mixes it in again.
      if (!inheritedRegistrations(this).some((one) => one.around.includes(around))) {
        const own = registrationsOf(this)
        own.around.push(around)
        own.add('commit', commit)
        own.rollbacks.push((_controller, ctx: FwContext) => transactions.get(ctx)?.rollback())
      }
    }

    rollbackTxPerRequest(): void {
      transactions.get(this.ctx)?.rollbackOnly()
    }

    afterCommit(work: () => unknown): void {
      const transaction = transactions.get(this.ctx)
      if (transaction === undefined) work()
      else transaction.afterCommit(work)
    }
  }
  return TxPerRequestFilter
}
