/** The events of callers that wait for a connection. */
import { WorkChannel, type WorkEvent } from '../base.ts'

/** The event of a caller that waits for a connection of a pool. */
export class PoolWaitEvent implements WorkEvent {
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown
}

/** The diagnostics channels `fw:pool:start` and `fw:pool:end`. */
export const poolWaitChannel: WorkChannel<PoolWaitEvent> = new WorkChannel('fw:pool')

interface Settle<T> {
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/** Publishes the start of a wait, and returns wrappers of `resolve` and `reject` that publish its end. */
export function observeWait<T>(settle: Settle<T>): Settle<T> {
  if (!poolWaitChannel.active) return settle
  const event = new PoolWaitEvent()
  poolWaitChannel.start.publish(event)
  return {
    resolve: (value) => {
      poolWaitChannel.finish(event)
      settle.resolve(value)
    },
    reject: (error) => {
      poolWaitChannel.finish(event, error)
      settle.reject(error)
    },
  }
}
