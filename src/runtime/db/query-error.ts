/** The errors of statements and transactions, and the reason why the database refused a row. */
import { FwError, HttpError, type ErrorCode } from '../base.ts'
import { UnavailableError } from './unavailable-error.ts'

interface ServerError {
  readonly message: string
  readonly code: string
  readonly severity: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
}

/** The error of a failed statement; `sqlState` is PostgreSQL's five-character error code. */
export class QueryError extends FwError {
  override readonly name = 'QueryError'
  readonly sqlState: string
  readonly sql: string
  readonly constraint: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  /** PostgreSQL's detail text. It may contain values of the row: never send it to a client. */
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
    for (const holder of [this, error]) hideValues(holder)
  }
}

/** The members of driver errors that may contain values of a row or of parameters. */
const valueMembers = ['detail', 'where', 'params', 'query', 'internalQuery'] as const

/** Makes these members non-enumerable, so that `console.log` omits them. Code can still read them by name. */
function hideValues(holder: object): void {
  for (const name of valueMembers)
    if (Object.hasOwn(holder, name)) Object.defineProperty(holder, name, { enumerable: false })
}

/** Whether a unique constraint refused the row; with `constraint`, whether the constraint of that name did. */
export function isUniqueViolation(error: unknown, constraint?: string): error is QueryError {
  if (!(error instanceof QueryError) || error.sqlState !== '23505') return false
  return constraint === undefined || error.constraint === constraint
}

const schemaChanged = 'db.schema-changed'

/** The error for a prepared statement that failed in a transaction because the schema changed after the preparation. */
export function schemaChangedError(cause: Error, sql: string): HttpError {
  const message = `The schema changed after the statement was prepared; it is safe to try again: ${sql}`
  return new HttpError(503, schemaChanged, message, { cause })
}

/** Whether a schema change caused the error. */
export const isSchemaChange = (error: unknown): boolean => hasCode(error, schemaChanged)

/** Whether repeating the whole transaction may succeed: after a serialisation failure, a deadlock or a schema change. */
export function isRetryable(error: unknown): boolean {
  return hasCode(error, '40001', '40P01', schemaChanged)
}

/** Whether the statement failed because a lock was not available in time. */
export const isLockTimeout = (error: unknown): boolean => hasCode(error, 'db.lock-timeout')

/** Whether the error or one of its causes has one of the codes. */
function hasCode(error: unknown, ...codes: readonly unknown[]): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (codes.includes((at as { code?: unknown }).code)) return true
  return false
}

/** Whether the connection failed, rather than the statement. */
export function isConnectionLoss(error: unknown): boolean {
  if (!isServerError(error)) return !(error instanceof FwError)
  return error.severity === 'FATAL' || error.severity === 'PANIC' || error.code.startsWith('08')
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

/** SQLSTATE → error for a 503 response. These errors result from the state of the server, not from the statement. */
const conditions: Readonly<Record<string, readonly [ErrorCode, message: string]>> = {
  '57014': ['db.statement-timeout', 'A statement ran into its time limit'],
  '25006': ['db.read-only', 'The database takes no writes now'],
  '55P03': ['db.lock-timeout', 'A lock was not available in time; it is safe to try again'],
  '40001': ['db.conflict', 'Two transactions conflict; it is safe to try again'],
  '40P01': ['db.conflict', 'Two transactions conflict; it is safe to try again'],
}

/** Whether the server refused a write because the server or the transaction is read-only. */
export const isReadOnlyServer = (error: Error): boolean =>
  (error as { code?: unknown }).code === '25006'

/** Whether the statement failed because it must run outside a transaction, such as CREATE DATABASE. */
export const refusesTransaction = (error: unknown): boolean =>
  error instanceof QueryError && error.sqlState === '25001'

/**
 * SQLSTATEs of a server that has no free connection, is stopping or is starting. Citus also returns those of its nodes, on a
 * connection that stays usable.
 */
const unavailableStates: ReadonlySet<string> = new Set(['53300', '57P01', '57P02', '57P03'])

/** Converts a driver error to an `FwError`. */
export function toQueryError(error: unknown, sql: string): FwError {
  if (error instanceof FwError) return error
  if (isConnectionLoss(error)) return new UnavailableError(error)
  const server = error as ServerError
  if (unavailableStates.has(server.code)) return new UnavailableError(error)
  const condition = conditions[server.code]
  if (condition === undefined) return new QueryError(server, sql)
  const [code, message] = condition
  return new HttpError(503, code, `${message}: ${sql}`, { cause: error })
}

/**
 * Returns PostgreSQL's error for a statement in an aborted transaction. Returns `failure` itself if no statement of the
 * transaction has failed, or if the connection was lost.
 */
export function abortedError(failure: unknown, sql: string): unknown {
  const cause = failure instanceof FwError ? failure.cause : undefined
  if (!(cause instanceof Error) || isConnectionLoss(cause)) return failure
  const message = 'current transaction is aborted, commands ignored until end of transaction block'
  return toQueryError(Object.assign(new Error(message), { code: '25P02', severity: 'ERROR' }), sql)
}

/**
 * Sets the failure that aborted the transaction as the innermost cause of a 25P02, the error of each later statement. `Promise.all` may
 * reject with the 25P02 first, and the code that retries must find the failure.
 */
export function addFailure(error: unknown, failure: unknown): void {
  if (failure === undefined || failure === error || !hasCode(error, '25P02')) return
  const cause = error instanceof FwError ? error.cause : undefined
  if (cause instanceof Error) cause.cause ??= failure
}

export function transactionEndedError(state: string): FwError {
  return new FwError(
    'db.transaction-ended',
    `This query came after its transaction was ${state === 'rolled back' ? state : 'committed'}: work was ` +
      'started and not awaited. Await it, or run it with outsideTransaction.',
  )
}

export function commitFailedError(cause: unknown): FwError {
  const reason = cause instanceof Error ? cause.message : 'the database rolled back'
  return new FwError('db.commit-failed', `Nothing was committed: ${reason}`, { cause })
}

export function commitOutcomeUnknownError(cause: unknown): FwError {
  return new FwError(
    'db.commit-outcome-unknown',
    'The connection was lost or the server failed during COMMIT: whether it was carried out is unknown. Look before you repeat it.',
    { cause },
  )
}

/**
 * Whether a server that failed a COMMIT may have carried it out. Citus reports an internal error if it loses the connection to the
 * node of the rows.
 */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof UnavailableError || (error instanceof QueryError && error.sqlState === 'XX000')

/** Whether the error makes the transaction unusable. False for values that JavaScript cannot represent: no statement failed. */
export function abortsTransaction(error: unknown): boolean {
  const code = error instanceof FwError ? error.code : undefined
  return code !== 'db.value-out-of-range' && code !== 'db.parameter-invalid'
}

/**
 * The reason why the database refused a row. `taken`: another row has the same unique values. `missing`: the referenced row
 * does not exist. `used`: other rows reference this row. `blank`: a column must not be NULL. `overlapping`: the row violates an
 * exclusion constraint. `unfit`: the row violates a CHECK constraint, or a text cannot be converted to the column's type.
 */
export type RefusalReason =
  | 'taken'
  | 'missing'
  | 'used'
  | 'blank'
  | 'overlapping'
  | 'tooLong'
  | 'outOfRange'
  | 'unfit'

/** The description of a refused row: the reason and the columns, without the values of the row. */
export interface Refusal {
  readonly reason: RefusalReason
  /** The names in the error: columns, and the functions in an index of expressions; often empty. */
  readonly columns: readonly string[]
  readonly table: string | undefined
  readonly constraint: string | undefined
  /** The maximum number of characters, if the error contains it. */
  readonly limit: number | undefined
}

/** The SQLSTATEs that a client's values can cause. Others of class 22, such as division by zero, are bugs. */
const refusalStates: Readonly<Record<RefusalReason, readonly string[]>> = {
  taken: ['23505'],
  missing: ['23503'],
  used: ['23001'],
  blank: ['23502'],
  overlapping: ['23P01'],
  tooLong: ['22001'],
  outOfRange: ['22003', '22008', '22015'],
  unfit: '22007 22018 22021 22030 22032 22P02 22P03 22P05 23000 23514 44000'.split(' '),
}

/** Returns why the database refused a row; `undefined` for any other error. */
export function parseRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof QueryError)) return undefined
  const reasons = Object.keys(refusalStates) as RefusalReason[]
  const reason = reasons.find((each) => refusalStates[each].includes(error.sqlState))
  if (reason === undefined) return undefined
  const { column, table, constraint, detail = '', cause } = error
  // The detail is like `Key (lower(mail))=(…) already exists.` in the server's language: use only the part before the values.
  const key = detail.slice(detail.indexOf('(') + 1, Math.max(0, detail.indexOf(')=(')))
  const names = key.match(/"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []
  const columns = column === undefined ? names.map(unquote) : [column]
  const limit = reason === 'tooLong' ? /\((\d+)\)/.exec((cause as Error).message)?.[1] : undefined
  const number = limit === undefined ? undefined : Number(limit)
  return { reason, columns, table, constraint, limit: number }
}

const unquote = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
