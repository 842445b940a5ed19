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
    const { reason, hint, position, sqlState } = readFailure(cause)
    const location = 'sql' in step && position > 0 ? locate(step, start, position) : undefined
    const at = location === undefined ? '' : `:${location.line}`
    const advice = hint === undefined ? '' : ` Hint: ${hint.replace(/\.?$/, '.')}`
    const remedy = findRemedy(sqlState, reason)
    const correct = remedy ?? 'Correct the file'
    const kept = isKept ? 'What it did before stays in the database.' : 'It changed nothing.'
    const file = showPath('sql' in step ? step.path : path)
    const command = step === down ? './fw db:rollback' : './fw db:migrate'
    const message = `${file}${at} failed: ${reason}.${advice} ${kept} ${correct}, then run ${command}.`
    super('db.migration-failed', message, { cause })
    this.location = location
  }
}

/** Reads the reason, the hint, and the position of the error in the statement in characters: 1 is the first, 0 is unknown. */
function readFailure(cause: unknown) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (!(cause instanceof QueryError))
    return { reason, hint: undefined, position: 0, sqlState: undefined }
  const server = cause.cause as { message: string; hint?: string; position?: string }
  return {
    // The reason omits the SQL, because the file contains it.
    reason: `${server.message} (SQLSTATE ${cause.sqlState})`,
    hint: server.hint,
    position: Number(server.position ?? 0),
    sqlState: cause.sqlState,
  }
}

/** What to change in a file, by SQLSTATE and the beginning of PostgreSQL's reason. */
const remedies: readonly (readonly [sqlState: string, reason: RegExp, remedy: string])[] = [
  [
    '25001',
    /./,
    "Move this statement to a migration of its own that begins with the line '-- no transaction', or that has 'export const transaction = false'",
  ],
  ['55P04', /./, 'Move the statement that adds the value to an earlier migration of its own'],
  [
    '42P07',
    /^relation "fw_schema_migrations"/,
    'Leave the table out, for example with pg_dump --exclude-table=fw_schema_migrations',
  ],
  [
    '42704',
    /^role /,
    'Create the role, or leave owners and privileges out, as pg_dump --no-owner --no-privileges does',
  ],
  [
    '42704',
    /^unrecognized configuration parameter/,
    'Remove the line, which is for another version of PostgreSQL',
  ],
]

const findRemedy = (sqlState: string | undefined, reason: string): string | undefined =>
  remedies.find(([state, pattern]) => state === sqlState && pattern.test(reason))?.[2]

function locate({ sql, path, line }: SqlStep, start: number, position: number): SqlLocation {
  // Convert the text to code points, because PostgreSQL counts positions in code points.
  const statement = Array.from(sql.slice(start))
    .slice(0, position - 1)
    .join('')
  const before = (sql.slice(0, start) + statement).split('\n')
  return { path, line: line + before.length - 1, column: before.at(-1)!.length + 1 }
}
