/** `CommitCallbacks`: the functions that `afterCommit` has registered with a transaction. */
import type { Logger } from '../base.ts'
import { bindLocalSettings } from './local-settings.ts'
import { currentScope, isWithin, outsideTransaction, type Scope } from './transaction-scope.ts'

interface Callback {
  readonly work: () => unknown
  readonly scope: Scope | undefined
}

export class CommitCallbacks {
  /** Created by the first callback, because most transactions have none. */
  #all: Callback[] | undefined

  get count(): number {
    return this.#all?.length ?? 0
  }

  /** Adds a function with the local settings and the savepoint of the calling code. */
  add(work: () => unknown): void {
    this.#all ??= []
    this.#all.push({ work: bindLocalSettings(work), scope: currentScope() })
  }

  /** Drops the functions that were registered in the scope; without a scope, those after the first `count`. */
  drop(scope: Scope | undefined, count: number): void {
    this.#all =
      scope === undefined
        ? this.#all?.slice(0, count)
        : this.#all?.filter((one) => !isWithin(one.scope, scope))
  }

  clear(): void {
    this.#all = undefined
  }

  /** Calls the functions in order, outside the transaction. Errors are logged. */
  async run(logger: Logger): Promise<void> {
    for (const { work } of this.#all ?? []) {
      try {
        await outsideTransaction(work)
      } catch (error) {
        logger.error({ err: error }, 'a callback after commit failed; the commit stands')
      }
    }
  }
}
