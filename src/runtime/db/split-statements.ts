/** Splits SQL into its statements, as the server would: for statements that refuse a text with several. */

/** A part in which a semicolon ends no statement: comments, strings, quoted names, dollar-quoted texts. */
const opaque =
  /--[^\n]*|(?<![\p{L}\p{N}_$])[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>[\p{L}_][\p{L}\p{N}_]*)?\$/uy

/** Statements without the semicolon at their end; parts that contain only comments are left out. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = []
  let start = 0
  let hasCode = false
  const end = (at: number): void => {
    if (hasCode) statements.push(sql.slice(start, at).trim())
    start = at + 1
    hasCode = false
  }
  for (let at = 0; at < sql.length;) {
    const after = skipOpaque(sql, at)
    const isComment = sql.startsWith('--', at) || sql.startsWith('/*', at)
    if (after > at) hasCode ||= !isComment
    else if (sql[at] === ';') end(at)
    else hasCode ||= /\S/.test(sql[at]!)
    at = Math.max(after, at + 1)
  }
  end(sql.length)
  return statements
}

/** The position after the opaque part that begins at `at`; `at` itself if none does. */
function skipOpaque(sql: string, at: number): number {
  if (sql.startsWith('/*', at)) return skipComment(sql, at)
  const first = sql[at]!
  if (!`-'"$eE`.includes(first)) return at
  opaque.lastIndex = at
  const match = opaque.exec(sql)
  if (match === null) return at
  if (first !== '$') return at + match[0].length
  // A dollar inside a name, such as a$b$c, begins no text.
  if (/[\p{L}\p{N}_]/u.test(sql[at - 1] ?? '')) return at
  const close = sql.indexOf(match[0], at + match[0].length)
  return close === -1 ? sql.length : close + match[0].length
}

/** Comments nest. */
function skipComment(sql: string, from: number): number {
  let depth = 0
  for (let at = from; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) depth++
    else if (sql.startsWith('*/', at)) depth--
    else continue
    at++
    if (depth === 0) return at + 1
  }
  return sql.length
}
