/** Refuses statements that the embedded engine cannot run, and for which it would wait without an end. */
import { FwError } from '../base.ts'
import type { ScriptProblem } from './check-script.ts'
import { parseScript, readCopy, type SqlScript, type SqlStatement } from './sql-script.ts'

/** Matches texts that may contain a refused statement. */
const mayBeRefused = /\b(?:program|stdin|stdout)\b/i

/** Returns the first statement of a script that the embedded engine cannot run. */
export function findEmbeddedProblem(sql: string, script: SqlScript): ScriptProblem | undefined {
  for (const statement of script.statements) {
    const reason = findReason(sql, statement)
    if (reason !== undefined) return { at: statement.start, reason }
  }
  return undefined
}

function findReason(sql: string, statement: SqlStatement): string | undefined {
  const { direction, other } = readCopy(sql, statement) ?? {}
  if (other === 'program') {
    const remedy =
      direction === 'from'
        ? 'run the program yourself and put its rows below COPY … FROM stdin'
        : 'read the rows with a query and run the program yourself'
    return `COPY … PROGRAM starts a program on a server, which the embedded database cannot: ${remedy}, or set DATABASE_URL to a server`
  }
  const isWaiting = direction === 'from' && other === 'client' && statement.data === undefined
  return isWaiting
    ? 'COPY … FROM stdin waits for rows that nobody sends: put them below it in a migration or seed file of SQL, or use INSERT'
    : undefined
}

/** Throws for a text that contains a statement that the embedded engine cannot run. @throws FwError `db.embedded-refused` */
export function checkEmbedded(sql: string): void {
  if (!mayBeRefused.test(sql)) return
  const script = parseScript(sql)
  // Rows have been taken out of the text before, so that what looks like rows is not sent as such.
  const statements = script.statements.map(({ data: _data, ...statement }) => statement)
  const problem = findEmbeddedProblem(sql, { ...script, statements })
  if (problem === undefined) return
  const line = sql.slice(0, problem.at).split('\n').length
  throw new FwError(
    'db.embedded-refused',
    `The SQL was not sent to the embedded database, because of its line ${line}: ${problem.reason}.`,
  )
}
