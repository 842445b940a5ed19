/** Splits SQL text into tokens as PostgreSQL's lexer does, with the setting `standard_conforming_strings` on. */

/**
 * The kind of a token. `word`: a name or keyword without quotes; `quoted`: a string, a quoted name or a dollar-quoted body; `;`,
 * `(`, `)` and `\`: these characters; `other`: a number, a parameter or a character of an operator.
 */
export type TokenKind = 'comment' | 'word' | 'quoted' | ';' | '(' | ')' | '\\' | 'other'

/** A token: the text from `start` up to, but not including, `end`. */
export interface SqlToken {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

// PostgreSQL compares bytes, so that every character outside ASCII may be part of a name: also a no-break space.
const space = /[ \t\n\r\f\v]*/y
const word = /[A-Za-z_\x80-\uffff][\w$\x80-\uffff]*/y
const number =
  /0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*(?:\.(?!\.)(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?/y
const parameter = /\$\d+/y
const dollarQuote = /\$(?:[A-Za-z_\x80-\uffff][\w\x80-\uffff]*)?\$/y
/** The text between the parts of a string that continues after a line break; a comment may stand before and after the break. */
const continuation =
  /(?:[ \t\f\v]|--[^\n\r]*(?=[\n\r]))*[\n\r](?:[ \t\n\r\f\v]|--[^\n\r]*[\n\r])*'/y
const lineEnd = /[\n\r]/g
const escapeOrQuote = /['\\]/g
const commentEdge = /\/\*|\*\//g

/** Yields the tokens of a text from a position. A string or comment without an end reaches to the end of the text. */
export function* sqlTokens(sql: string, from = 0): Generator<SqlToken, void> {
  for (let start = matchEnd(space, sql, from); start < sql.length;) {
    const token = readToken(sql, start)
    yield token
    start = matchEnd(space, sql, token.end)
  }
}

function readToken(sql: string, start: number): SqlToken {
  const kind = findKind(sql, start)
  if (kind === 'comment') return { kind, start, end: commentEnd(sql, start) }
  if (kind === 'quoted') return { kind, start, end: quotedEnd(sql, start) }
  if (kind !== 'other') return { kind, start, end: start + 1 }
  const wordEnd = matchEnd(word, sql, start)
  if (wordEnd > start) return { kind: 'word', start, end: wordEnd }
  const end = Math.max(matchEnd(number, sql, start), matchEnd(parameter, sql, start), start + 1)
  return { kind, start, end }
}

/** Returns the kind of the token at `at`; `other` also for a word. */
function findKind(sql: string, at: number): TokenKind {
  const first = sql[at]!
  if (first === ';' || first === '(' || first === ')' || first === '\\') return first
  if (first === "'" || first === '"') return 'quoted'
  if (first === 'e' || first === 'E') return sql[at + 1] === "'" ? 'quoted' : 'other'
  if (first === '$') return matchEnd(dollarQuote, sql, at) > at ? 'quoted' : 'other'
  const second = first === '-' || first === '/' ? sql[at + 1] : undefined
  return second === (first === '-' ? '-' : '*') ? 'comment' : 'other'
}

function quotedEnd(sql: string, start: number): number {
  const first = sql[start]!
  if (first === '$') {
    const bodyStart = matchEnd(dollarQuote, sql, start)
    const tag = sql.slice(start, bodyStart)
    const close = sql.indexOf(tag, bodyStart)
    return close === -1 ? sql.length : close + tag.length
  }
  if (first === '"' || first === "'") return closingQuoteEnd(sql, start + 1, first)
  let end = escapeStringEnd(sql, start + 2)
  for (let next = matchEnd(continuation, sql, end); next > end;) {
    end = escapeStringEnd(sql, next)
    next = matchEnd(continuation, sql, end)
  }
  return end
}

/** Returns the position after the closing quote. A doubled quote does not close. */
function closingQuoteEnd(sql: string, from: number, quote: string): number {
  for (let at = from; ;) {
    const close = sql.indexOf(quote, at)
    if (close === -1) return sql.length
    if (sql[close + 1] !== quote) return close + 1
    at = close + 2
  }
}

function escapeStringEnd(sql: string, from: number): number {
  for (let at = from; ;) {
    const found = findNext(escapeOrQuote, sql, at)
    if (found >= sql.length) return sql.length
    if (sql[found] === "'" && sql[found + 1] !== "'") return found + 1
    at = found + 2
  }
}

const commentEnd = (sql: string, start: number): number =>
  sql[start] === '-' ? findNext(lineEnd, sql, start) : blockCommentEnd(sql, start)

/** Returns the position after a block comment. PostgreSQL's block comments can be nested. */
function blockCommentEnd(sql: string, start: number): number {
  let depth = 0
  for (let at = start; ;) {
    const edge = findNext(commentEdge, sql, at)
    if (edge >= sql.length) return sql.length
    depth += sql[edge] === '/' ? 1 : -1
    at = edge + 2
    if (depth === 0) return at
  }
}

/** Returns the end of the match at `at`; `at` without a match. */
function matchEnd(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : at
}

/** Returns the position of the next match; the length of the text without a match. */
function findNext(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(sql)?.index ?? sql.length
}
