/** `WorkChannel`: channels for the start and end of one kind of work, for logs, metrics and traces. */
import diagnostics, { type Channel } from 'node:diagnostics_channel'
import { runWithEnd } from './promise.ts'

/** The members of every event. The start channel and the end channel publish the same object. */
export class WorkEvent {
  /** The start time in milliseconds of `performance.now()`. */
  readonly startedAt: number = performance.now()
  /** The milliseconds from start to end; 0 before the end. */
  millis = 0
  /** The thrown value, once the work has failed. */
  error: unknown
}

type Subscriber<E> = (event: E) => void

/** A function that runs the work of an event, for example with another value of an `AsyncLocalStorage`. */
type Interceptor<E> = <T>(event: E, work: () => T) => T

/** A request or connection that the server refuses or cancels: overload, a limit, or shutdown. */
export interface ShedEvent {
  /** The code of the error, or the name of the setting whose limit was reached. */
  readonly code: string
}

/** The channel `fw:shed`, which publishes each refused or cancelled request. */
export const shedChannel: Pick<Channel, 'subscribe' | 'unsubscribe'> & {
  publish(event: ShedEvent): void
} = diagnostics.channel('fw:shed')

/**
 * The channels `<name>:start` and `<name>:end` of `node:diagnostics_channel`. Create an event only if `active` is true: without
 * subscribers, a channel then costs one property read.
 */
export class WorkChannel<E extends WorkEvent> {
  readonly start: Channel<E, E>
  readonly end: Channel<E, E>
  #interceptors: readonly Interceptor<E>[] = []
  /** The number of events that have started and not yet ended. Only publishers that update it themselves make it valid. */
  inFlight = 0

  constructor(name: string) {
    this.start = diagnostics.channel(`${name}:start`) as Channel<E, E>
    this.end = diagnostics.channel(`${name}:end`) as Channel<E, E>
  }

  get active(): boolean {
    return this.mustRun || this.end.hasSubscribers
  }

  /** True if work must go through `run`: the start channel has subscribers, or there are interceptors. */
  get mustRun(): boolean {
    return this.start.hasSubscribers || this.#interceptors.length > 0
  }

  /** Publishes the start event, and runs `work` in the interceptors and in the stores bound to the start channel. */
  run<T>(event: E, work: () => T): T {
    if (this.#interceptors.length === 0) return this.start.runStores(event, work)
    return this.#interceptors.reduceRight<() => T>(
      (inner, intercept) => () => intercept(event, inner),
      () => this.start.runStores(event, work),
    )()
  }

  /** Runs `work` like `run`, and publishes the end event when `work` or its promise has ended. */
  trace<T>(event: E, work: () => T): T {
    return runWithEnd(
      () => this.run(event, work),
      (error) => this.finish(event, error),
    )
  }

  finish(event: E, error?: unknown): void {
    event.millis = performance.now() - event.startedAt
    event.error = error
    this.end.publish(event)
  }

  /** Runs the work of all later events through `interceptor`. Returns a function that removes the interceptor. */
  intercept(interceptor: Interceptor<E>): () => void {
    this.#interceptors = [...this.#interceptors, interceptor]
    return () => {
      this.#interceptors = this.#interceptors.filter((one) => one !== interceptor)
    }
  }

  /** Subscribes to the start event, the end event or both. Returns a function that unsubscribes. */
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
