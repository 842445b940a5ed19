/** The one root of our errors, and the kind that carries an HTTP status. */
import type { ErrorCode } from './error-codes.ts'

/** An error of Fw: says what happened, to which value, and how to mend it. */
export class FwError extends Error {
  override readonly name: string = 'FwError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * An error that answers with its own status. Below 500 it is no fault: it answers in the request's format,
 * never reaches error filters and captures no stack.
 */
export class HttpError extends FwError {
  override readonly name: string = 'HttpError'
  readonly status: number
  /** Members shown to the client beside status and message, such as the failing keys. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & { readonly details?: Readonly<Record<string, unknown>> },
  ) {
    const limit = Error.stackTraceLimit
    if (status < 500) Error.stackTraceLimit = 0
    super(code, message, options)
    Error.stackTraceLimit = limit
    this.status = status
    this.details = options?.details
  }
}
