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

/** Runs the work of an event, for example with another value of an `AsyncLocalStorage`. */
type Enclosure<E> = <T>(event: E, work: () => T) => T

/** One channel of `node:diagnostics_channel`. */
class EventChannel<E extends object> {
  readonly #channel: Channel

  constructor(name: string) {
    this.#channel = diagnostics.channel(name)
  }

  publish(event: E): void {
    this.#channel.publish(event)
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: Subscriber<E>): () => void {
    const onMessage = (event: unknown): void => listener(event as E)
    this.#channel.subscribe(onMessage)
    return () => void this.#channel.unsubscribe(onMessage)
  }
}

/** A request that its container refused for lack of time or connections. */
export interface ShedEvent {
  /** The error code, or the name of the setting that limits. */
  readonly code: string
}

/** `fw:shed`. */
export const shedChannel: EventChannel<ShedEvent> = new EventChannel('fw:shed')

/**
 * The channels `<name>:start` and `<name>:end` of `node:diagnostics_channel`. Create events only if `active` is true: without
 * subscribers a channel costs one property read.
 */
export class WorkChannel<E extends WorkEvent> {
  readonly start: Channel<E, E>
  readonly end: Channel<E, E>
  #enclosures: readonly Enclosure<E>[] = []
  /** The number of events that have started and not ended, if their publisher counts them. */
  inFlight = 0

  constructor(name: string) {
    this.start = diagnostics.channel(`${name}:start`) as Channel<E, E>
    this.end = diagnostics.channel(`${name}:end`) as Channel<E, E>
  }

  get active(): boolean {
    return this.isEnclosed || this.end.hasSubscribers
  }

  /** Whether something observes the start, or encloses the work. */
  get isEnclosed(): boolean {
    return this.start.hasSubscribers || this.#enclosures.length > 0
  }

  /** Publishes the start, and calls `work` inside the enclosures and the stores that are bound to the start. */
  run<T>(event: E, work: () => T): T {
    return this.#enclosures.reduceRight<() => T>(
      (inner, enclose) => () => enclose(event, inner),
      () => this.start.runStores(event, work),
    )()
  }

  /** As `run`; publishes the end when `work` is over. */
  trace<T>(event: E, work: () => T): T {
    let result: T
    try {
      result = this.run(event, work)
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

  /** Returns a function that removes the enclosure. */
  enclose(enclosure: Enclosure<E>): () => void {
    this.#enclosures = [...this.#enclosures, enclosure]
    return () => {
      this.#enclosures = this.#enclosures.filter((one) => one !== enclosure)
    }
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
