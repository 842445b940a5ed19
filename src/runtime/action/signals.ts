/**
 * The two signals that are thrown but are not faults: `Halt` ends the action with a response, `Pass` continues with the
 * next matching route.
 */

/** The response of a `halt`; absent members keep the value that the response already has. */
export interface HaltOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Reason phrase, sent on HTTP/1.1 only. */
  readonly reason?: string
  readonly body?: unknown
  /** Responds with the body of the status in the request's format, as `haltWithBody` does. */
  readonly withBody?: boolean
}

function withoutStack<T>(create: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return create()
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** Thrown by `halt`: the filters or the action stop, the after filters still run, the response is `options`. */
export class Halt extends Error {
  override readonly name = 'Halt'
  readonly options: HaltOptions

  constructor(options: HaltOptions) {
    super('halted')
    this.options = options
  }
}

/** Thrown by `pass`: the next matching route runs. */
export class Pass extends Error {
  override readonly name = 'Pass'
}

/** A halt without a stack trace, which a response does not need. */
export const createHalt = (options: HaltOptions): Halt => withoutStack(() => new Halt(options))

/** Has no state, so that all requests share it. */
export const passSignal: Pass = withoutStack(() => new Pass('passed'))
