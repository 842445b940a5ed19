/** The error of a failed migration, with the line of the failed SQL. */
import { FwError } from '../base.ts'
import { showPath, type MigrationFile } from './migration-files.ts'
import { QueryError } from './query-error.ts'

/** A location in a file; line and column start at 1. */
interface SqlLocation {
  readonly path: string
  readonly line: number
  readonly column: number
}

/** The error `db.migration-failed`. Its message contains PostgreSQL's reason, the line and PostgreSQL's hint. */
export class MigrationError extends FwError {
  /** The location of the failed SQL; undefined for a migration in code, and for an error without a position. */
  readonly location: SqlLocation | undefined

  /** `isKept` is true if the migration ran outside a transaction, so that its earlier statements remain in effect. */
  constructor(
    { path }: MigrationFile,
    { script, direction }: FailedStep,
    cause: unknown,
    isKept = false,
  ) {
    const failure = readFailure(cause)
    const location = script && locate(script, failure.position)
    const at = location === undefined ? '' : `:${location.line}`
    const hint = failure.hint === undefined ? '' : ` Hint: ${failure.hint.replace(/\.?$/, '.')}`
    const kept = isKept ? 'What it did before stays in the database.' : 'It changed nothing.'
    const file = showPath(script?.path ?? path)
    const message = `${file}${at} failed: ${failure.reason}.${hint} ${kept} Correct the file, then run ./fw db:${direction}.`
    super('db.migration-failed', message, { cause })
    this.location = location
  }
}

/** SQL text that starts at a line of a file. */
interface Script {
  readonly sql: string
  readonly path: string
  readonly line: number
}

interface FailedStep {
  /** The SQL of the failed step; undefined for a migration in code. */
  readonly script: Script | undefined
  readonly direction: 'migrate' | 'rollback'
}

interface Failure {
  readonly reason: string
  readonly hint: string | undefined
  /** The position of the error in the script, in characters; the first character is 1. */
  readonly position: number | undefined
}

function readFailure(cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (!(cause instanceof QueryError)) return { reason, hint: undefined, position: undefined }
  const server = cause.cause as { message: string; hint?: unknown; position?: unknown }
  const position = Number(server.position)
  return {
    // The reason omits the SQL, because the file contains it.
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
  // Spread the text into code points, because PostgreSQL counts positions in code points.
  const before = [...sql]
    .slice(0, position - 1)
    .join('')
    .split('\n')
  return { path, line: line + before.length - 1, column: before.at(-1)!.length + 1 }
}
