/** Server-sent events (WHATWG HTML §9.2), which the browser's `EventSource` reads. */
import { toMilliseconds, type Duration } from '../base.ts'

/** One message. */
export interface ServerSentEvent {
  /** Text is sent line by line, any other value as JSON. */
  readonly data?: unknown
  /** The event type for `addEventListener`; `message` when absent. */
  readonly event?: string
  /** The browser sends it as `Last-Event-ID` when it reconnects. */
  readonly id?: string
  /** Until the browser reconnects: milliseconds, or a text such as `5s`. */
  readonly retry?: Duration
}

/** Options of `eventStream`. */
export interface EventStreamOptions {
  /** Time without an event until a comment keeps the connection alive; default 15 s. */
  readonly heartbeat?: Duration
}

const lineEnds = /\r\n|\r|\n/
const heartbeatComment = ': \n\n'

/**
 * One event as text.
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

/** The events as a response body. A text is an event with that `data`. */
export async function* eventStream(
  events: AsyncIterable<ServerSentEvent | string>,
  { heartbeat = '15s' }: EventStreamOptions = {},
): AsyncGenerator<string> {
  const millis = toMilliseconds(heartbeat)
  const source = events[Symbol.asyncIterator]()
  try {
    // Sends the head at once, so that the browser reports the connection as open.
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
    // Not awaited: a generator's `return` waits for its pending `next`.
    source.return?.().catch(() => {})
  }
}

/** Undefined after `millis` without a result. */
async function resolveWithin<T>(promise: Promise<T>, millis: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, millis, undefined)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
