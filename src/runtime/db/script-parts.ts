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
 * Returns the parts of a script. In a transaction, all statements between two COPY statements are one part, and the BEGIN and
 * COMMIT around a script are left out. Otherwise each statement is a part: PostgreSQL would run several as one transaction.
 */
export function scriptParts(sql: string, inTransaction: boolean): ScriptPart[] {
  const script = parseScript(sql)
  const text = blank(sql, script.commands)
  const isWrapped = inTransaction && isOneTransaction(sql, script)
  const parts: ScriptPart[] = []
  let groupStart: number | undefined
  for (const { start, end, data } of isWrapped
    ? script.statements.slice(1, -1)
    : script.statements) {
    const isExtension = groupStart !== undefined && data === undefined
    const from = isExtension ? groupStart! : start
    if (isExtension) parts.pop()
    const rows = data && { rows: sql.slice(data.start, data.end) }
    parts.push({ sql: text.slice(from, end), start: from, ...rows })
    groupStart = inTransaction && data === undefined ? from : undefined
  }
  return parts
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
