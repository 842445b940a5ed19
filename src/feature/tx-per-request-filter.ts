/** One transaction around each request: all of what it wrote is kept, or nothing. */
import { registrationsOf, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { currentDatabase, runInTransaction, Transaction } from '../db.ts'

/** What `TxPerRequestFilter` adds. */
export interface HasTransaction {
  /** What the request has written will not be kept; the response stays as it is. */
  rollbackTxPerRequest(): void
}

const transactions = new WeakMap<FwContext, Transaction>()

function begin(ctx: FwContext, next: () => unknown): unknown {
  const transaction = new Transaction(currentDatabase())
  transactions.set(ctx, transaction)
  return runInTransaction(transaction, next)
}

/**
 * `BEGIN` goes with the request's first query; `COMMIT` is confirmed before the first byte of the response leaves.
 * A fault, or an answer of 500 and above, rolls back before any error filter runs. Halts below 500, redirects and
 * failed validations commit.
 * @spec Filters › 7
 */
export const TxPerRequestFilter = <B extends ControllerClass>(
  Base: B,
): B & Ctor<HasTransaction> => {
  abstract class TxPerRequestFilter extends Base implements HasTransaction {
    static {
      const own = registrationsOf(this)
      own.around.push(begin)
      own.add('commit', (_controller, ctx: FwContext) => transactions.get(ctx)?.commit())
      own.rollbacks.push((_controller, ctx: FwContext) => transactions.get(ctx)?.rollback())
    }

    rollbackTxPerRequest(): void {
      transactions.get(this.ctx)?.rollbackOnly()
    }
  }
  return TxPerRequestFilter
}
