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
export async function* eventStream(
  events: AsyncIterable<ServerSentEvent | string>,
  { heartbeat = '15s' }: EventStreamOptions = {},
): AsyncGenerator<string> {
  const millis = toMilliseconds(heartbeat)
  const source = events[Symbol.asyncIterator]()
  try {
    // The comment makes the server send the response head at once, so that the browser opens the connection.
    yield heartbeatComment
    for (;;) {
      const next = source.next()
      let result = await resolveWithin(next, millis)
      while (result === undefined) {
        yield heartbeatComment
        result = await resolveWithin(next, millis)
      }
      if (result.done === true) return
      const { value } = result
      yield formatEvent(typeof value === 'string' ? { data: value } : value)
    }
  } finally {
    // Do not await this promise: the `return` of a generator waits for its pending `next`.
    source.return?.().catch(() => {})
  }
}

/** Resolves with the result of `promise`, or with undefined if it takes longer than `millis`. */
async function resolveWithin<T>(promise: Promise<T>, millis: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, millis, undefined)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
