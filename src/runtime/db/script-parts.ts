/** Divides an SQL script into the parts that are sent to the database one after another. */
import { isOneTransaction } from './check-script.ts'
import { parseScript, type SqlRange } from './sql-script.ts'

/** A part of a script. */
export interface ScriptPart {
  readonly sql: string
  /** The position of the part in the script. */
  readonly start: number
  /** The rows that follow a `copy … from stdin`; undefined for other statements. */
  readonly rows?: string
}

/**
 * Returns the parts of a script: each statement is one. PostgreSQL would run several in a message as one transaction, and Citus
 * refuses to change distributed tables there. In a transaction, the BEGIN and COMMIT around a script are left out.
 */
export function scriptParts(sql: string, inTransaction: boolean): ScriptPart[] {
  const script = parseScript(sql)
  const text = blank(sql, script.commands)
  const isWrapped = inTransaction && isOneTransaction(sql, script)
  const statements = isWrapped ? script.statements.slice(1, -1) : script.statements
  return statements.map(({ start, end, data }) => ({
    sql: text.slice(start, end),
    start,
    ...(data && { rows: sql.slice(data.start, data.end) }),
  }))
}

/** Replaces ranges by blanks, so that positions in the text stay the same. */
function blank(sql: string, ranges: readonly SqlRange[]): string {
  let text = ''
  let at = 0
  for (const { start, end } of ranges) {
    text += sql.slice(at, start) + ' '.repeat(end - start)
    at = end
  }
  return text + sql.slice(at)
}
