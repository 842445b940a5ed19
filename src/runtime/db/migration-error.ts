/** The error of a failed migration, with the line of the failed SQL. */
import { FwError } from '../base.ts'
import {
  showPath,
  type MigrationFile,
  type MigrationStep,
  type SqlStep,
} from './migration-files.ts'
import { QueryError } from './query-error.ts'

/** A location in a file; line and column start at 1. */
interface SqlLocation {
  readonly path: string
  readonly line: number
  readonly column: number
}

interface FailureOptions {
  /** Where the failed statement starts in the SQL of the step. */
  readonly start?: number
  /** True if the migration ran outside a transaction, so that its earlier statements remain in effect. */
  readonly isKept?: boolean
}

/** The error `db.migration-failed`. Its message contains PostgreSQL's reason, the line and PostgreSQL's hint. */
export class MigrationError extends FwError {
  /** The location of the failed SQL; undefined for a migration in code, and for an error without a position. */
  readonly location: SqlLocation | undefined

  constructor(
    { path, down }: MigrationFile,
    step: MigrationStep,
    cause: unknown,
    { start = 0, isKept = false }: FailureOptions,
  ) {
    const { reason, hint, position } = readFailure(cause)
    const location = 'sql' in step && position > 0 ? locate(step, start, position) : undefined
    const at = location === undefined ? '' : `:${location.line}`
    const advice = hint === undefined ? '' : ` Hint: ${hint.replace(/\.?$/, '.')}`
    const kept = isKept ? 'What it did before stays in the database.' : 'It changed nothing.'
    const file = showPath('sql' in step ? step.path : path)
    const command = step === down ? './fw db:rollback' : './fw db:migrate'
    const message = `${file}${at} failed: ${reason}.${advice} ${kept} Correct the file, then run ${command}.`
    super('db.migration-failed', message, { cause })
    this.location = location
  }
}

/** Reads the reason, the hint, and the position of the error in the statement in characters: 1 is the first, 0 is unknown. */
function readFailure(cause: unknown) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (!(cause instanceof QueryError)) return { reason, hint: undefined, position: 0 }
  const server = cause.cause as { message: string; hint?: string; position?: string }
  return {
    // The reason omits the SQL, because the file contains it.
    reason: `${server.message} (SQLSTATE ${cause.sqlState})`,
    hint: server.hint,
    position: Number(server.position ?? 0),
  }
}

function locate({ sql, path, line }: SqlStep, start: number, position: number): SqlLocation {
  // Convert the text to code points, because PostgreSQL counts positions in code points.
  const statement = Array.from(sql.slice(start))
    .slice(0, position - 1)
    .join('')
  const before = (sql.slice(0, start) + statement).split('\n')
  return { path, line: line + before.length - 1, column: before.at(-1)!.length + 1 }
}
