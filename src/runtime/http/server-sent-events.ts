/** Server-sent events (WHATWG HTML §9.2), which the browser's `EventSource` reads. */
import { toMilliseconds, type Duration } from '../base.ts'

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
const beat: IteratorResult<string, undefined> = { done: false, value: ': \n\n' }
const over: IteratorResult<string, undefined> = { done: true, value: undefined }

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
): EventStream {
  return new EventStream(events, toMilliseconds(heartbeat))
}

type Chunk = IteratorResult<string, undefined>

/** The source may throw any value. */
async function rejected(error: unknown): Promise<never> {
  throw error
}

/**
 * The chunks of an event stream. Call `next` again only after its promise has settled. Written without a generator: a process has
 * thousands of idle streams, and a timer, a race and a generator for each event take twice the memory.
 */
class EventStream implements AsyncIterableIterator<string, undefined> {
  readonly #events: AsyncIterable<ServerSentEvent | string>
  readonly #heartbeat: number
  #source: AsyncIterator<ServerSentEvent | string> | undefined
  #timer: NodeJS.Timeout | undefined
  /** The result of the source that no call of `next` has taken. */
  #ready: Chunk | undefined
  #failure: { readonly error: unknown } | undefined
  #isReading = false
  #isOver = false
  /** Resolves the pending call of `next`. */
  #resolve: ((chunk: Chunk | Promise<Chunk>) => void) | undefined

  constructor(events: AsyncIterable<ServerSentEvent | string>, heartbeat: number) {
    this.#events = events
    this.#heartbeat = heartbeat
  }

  next(): Promise<Chunk> {
    const ready = this.#ready
    const failure = this.#failure
    this.#ready = this.#failure = undefined
    if (ready !== undefined) return Promise.resolve(ready)
    if (failure !== undefined) return rejected(failure.error)
    if (this.#isOver) return Promise.resolve(over)
    if (this.#source === undefined) {
      this.#source = this.#events[Symbol.asyncIterator]()
      // The comment makes the server send the response head at once, so that the browser opens the connection.
      return Promise.resolve(beat)
    }
    if (!this.#isReading) {
      this.#isReading = true
      Promise.resolve(this.#source.next()).then(this.#take, this.#fail)
    }
    if (this.#timer === undefined) this.#timer = setTimeout(this.#beat, this.#heartbeat)
    else this.#timer.refresh()
    return new Promise((resolve) => (this.#resolve = resolve))
  }

  return(): Promise<Chunk> {
    if (!this.#isOver) {
      this.#end()
      this.#ready = this.#failure = undefined
      this.#settle(over)
      this.#closeSource()
    }
    return Promise.resolve(over)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #beat = (): void => this.#settle(beat)

  readonly #take = ({ done, value }: IteratorResult<ServerSentEvent | string>): void => {
    this.#isReading = false
    if (this.#isOver) return
    if (done === true) {
      this.#end()
      return this.#settle(over)
    }
    try {
      const text = formatEvent(typeof value === 'string' ? { data: value } : value)
      if (this.#resolve === undefined) this.#ready = { done: false, value: text }
      else this.#settle({ done: false, value: text })
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #fail = (error: unknown): void => {
    if (this.#isOver) return
    this.#end()
    if (this.#resolve === undefined) this.#failure = { error }
    else this.#settle(rejected(error))
    this.#closeSource()
  }

  #settle(chunk: Chunk | Promise<Chunk>): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.(chunk)
  }

  /** Does not await the result: the `return` of a generator waits for its pending `next`. */
  #closeSource(): void {
    this.#source?.return?.().catch(() => {})
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}
