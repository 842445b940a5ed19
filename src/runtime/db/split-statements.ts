/** Splits SQL text into single statements, as PostgreSQL does, because some cannot be sent together with others. */

/** Matches SQL in which a semicolon does not end a statement: comments, strings, quoted names and dollar-quoted strings. */
const opaque =
  /--[^\n]*|(?<![\p{L}\p{N}_$])[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>[\p{L}_][\p{L}\p{N}_]*)?\$/uy

/** Returns the statements without their final semicolons, and omits parts that contain only comments. */
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

/** Returns the position after the comment, string or quoted name that begins at `at`; `at` if none begins at that position. */
function skipOpaque(sql: string, at: number): number {
  if (sql.startsWith('/*', at)) return skipComment(sql, at)
  const first = sql[at]!
  if (!`-'"$eE`.includes(first)) return at
  opaque.lastIndex = at
  const match = opaque.exec(sql)
  if (match === null) return at
  if (first !== '$') return at + match[0].length
  // A dollar sign inside a name, such as a$b$c, does not begin a dollar-quoted string.
  if (/[\p{L}\p{N}_]/u.test(sql[at - 1] ?? '')) return at
  const close = sql.indexOf(match[0], at + match[0].length)
  return close === -1 ? sql.length : close + match[0].length
}

/** Returns the position after a block comment. PostgreSQL's block comments can be nested. */
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
