/** Which database, and which transaction of it, the running work belongs to: the store behind current.ts. */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Where the savepoints of one level queue: they cannot overlap. */
export interface Turns {
  last: Promise<unknown>
}

/** Their classes stand above this file, so they are plain objects here. */
export interface Scope {
  readonly database: object | undefined
  readonly transaction: object | undefined
  readonly turns: Turns | undefined
}

const scopes = new AsyncLocalStorage<Scope>()

export function currentScope(): Scope | undefined {
  return scopes.getStore()
}

/** Runs `work`, and all that it starts, on this database, outside any transaction. */
export function runWithDatabase<T>(database: object, work: () => T): T {
  return scopes.run({ database, transaction: undefined, turns: undefined }, work)
}

/** Runs `work`, and all that it starts, with every query of the transaction's database going through it. */
export function runInTransaction<T>(transaction: object, work: () => T): T {
  return scopes.run({ database: currentScope()?.database, transaction, turns: newTurns() }, work)
}

/** Runs `work`, such as an error page's queries, outside the transaction it was called in. */
export function outsideTransaction<T>(work: () => T): T {
  const scope = currentScope()
  if (!scope?.transaction) return work()
  return scopes.run({ database: scope.database, transaction: undefined, turns: undefined }, work)
}

export function newTurns(): Turns {
  return { last: Promise.resolve() }
}
