/** The transaction of the running code, and functions that run code in a transaction. */
import type { Transaction } from './transaction.ts'
import { currentScope, runInScope } from './transaction-scope.ts'

/** Returns the transaction of the current async context, if any. */
export const currentTransaction = (): Transaction | undefined =>
  currentScope()?.transaction as Transaction | undefined

/** Runs `work` in the transaction: its queries to that database, also in async continuations, join the transaction. */
export const runInTransaction = <T>(transaction: Transaction, work: () => T): T =>
  runInScope(transaction, work)

/**
 * Runs `work` in a transaction that `replace` replaces: later queries of `work`, also in async continuations, join the new one.
 */
export function runInReplaceable<T>(
  transaction: Transaction,
  work: (replace: (next: Transaction) => void) => T,
): T {
  const scope: { transaction: Transaction; parent: undefined } = { transaction, parent: undefined }
  return runInScope(transaction, () => work((next) => (scope.transaction = next)), scope)
}
