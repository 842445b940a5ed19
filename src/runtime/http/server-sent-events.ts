/** Server-sent events (WHATWG HTML §9.2), which the browser's `EventSource` reads. */
import { toMilliseconds, type Duration, type MaybePromise } from '../base.ts'
import { DerivedBody } from './streamed-body.ts'

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

/** Returns a response body that streams the events. A string is an event whose `data` is that string. */
export function eventStream(
  events: AsyncIterable<ServerSentEvent | string>,
  { heartbeat = '15s' }: EventStreamOptions = {},
): EventChunks {
  return new EventChunks(events[Symbol.asyncIterator](), toMilliseconds(heartbeat))
}

type Result<T> = IteratorResult<T, unknown>

const heartbeatResult: Result<string> = { done: false, value: heartbeatComment }

/** The chunks of an event stream, for one reader. A race of the event with a timer would keep a reaction for each heartbeat. */
class EventChunks extends DerivedBody {
  readonly #source: AsyncIterator<ServerSentEvent | string>
  readonly #heartbeat: number
  #hasBegun = false
  #isOver = false
  /** True from the request for an event until it has arrived. */
  #isReading = false
  /** Returns the event that arrived after a heartbeat, when nobody waited, or throws the error. */
  #take: (() => Result<string>) | undefined
  /** Answers the reader that waits. */
  #resolve: ((result: MaybePromise<Result<string>>) => void) | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param heartbeat milliseconds */
  constructor(source: AsyncIterator<ServerSentEvent | string>, heartbeat: number) {
    super()
    this.#source = source
    this.#heartbeat = heartbeat
  }

  next(): Promise<Result<string>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    if (!this.#hasBegun) {
      // The comment makes the server send the response head at once, so that the browser opens the connection.
      this.#hasBegun = true
      return Promise.resolve(heartbeatResult)
    }
    return new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#take === undefined) this.#wait()
      else this.#pass()
    })
  }

  close(): void {
    this.#end()
    this.#resolve?.({ done: true, value: undefined })
  }

  #wait(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(beat, this.#heartbeat, this)
    else this.#timer.refresh()
    if (this.#isReading) return
    this.#isReading = true
    this.#source.next().then(
      (result) => this.#arrive(() => formatResult(result)),
      (error: unknown) =>
        this.#arrive(() => {
          throw error
        }),
    )
  }

  /** Sends a heartbeat if a reader waits. */
  beat(): void {
    this.#resolve?.(heartbeatResult)
    this.#resolve = undefined
  }

  #arrive(take: () => Result<string>): void {
    this.#isReading = false
    this.#take = take
    if (this.#resolve !== undefined) this.#pass()
  }

  /** Passes what has arrived to the reader that waits. */
  #pass(): void {
    const [resolve, take] = [this.#resolve!, this.#take!]
    this.#resolve = undefined
    this.#take = undefined
    resolve(this.#taken(take))
  }

  async #taken(take: () => Result<string>): Promise<Result<string>> {
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
    // Do not await this promise: the `return` of a generator waits for its pending `next`.
    this.#source.return?.().catch(() => {})
  }
}

const beat = (chunks: EventChunks): void => chunks.beat()

function formatResult(result: Result<ServerSentEvent | string>): Result<string> {
  if (result.done === true) return { done: true, value: undefined }
  const { value } = result
  return { done: false, value: formatEvent(typeof value === 'string' ? { data: value } : value) }
}
