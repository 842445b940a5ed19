/** `FwError`, the base class of all errors of Fw, and `HttpError`, which has an HTTP status. */
import type { ErrorCode } from './error-codes.ts'

/** An error of Fw. Its message says what happened, to which value, and how to fix it. */
export class FwError extends Error {
  override readonly name: string = 'FwError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * An error with the HTTP status of its response. An error with a status below 500 is not a fault: the response is rendered in
 * the request's format, error filters do not run, and no stack is captured.
 */
export class HttpError extends FwError {
  override readonly name: string = 'HttpError'
  readonly status: number
  /** Additional members of the response body besides status and message, such as the keys that failed. */
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
