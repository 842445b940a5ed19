/** The async context of transactions: which one, if any, the statements of the running code join. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** A savepoint inside a transaction. */
export interface Savepoint {
  /** Releases the savepoint. @throws FwError `db.commit-failed` if a statement after the savepoint failed */
  release(): Promise<void>
  undo(): Promise<void>
}

/** The part of a transaction that its context needs. */
interface ScopedTransaction {
  readonly active: boolean
  readonly isReadOnly: boolean
}

/** The async context of a transaction, of a savepoint in it, or of work outside the transaction of `parent`. */
export interface Scope {
  readonly transaction: ScopedTransaction | undefined
  readonly parent: Scope | undefined
  /** Ends with the newest savepoint of this nesting level; savepoints must not overlap. */
  last?: Promise<unknown>
}

const scopes = new AsyncLocalStorage<Scope | undefined>()

/** The scope of the current async context, if any. */
export const currentScope = (): Scope | undefined => scopes.getStore()

/** Runs `work` in a scope inside the current one. */
export const runInScope = <T>(
  transaction: ScopedTransaction,
  work: () => T,
  scope: Scope = { transaction, parent: findOpenScope() },
): T => scopes.run(scope, work)

/** Returns the innermost scope whose transaction is open. Others are dropped, because callbacks could nest them without end. */
function findOpenScope(): Scope | undefined {
  let scope = scopes.getStore()
  while (scope !== undefined && scope.transaction?.active !== true) scope = scope.parent
  return scope
}

/**
 * Runs `work` in a savepoint: an error undoes only the writes of `work`. Calls of one nesting level run one by one; `outermost` is the
 * level outside of savepoints.
 */
export function runNested<T>(
  transaction: ScopedTransaction & { savepoint(scope: Scope): Promise<Savepoint> },
  outermost: Pick<Scope, 'last'>,
  work: () => Promise<T>,
): Promise<T> {
  const inSavepoint = async (): Promise<T> => {
    const scope: Scope = { transaction, parent: currentScope() }
    const savepoint = await transaction.savepoint(scope)
    try {
      const result = await runInScope(transaction, work, scope)
      await savepoint.release()
      return result
    } catch (error) {
      if (transaction.active) await savepoint.undo()
      throw error
    }
  }
  const current = currentScope()
  const level = current?.transaction === transaction ? current : outermost
  const { last = Promise.resolve() } = level
  const result = last.then(inSavepoint)
  level.last = result.catch(() => {})
  return result
}

/** Returns true if `scope` is `outer` or inside it. */
export function isWithin(scope: Scope | undefined, outer: Scope): boolean {
  for (let at = scope; at !== undefined; at = at.parent) if (at === outer) return true
  return false
}

/** Returns true if the calling code runs in the transaction, or outside it in a call of `outsideTransaction`. */
export function isEnclosed(transaction: ScopedTransaction): boolean {
  for (let at = scopes.getStore(); at !== undefined; at = at.parent)
    if (at.transaction === transaction) return true
  return false
}

/** Runs `work` outside the current transaction if that transaction is read-only. */
export const outsideReadOnly = <T>(work: () => T): T =>
  currentScope()?.transaction?.isReadOnly === true ? outsideTransaction(work) : work()

/** Runs `work` outside the current transaction, for example the queries of an error page. */
export function outsideTransaction<T>(work: () => T): T {
  if (scopes.getStore() === undefined) return work()
  const parent = findOpenScope()
  return scopes.run(parent && { transaction: undefined, parent }, work)
}
