/** Server-sent events (WHATWG HTML §9.2), which the browser's `EventSource` reads. */
import { toMilliseconds, type Duration, type MaybePromise } from '../base.ts'
import { DerivedBody, ignoreFailure } from './streamed-body.ts'

/** One server-sent event. */
export interface ServerSentEvent {
  /** The content. Text is sent line by line, any other value as JSON. */
  readonly data?: unknown
  /** The event type for `addEventListener`; default `message`. */
  readonly event?: string
  /** The id of the event. When the browser reconnects, it sends the last id in the header `Last-Event-ID`. */
  readonly id?: string
  /** The time after which the browser reconnects, in milliseconds or as a text such as `5s`. */
  readonly retry?: Duration
}

/** Options of `eventStream`. */
export interface EventStreamOptions {
  /** The time without an event after which a comment is sent to keep the connection open; default 15 s. */
  readonly heartbeat?: Duration
}

const lineEnds = /\r\n|\r|\n/
const heartbeatComment = ': \n\n'

/**
 * Formats one event as text.
 * @throws TypeError for a line break or NUL in `event` or `id`, or a `retry` that is not a non-negative integer
 */
export function formatEvent({ data, event, id, retry }: ServerSentEvent): string {
  let text = ''
  if (retry !== undefined) text += `retry: ${checkRetry(retry)}\n`
  if (event !== undefined) text += `event: ${checkLine('event', event)}\n`
  if (id !== undefined) text += `id: ${checkLine('id', id)}\n`
  if (data !== undefined) {
    const body = typeof data === 'string' ? data : JSON.stringify(data)
    for (const line of body.split(lineEnds)) text += `data: ${line}\n`
  }
  return `${text}\n`
}

function checkLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value))
    throw new TypeError(
      `The ${name} ${JSON.stringify(value)} of a server-sent event contains a line break or NUL.`,
    )
  return value
}

function checkRetry(duration: Duration): number {
  const retry = toMilliseconds(duration)
  if (Number.isSafeInteger(retry) && retry >= 0) return retry
  throw new TypeError(
    `The retry ${retry} of a server-sent event is not a whole number of milliseconds.`,
  )
}

/**
 * Returns a response body that streams the events. A string is an event whose `data` is that string. A comment is sent first, and after
 * each `heartbeat` without an event.
 */
export function eventStream(
  events: AsyncIterable<ServerSentEvent | string>,
  { heartbeat = '15s' }: EventStreamOptions = {},
): EventChunks {
  return new EventChunks(events, toMilliseconds(heartbeat))
}

type Result<T> = IteratorResult<T, unknown>

const heartbeatResult: Result<string> = { done: false, value: heartbeatComment }

/** The chunks of an event stream. It calls `next` of the source once for each event, however many heartbeats it sends meanwhile. */
class EventChunks extends DerivedBody {
  readonly #events: AsyncIterable<ServerSentEvent | string>
  readonly #heartbeat: number
  #source: AsyncIterator<ServerSentEvent | string> | undefined
  #isOver = false
  /** True from the request for an event until it has arrived. */
  #isReading = false
  /** Returns the event that arrived while no `next` was pending, or throws the error. */
  #take: (() => Result<string>) | undefined
  /** Resolves the pending `next`. */
  #resolve: ((result: MaybePromise<Result<string>>) => void) | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param heartbeat milliseconds */
  constructor(events: AsyncIterable<ServerSentEvent | string>, heartbeat: number) {
    super()
    this.#events = events
    this.#heartbeat = heartbeat
  }

  next(): Promise<Result<string>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    if (this.#source === undefined) return this.#begin()
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#take === undefined) this.#wait(this.#source!)
      else this.#pass()
    })
  }

  /** The comment makes the server send the response head at once, so that the browser opens the connection. */
  async #begin(): Promise<Result<string>> {
    this.#source = this.#events[Symbol.asyncIterator]()
    return heartbeatResult
  }

  protected closeSource(): void {
    this.#end()
    this.#settle({ done: true, value: undefined })
  }

  #wait(source: AsyncIterator<ServerSentEvent | string>): void {
    if (this.#timer === undefined) this.#timer = setTimeout(beat, this.#heartbeat, this)
    else this.#timer.refresh()
    if (this.#isReading) return
    this.#isReading = true
    const fail = (error: unknown): void =>
      this.#arrive(() => {
        throw error
      })
    try {
      // A source may return its result without a promise, as for `for await`.
      Promise.resolve(source.next()).then(
        (result) => this.#arrive(() => formatResult(result)),
        fail,
      )
    } catch (error) {
      fail(error)
    }
  }

  /** Sends a heartbeat if a `next` is pending. */
  beat(): void {
    this.#settle(heartbeatResult)
  }

  #arrive(take: () => Result<string>): void {
    this.#isReading = false
    this.#take = take
    if (this.#resolve !== undefined) this.#pass()
  }

  #pass(): void {
    const [resolve, take] = [this.#resolve!, this.#take!]
    this.#resolve = undefined
    this.#take = undefined
    // Both fields are cleared first: ending calls `return` of the source, which may close this body.
    resolve(this.#readTaken(take))
  }

  /** Resolves the pending `next`. A later event or error is kept for the next call, so that no promise rejects unhandled. */
  #settle(result: Result<string>): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(result)
  }

  async #readTaken(take: () => Result<string>): Promise<Result<string>> {
    try {
      const result = take()
      if (result.done === true) this.#end()
      return result
    } catch (error) {
      this.#end()
      throw error
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    // Not awaited: the `return` of a generator waits for its pending `next`.
    void ignoreFailure(() => this.#source?.return?.())
  }
}

/** One function for all timers, so that a stream needs no closure. */
const beat = (chunks: EventChunks): void => chunks.beat()

function formatResult(result: Result<ServerSentEvent | string>): Result<string> {
  if (result.done === true) return { done: true, value: undefined }
  const { value } = result
  return { done: false, value: formatEvent(typeof value === 'string' ? { data: value } : value) }
}
