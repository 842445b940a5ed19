/** The events of session stores, for metrics and traces. */
import { WorkChannel, type WorkEvent } from '../base.ts'
import type { SessionStore } from './session-store.ts'

/** A request's read or write of its session. */
export class SessionEvent implements WorkEvent {
  readonly operation: 'read' | 'write'
  /** The class name of the store, such as `DatabaseStore`. */
  readonly store: string
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown

  constructor(operation: 'read' | 'write', store: SessionStore) {
    this.operation = operation
    this.store = store.constructor.name
  }
}

/** The channels `fw:session:start` and `fw:session:end`. */
export const sessionChannel: WorkChannel<SessionEvent> = new WorkChannel('fw:session')
