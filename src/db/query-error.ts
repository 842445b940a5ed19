/** What an engine threw to the error that the rest of Fw and the application see. */
import { FwError, HttpError } from '../base.ts'

interface ServerError {
  readonly message: string
  readonly code: string
  readonly severity: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
}

/** A statement that the database refused; `sqlState` is PostgreSQL's five characters. */
export class QueryError extends FwError {
  override readonly name = 'QueryError'
  readonly sqlState: string
  readonly sql: string
  readonly constraint: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  /** May quote values of the row: for the application, never for a client. */
  readonly detail: string | undefined

  constructor(error: ServerError, sql: string) {
    super('db.query-failed', `${error.message} (SQLSTATE ${error.code}) in: ${sql}`, {
      cause: error,
    })
    this.sqlState = error.code
    this.sql = sql
    this.constraint = error.constraint
    this.table = error.table
    this.column = error.column
    this.detail = error.detail
  }
}

/** Whether the row was refused because a unique constraint (the named one, when given) holds its values already. */
export function isUniqueViolation(error: unknown, constraint?: string): error is QueryError {
  if (!(error instanceof QueryError) || error.sqlState !== '23505') return false
  return constraint === undefined || error.constraint === constraint
}

/** Whether the same transaction, run again from its start, may succeed: a serialisation failure or a deadlock. */
export function isRetryable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    if (code === '40001' || code === '40P01') return true
  }
  return false
}

function isServerError(error: unknown): error is ServerError {
  const { code, severity } = error as Partial<ServerError>
  return (
    error instanceof Error &&
    typeof code === 'string' &&
    code.length === 5 &&
    typeof severity === 'string'
  )
}

/** Whether the connection, not the statement, is at fault: it answers no more. */
export function isConnectionLoss(error: unknown): boolean {
  if (!isServerError(error)) return !(error instanceof FwError)
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code.startsWith('08')
}

const busy = '; it is safe to try again'

/** @throws nothing: gives what is to be thrown. */
export function queryError(error: unknown, sql: string): FwError {
  if (error instanceof FwError) return error
  if (isConnectionLoss(error)) return unavailable(error)
  const server = error as ServerError
  switch (server.code) {
    case '57014':
      return new HttpError(
        503,
        'db.statement-timeout',
        `A statement ran into its time limit: ${sql}`,
        { cause: error },
      )
    case '25006':
      return new HttpError(503, 'db.read-only', `The database takes no writes now: ${sql}`, {
        cause: error,
      })
    case '55P03':
      return new HttpError(
        503,
        'db.lock-timeout',
        `A lock was not to be had in time${busy}: ${sql}`,
        { cause: error },
      )
    case '40001':
    case '40P01':
      return new HttpError(
        503,
        'db.conflict',
        `Two transactions met at the same rows${busy}: ${sql}`,
        { cause: error },
      )
    case '53300':
    case '57P03':
      return unavailable(error)
    default:
      return new QueryError(server, sql)
  }
}

export function unavailable(cause: unknown): HttpError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new HttpError(503, 'db.unavailable', `The database cannot be reached: ${reason}`, {
    cause,
  })
}
