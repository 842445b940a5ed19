/** Refuses the forms of COPY that the embedded engine cannot run, because it would wait for them without an end. */
import { FwError } from '../base.ts'
import { findFirst, type ScriptProblem } from './check-script.ts'
import { parseScript, readCopy, type Copy, type SqlScript } from './sql-script.ts'

/** Returns the first COPY from or to a program in a file. `findScriptProblem` has already required rows for each COPY … FROM stdin. */
export function findProgram(sql: string, script: SqlScript): ScriptProblem | undefined {
  return findCopy(sql, script, programReason)
}

/**
 * Throws for a text that contains a COPY that the embedded engine cannot run: with a program, or from stdin. Not for a COPY whose rows are
 * sent with it.
 * @throws FwError `db.embedded-refused`
 */
export function checkCopy(sql: string): void {
  if (!/\bcopy\b/i.test(sql)) return
  const problem = findCopy(sql, parseScript(sql), (copy) => programReason(copy) ?? rowsReason(copy))
  if (problem === undefined) return
  const line = sql.slice(0, problem.at).split('\n').length
  throw new FwError(
    'db.embedded-refused',
    `The SQL was not sent to the embedded database, because of its line ${line}: ${problem.reason}.`,
  )
}

/** Returns the first COPY for which `findReason` returns a reason. */
const findCopy = (
  sql: string,
  { statements }: SqlScript,
  findReason: (copy: Copy) => string | undefined,
): ScriptProblem | undefined =>
  findFirst(statements, (statement) => {
    const copy = readCopy(sql, statement)
    const reason = copy && findReason(copy)
    return reason === undefined ? undefined : { at: statement.start, reason }
  })

function programReason({ direction, target }: Copy): string | undefined {
  if (target !== 'program') return undefined
  const remedy =
    direction === 'from'
      ? 'run the program yourself and put its rows below COPY … FROM stdin'
      : 'read the rows with a query and run the program yourself'
  return `COPY … PROGRAM starts a program on a server, which the embedded database cannot: ${remedy}, or set DATABASE_URL to a server`
}

const rowsReason = ({ direction, target }: Copy): string | undefined =>
  direction === 'from' && target === 'client'
    ? 'COPY … FROM stdin waits for rows that nobody sends: put them below it in a migration or seed file of SQL, or use INSERT'
    : undefined
