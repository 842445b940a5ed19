/** Server-sent events (WHATWG HTML §9.2): a stream of messages that the browser's EventSource reads. */

/** One message. */
export interface ServerSentEvent {
  /** A text is sent as it is, line by line; anything else as JSON. */
  readonly data?: unknown
  /** The type that `addEventListener` waits for; `message` when absent. */
  readonly event?: string
  /** Comes back as `Last-Event-ID` when the browser connects again. */
  readonly id?: string
  /** Milliseconds until the browser connects again. */
  readonly retry?: number
}

/** How `eventStream` keeps the connection. */
export interface EventStreamOptions {
  /** Milliseconds without an event until a comment is sent, so that proxies keep the connection; 15,000 unless given. */
  readonly heartbeat?: number
}

const lineEnds = /\r\n|\r|\n/
const beat = ': \n\n'

/**
 * The lines of one message.
 * @throws TypeError for a line break or NUL in `event` or `id`, or a `retry` that is no whole number
 */
export function eventText({ data, event, id, retry }: ServerSentEvent): string {
  let text = ''
  if (retry !== undefined) text += `retry: ${wholeNumber(retry)}\n`
  if (event !== undefined) text += `event: ${oneLine('event', event)}\n`
  if (id !== undefined) text += `id: ${oneLine('id', id)}\n`
  if (data !== undefined) {
    const body = typeof data === 'string' ? data : JSON.stringify(data)
    for (const line of body.split(lineEnds)) text += `data: ${line}\n`
  }
  return `${text}\n`
}

function oneLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value))
    throw new TypeError(
      `The ${name} ${JSON.stringify(value)} of a server-sent event holds a line break or NUL.`,
    )
  return value
}

function wholeNumber(retry: number): number {
  if (Number.isSafeInteger(retry) && retry >= 0) return retry
  throw new TypeError(
    `The retry ${retry} of a server-sent event is no whole number of milliseconds.`,
  )
}

/** The messages as a body, a text being its `data`; a comment goes out whenever there was none for a while. */
export async function* eventStream(
  events: AsyncIterable<ServerSentEvent | string>,
  { heartbeat = 15_000 }: EventStreamOptions = {},
): AsyncGenerator<string> {
  const source = events[Symbol.asyncIterator]()
  try {
    // The head leaves with it: the browser knows at once that it is connected.
    yield beat
    for (;;) {
      const waiting = source.next()
      let result = await within(waiting, heartbeat)
      while (result === undefined) {
        yield beat
        result = await within(waiting, heartbeat)
      }
      if (result.done === true) return
      const { value } = result
      yield eventText(typeof value === 'string' ? { data: value } : value)
    }
  } finally {
    // Not awaited: a source that waits for its next event would hold this one.
    source.return?.().catch(() => {})
  }
}

async function within<T>(waiting: Promise<T>, millis: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, millis, undefined)
  })
  try {
    return await Promise.race([waiting, late])
  } finally {
    clearTimeout(timer)
  }
}
