/** `UnitOfWork`: the transaction around one attempt of a request. */
import type { FwContext } from './context.ts'

/** The writes of one attempt of a request, which are stored together or not at all. */
export interface UnitOfWork {
  /** Runs the filters and the action, so that their writes join this unit. */
  run<T>(work: () => T): T
  /** Announces that only steps follow which save the session, before `commit` or `rollback`. */
  beginEnd(): void
  /** Stores the writes. Resolves when they are confirmed; undefined if nothing was written. */
  commit(): Promise<void> | undefined
  /** Undoes the writes; does nothing after a commit or rollback. Must not fail. */
  rollback(): Promise<void> | undefined
  /** Returns true if the request should run again, from its first filter, after this error. */
  mayRetry(error: unknown): boolean
}

/**
 * Creates the unit of work of an attempt. `failed` is the unit of the attempt that is run again; it is undefined for the first
 * attempt. Returns undefined for a route without a unit.
 */
export type UnitOfWorkFactory = (
  ctx: FwContext,
  failed: UnitOfWork | undefined,
) => UnitOfWork | undefined
