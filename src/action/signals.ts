/** The two throws that are not faults: stop here with an answer, or let the next route try. */

/** What `halt` may give: absent members keep what the response already has. */
export interface HaltOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Reason phrase, sent on HTTP/1.1 only. */
  readonly reason?: string
  readonly body?: unknown
  /** Answers with the body of the status in the request's format, as `haltWithBody` does. */
  readonly withBody?: boolean
}

function withoutStack<T>(make: () => T): T {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** Thrown by `halt`: the filters or the action stop, the after filters still run, the answer is `options`. */
export class Halt extends Error {
  override readonly name = 'Halt'
  readonly options: HaltOptions

  constructor(options: HaltOptions) {
    super('halted')
    this.options = options
  }
}

/** Thrown by `pass`: the next matching route answers. */
export class Pass extends Error {
  override readonly name = 'Pass'
}

/** A halt that captured no stack: it is an answer, no fault. */
export const haltWith = (options: HaltOptions): Halt => withoutStack(() => new Halt(options))

/** Carries nothing of a request, so that one serves all. */
export const passSignal: Pass = withoutStack(() => new Pass('passed'))
