/** The failure of a migration, with the line of its SQL. */
import { FwError } from '../base.ts'
import { QueryError } from './query-error.ts'

/** A line of a file; line and column count from 1. */
interface SqlLocation {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The code is `db.migration-failed`. The message contains PostgreSQL's reason, the line and PostgreSQL's hint. */
export class MigrationError extends FwError {
  /** Absent for a migration in code, and for an error without a position. */
  readonly location: SqlLocation | undefined

  /** `isKept` for a migration outside a transaction. */
  constructor(file: string, script: Script | undefined, cause: unknown, isKept = false) {
    const failure = readFailure(cause)
    const location = script && locate(script, failure.position)
    const at = location === undefined ? '' : ` at line ${location.line}`
    const hint = failure.hint === undefined ? '' : ` Hint: ${failure.hint.replace(/\.?$/, '.')}`
    const kept = isKept ? 'what it did before is kept' : 'nothing of it was kept'
    const message = `The migration ${file} failed${at}, and ${kept}: ${failure.reason}.${hint} Correct it, and run it again.`
    super('db.migration-failed', message, { cause })
    this.location = location
  }
}

/** A part of a file, from this line on. */
interface Script {
  readonly sql: string
  readonly path: string
  readonly line: number
}

interface Failure {
  readonly reason: string
  readonly hint: string | undefined
  /** Counts the characters of the script from 1. */
  readonly position: number | undefined
}

function readFailure(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (!(cause instanceof QueryError)) return { reason, hint: undefined, position: undefined }
  const server = cause.cause as { message: string; hint?: unknown; position?: unknown }
  const position = Number(server.position)
  return {
    // Without the script: the file contains it.
    reason: `${server.message} (SQLSTATE ${cause.sqlState})`,
    hint: typeof server.hint === 'string' ? server.hint : undefined,
    position: position > 0 ? position : undefined,
  }
}

function locate(
  { sql, path, line }: Script,
  position: number | undefined,
): SqlLocation | undefined {
  if (position === undefined) return undefined
  // PostgreSQL counts code points.
  const before = [...sql]
    .slice(0, position - 1)
    .join('')
    .split('\n')
  return { path, line: line + before.length - 1, column: before.at(-1)!.length + 1 }
}
