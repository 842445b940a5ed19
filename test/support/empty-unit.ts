/** A unit of work that stores nothing; a test replaces the members that it observes. */
import type { UnitOfWork } from '../../src/runtime/action.ts'

export const emptyUnit: UnitOfWork = {
  run: (work) => work(),
  beginEnd: () => undefined,
  commit: () => undefined,
  rollback: () => undefined,
  mayRetry: () => false,
}
