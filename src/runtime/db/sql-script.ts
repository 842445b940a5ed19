/** Parses SQL text into statements, their COPY data, comments and commands of psql. */
import { sqlTokens, type SqlToken } from './sql-tokens.ts'

/** A part of the text: from `start` up to, but not including, `end`. */
export interface SqlRange {
  readonly start: number
  readonly end: number
}

/** A statement without its final semicolon. */
export interface SqlStatement extends SqlRange {
  /** The keywords and names outside parentheses and quotes, in lower case. */
  readonly words: readonly string[]
  /** The rows that follow a `copy … from stdin`, without the line `\.`. */
  readonly data?: CopyData
}

export interface CopyData extends SqlRange {
  /** Whether a line `\.` ends the rows. */
  readonly isEnded: boolean
}

/** A comment outside of statement bodies and parentheses. */
export interface SqlComment extends SqlRange {
  /** The number of statements before the comment, including one that it interrupts. */
  readonly statementsBefore: number
}

export interface SqlScript {
  readonly statements: readonly SqlStatement[]
  readonly comments: readonly SqlComment[]
  /** The commands of psql: each is a backslash outside quotes, with the rest of its line. */
  readonly commands: readonly SqlRange[]
  /** The positions of `${` outside quotes, as in placeholders of other tools. */
  readonly placeholders: readonly number[]
}

/** An open statement: the one at the top, or one in the body of a routine. */
interface OpenStatement {
  words: string[]
  start: number
  end: number
  parentheses: number
  /** Whether the last token is the word BEGIN. */
  isAfterBegin: boolean
}

const emptyStatement = (): OpenStatement => ({
  words: [],
  start: -1,
  end: -1,
  parentheses: 0,
  isAfterBegin: false,
})

/**
 * Parses a script. A semicolon does not end a statement inside parentheses, as in CREATE RULE, and inside the body
 * `BEGIN ATOMIC … END` of a routine.
 */
export const parseScript = (sql: string): SqlScript => new ScriptParser(sql).parse()

class ScriptParser implements SqlScript {
  readonly statements: SqlStatement[] = []
  readonly comments: SqlComment[] = []
  readonly commands: SqlRange[] = []
  readonly placeholders: number[] = []
  readonly #sql: string
  /** The statement at the top, then for each open body the statement inside of it. */
  readonly #open: OpenStatement[] = [emptyStatement()]

  constructor(sql: string) {
    this.#sql = sql
  }

  parse(): SqlScript {
    const { length } = this.#sql
    // A command and the rows of a COPY are no SQL, so the next tokens begin after them.
    for (let from = 0; from < length;) from = this.#readUntilOther(from)
    this.#endStatement()
    return this
  }

  /** Reads tokens until the text that is not SQL, and returns its end. */
  #readUntilOther(from: number): number {
    for (const token of sqlTokens(this.#sql, from)) {
      const next = this.#add(token)
      if (next !== undefined) return next
    }
    return this.#sql.length
  }

  /** Adds a token. Returns where the next token begins if the text after this one is not SQL. */
  #add(token: SqlToken): number | undefined {
    const statement = this.#open.at(-1)!
    if (token.kind === 'comment') return this.#addComment(token)
    if (token.kind === '\\') return this.#addCommand(token)
    if (token.kind === ';' && statement.parentheses === 0) {
      if (this.#open.length === 1) return this.#endStatement(token.end)
      this.#open[this.#open.length - 1] = emptyStatement()
      return undefined
    }
    if (this.#sql.startsWith('${', token.start)) this.placeholders.push(token.start)
    const isFirst = statement.start === -1
    for (const open of this.#open) {
      if (open.start === -1) open.start = token.start
      open.end = token.end
    }
    if (token.kind === 'word' && statement.parentheses === 0)
      this.#addWord(token, statement, isFirst)
    else statement.isAfterBegin = false
    if (token.kind === '(') statement.parentheses++
    else if (token.kind === ')') statement.parentheses = Math.max(0, statement.parentheses - 1)
    return undefined
  }

  #addWord({ start, end }: SqlToken, statement: OpenStatement, isFirst: boolean): void {
    const word = this.#sql.slice(start, end).toLowerCase()
    const isBodyEnd = word === 'end' && isFirst && this.#open.length > 1
    const isBodyStart = word === 'atomic' && statement.isAfterBegin && isRoutine(statement.words)
    statement.words.push(word)
    statement.isAfterBegin = word === 'begin'
    if (isBodyEnd) this.#open.pop()
    else if (isBodyStart) this.#open.push(emptyStatement())
  }

  #addComment({ start, end }: SqlToken): undefined {
    const [first] = this.#open
    if (this.#open.length > 1 || first!.parentheses > 0) return
    const statementsBefore = this.statements.length + (first!.start === -1 ? 0 : 1)
    this.comments.push({ start, end, statementsBefore })
  }

  #addCommand({ start }: SqlToken): number {
    const end = findLineEnd(this.#sql, start)
    this.commands.push({ start, end })
    return end
  }

  /** Ends the statement at the top. Returns the end of its COPY data, if it has any. */
  #endStatement(after?: number): number | undefined {
    const { words, start, end } = this.#open[0]!
    this.#open.splice(0, Infinity, emptyStatement())
    if (start === -1) return undefined
    const copy = readCopy(this.#sql, { words, start, end })
    const isCopyFromClient = copy?.direction === 'from' && copy.target === 'client'
    const copied = isCopyFromClient ? readCopyData(this.#sql, after) : undefined
    this.statements.push({ start, end, words, ...(copied && { data: copied.data }) })
    return copied?.next
  }
}

/** Whether the statement is CREATE [OR REPLACE] FUNCTION or PROCEDURE. */
function isRoutine([first, second, third, fourth]: readonly string[]): boolean {
  const kind = second === 'or' && third === 'replace' ? fourth : second
  return first === 'create' && (kind === 'function' || kind === 'procedure')
}

/** What a COPY reads or writes: rows that the client sends or receives, a program or a file. */
export interface Copy {
  readonly direction: 'from' | 'to'
  readonly target: 'client' | 'program' | 'file'
}

/** Returns what a statement copies from or to, if it is a COPY. PostgreSQL accepts STDOUT for STDIN, and reversed. */
export function readCopy(
  sql: string,
  { words, start, end }: Omit<SqlStatement, 'data'>,
): Copy | undefined {
  if (words[0] !== 'copy') return undefined
  const statement = sql.slice(start, end)
  const found = findCopyTarget(statement)
  if (found === undefined) return undefined
  const name = statement.slice(found.start, found.end).toLowerCase()
  const isClient = name === 'stdin' || name === 'stdout'
  const target = isClient ? 'client' : name === 'program' ? 'program' : 'file'
  return { direction: found.direction, target }
}

/** Matches the line that ends the rows of a COPY. */
const dataEnd = /(?<![^\n])\\\.(?=\r?(?:\n|$))/

/** Reads the rows that begin on the line after the semicolon at `after`. */
function readCopyData(sql: string, after = sql.length): { data: CopyData; next: number } {
  const start = Math.min(sql.length, findLineEnd(sql, after) + 1)
  const length = sql.slice(start).search(dataEnd)
  if (length === -1) return { data: { start, end: sql.length, isEnded: false }, next: sql.length }
  const end = start + length
  return { data: { start, end, isEnded: true }, next: findLineEnd(sql, end) }
}

/** Returns the position of the line feed that ends the line of `at`, or the end of the text. */
function findLineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at)
  return end === -1 ? sql.length : end
}

/** Returns where a `copy … from stdin` names its source, which is the token after FROM. */
export function findCopySource(sql: string): SqlRange {
  const target = findCopyTarget(sql)
  if (target?.direction !== 'from') throw new TypeError('the statement is not a COPY from a source')
  return target
}

/** Returns what a COPY reads or writes: the token after the first FROM or TO outside parentheses and names. */
function findCopyTarget(
  sql: string,
): (SqlRange & { readonly direction: 'from' | 'to' }) | undefined {
  let parentheses = 0
  let direction: 'from' | 'to' | undefined
  let isName = false
  for (const { kind, start, end } of sqlTokens(sql)) {
    if (kind === 'comment') continue
    if (direction !== undefined) return { start, end, direction }
    if (kind === '(') parentheses++
    else if (kind === ')') parentheses--
    const text = sql.slice(start, end).toLowerCase()
    // After a dot, a keyword is a name.
    if (parentheses === 0 && !isName && (text === 'from' || text === 'to')) direction = text
    isName = text === '.'
  }
  return undefined
}
