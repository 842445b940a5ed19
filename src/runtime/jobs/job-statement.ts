/** Runs the statements of `jobSql` on a database. */
import { FwError } from '../base.ts'
import { QueryError, type Database, type Statement, type StatementResult } from '../db.ts'
import { jobSql, type JobStatement } from './job-sql.ts'

/** Returns a statement. Its name lets the server parse it once for each connection. */
export const jobStatement = (
  name: JobStatement,
  parameters: readonly unknown[],
  isLastWrite = false,
): Statement => ({ sql: jobSql[name], parameters, name: `fw-job-${name}`, isLastWrite })

/**
 * Runs a statement in the current transaction, else by itself in `read committed`: in stronger levels, jobs that other processes
 * have just changed would be an error instead of being skipped.
 * @throws FwError `jobs.tables-missing`
 */
export async function runStatement<Row = Record<string, unknown>>(
  database: Database,
  name: JobStatement,
  parameters: readonly unknown[],
  needsResult = true,
): Promise<StatementResult<Row>> {
  const statement = jobStatement(name, parameters)
  const run = () =>
    database.query<Row>(needsResult ? statement : { ...statement, explainLate: explain })
  const { defaultIsolation = 'read committed' } = database.pool
  const isPlain =
    defaultIsolation === 'read committed' || database.currentTransaction() !== undefined
  try {
    return await (isPlain ? run() : database.transaction(run, { isolation: 'read committed' }))
  } catch (error) {
    throw explain(error)
  }
}

const explain = (error: unknown): unknown => (isMissingTable(error) ? tablesMissing(error) : error)

const isMissingTable = (error: unknown): boolean =>
  error instanceof QueryError && error.sqlState === '42P01' && /"fw_job/.test(error.message)

const tablesMissing = (cause: unknown): FwError =>
  new FwError(
    'jobs.tables-missing',
    'The tables of jobs are missing. Write their migration into db/migration and apply it:\n' +
      '  ./fw g migration create_fw_jobs\n' +
      '  ./fw db:migrate',
    { cause },
  )
