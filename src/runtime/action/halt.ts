/** `Halt` ends the action with a response, `Pass` continues with the next matching route. Neither is a fault. */

/** The response of a `halt`; absent members keep the values that the response already has. */
export interface HaltOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The reason phrase, which is sent only with HTTP/1.1. */
  readonly reason?: string
  readonly body?: unknown
  /** True responds with the standard body of the status in the request's format, like `haltWithBody`. */
  readonly withBody?: boolean
}

/** An error without a stack trace, which a response does not need. */
class Signal extends Error {
  constructor(message: string) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
  }
}

/** Thrown by `halt`. The filter or action ends, the after filters still run, and the response is `options`. */
export class Halt extends Signal {
  override readonly name = 'Halt'
  readonly options: HaltOptions

  constructor(options: HaltOptions) {
    super('halted')
    this.options = options
  }
}

/** Thrown by `pass`; the next matching route runs. */
export class Pass extends Signal {
  override readonly name = 'Pass'
}

/** The only instance of `Pass`; it has no state, so all requests share it. */
export const passSignal: Pass = new Pass('passed')
