/** Diagnostics channels around a kind of work: the source of logs, metrics and traces. */
import diagnostics, { type Channel } from 'node:diagnostics_channel'
import { isPromise } from './promise.ts'

/** What every event has. The channels of start and end get the same object. */
export interface WorkEvent {
  /** In milliseconds of `performance.now()`. */
  readonly startedAt: number
  /** Milliseconds from start to end; 0 before the end. */
  millis: number
  /** The thrown value, once the work has failed. */
  error: unknown
}

type Subscriber<E> = (event: E) => void

/**
 * The channels `<name>:start` and `<name>:end` of `node:diagnostics_channel`. Create events only if `active` is true: without
 * subscribers a channel costs one property read.
 */
export class WorkChannel<E extends WorkEvent> {
  readonly start: Channel<E, E>
  readonly end: Channel<E, E>

  constructor(name: string) {
    this.start = diagnostics.channel(`${name}:start`) as Channel<E, E>
    this.end = diagnostics.channel(`${name}:end`) as Channel<E, E>
  }

  get active(): boolean {
    return this.start.hasSubscribers || this.end.hasSubscribers
  }

  /** Runs `work` inside the stores that are bound to the start; publishes the end when `work` is over. */
  trace<T>(event: E, work: () => T): T {
    let result: T
    try {
      result = this.start.runStores(event, work)
    } catch (error) {
      this.finish(event, error)
      throw error
    }
    if (!isPromise(result)) {
      this.finish(event)
      return result
    }
    return result.then(
      (value) => {
        this.finish(event)
        return value
      },
      (error: unknown) => {
        this.finish(event, error)
        throw error
      },
    ) as T
  }

  finish(event: E, error?: unknown): void {
    event.millis = performance.now() - event.startedAt
    event.error = error
    this.end.publish(event)
  }

  /** Returns a function that unsubscribes. */
  subscribe(listeners: {
    readonly start?: Subscriber<E>
    readonly end?: Subscriber<E>
  }): () => void {
    const start = listeners.start as ((event: unknown) => void) | undefined
    const end = listeners.end as ((event: unknown) => void) | undefined
    if (start !== undefined) this.start.subscribe(start)
    if (end !== undefined) this.end.subscribe(end)
    return () => {
      if (start !== undefined) this.start.unsubscribe(start)
      if (end !== undefined) this.end.unsubscribe(end)
    }
  }
}
