/** Finds what an SQL script contains that PostgreSQL or Fw would not run as its author expects. */
import type { CopyData, SqlScript, SqlStatement } from './sql-script.ts'

/** What is wrong with a script, and the position in the text. */
export interface ScriptProblem {
  readonly at: number
  readonly reason: string
}

/** Returns the first problem of a script. With `inTransaction`, the script must not end the transaction in which it runs. */
export function findScriptProblem(
  sql: string,
  script: SqlScript,
  inTransaction: boolean,
): ScriptProblem | undefined {
  const { statements } = script
  return (
    findForeignLine(sql, script) ??
    findPlaceholder(script) ??
    findCommand(sql, script) ??
    findFirst(statements, (statement) => findCopyProblem(sql, statement)) ??
    findFirst(statements, (statement) => findOtherEncoding(sql, statement)) ??
    (inTransaction ? findTransactionProblem(sql, script) : undefined)
  )
}

/** Returns the first value that `find` returns for an item; `undefined` without one. */
export function findFirst<T, R>(
  list: readonly T[],
  find: (item: T) => R | undefined,
): R | undefined {
  for (const item of list) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** The lines with which other tools divide a file. */
const foreignLines: readonly (readonly [tool: string, line: RegExp])[] = [
  ['goose', /^--\s*\+goose\b/i],
  ['sql-migrate', /^--\s*\+migrate\b/i],
  ['dbmate', /^--\s*migrate:/i],
  ['rambler', /^--\s*rambler\s+(?:up|down)\b/i],
  ['node-pg-migrate', /^--\s*(?:up|down) migration\b/i],
  ['micrate', /^--\s*\+micrate\b/i],
  ['MyBatis', /^--\s*\/\/\s*@undo\b/i],
  ['Play', /^--[-\s]*!(?:ups|downs)\b/i],
  ['tern', /^--[-\s]*create above\b/i],
]

function findForeignLine(sql: string, { comments }: SqlScript): ScriptProblem | undefined {
  for (const { start, end } of comments) {
    const text = sql.slice(start, end)
    const [tool] = foreignLines.find(([, line]) => line.test(text)) ?? []
    if (tool === undefined) continue
    const reason = `'${text.trim()}' is a line of ${tool}. Begin the reversal with a line '-- down', begin a file that needs no transaction with '-- no transaction', and remove the other lines of ${tool}`
    return { at: start, reason }
  }
  return undefined
}

function findPlaceholder({ placeholders: [at] }: SqlScript): ScriptProblem | undefined {
  const reason =
    'a placeholder such as ${name} of Flyway is not replaced: write its value in its place'
  return at === undefined ? undefined : { at, reason }
}

/** The commands of psql that pg_dump writes. They protect psql from names in the dump, and have no other effect. */
const harmlessCommand = /^\\(?:un)?restrict(?:\s|$)/

function findCommand(sql: string, { commands }: SqlScript): ScriptProblem | undefined {
  const command = commands.find(({ start, end }) => !harmlessCommand.test(sql.slice(start, end)))
  if (command === undefined) return undefined
  const [name = ''] = sql.slice(command.start, command.end).split(/\s/)
  const reason = `${name} is a command of psql, not SQL: remove it, or write SQL that has its effect`
  return { at: command.start, reason }
}

function findCopyProblem(sql: string, { data, end }: SqlStatement): ScriptProblem | undefined {
  if (data === undefined) return undefined
  const reason = findDataProblem(sql.slice(end, data.start), data)
  return reason === undefined ? undefined : { at: end, reason }
}

function findDataProblem(between: string, { isEnded }: CopyData): string | undefined {
  if (!/^\s*;[ \t]*(?:--.*)?\n$/.test(between))
    return 'the rows of COPY … FROM stdin must begin on the line after its semicolon'
  return isEnded ? undefined : "the rows of COPY … FROM stdin lack their last line '\\.'"
}

const setEncoding = /^set\s+(?:(?:session|local)\s+)?(?:client_encoding|names)\b(?!.*utf-?8)/is

function findOtherEncoding(
  sql: string,
  { words: [first], start, end }: SqlStatement,
): ScriptProblem | undefined {
  if (first !== 'set' || !setEncoding.test(sql.slice(start, end))) return undefined
  return { at: start, reason: 'Fw sends UTF-8: remove this statement, and save the file as UTF-8' }
}

const openingWords = /^(?:begin(?: work| transaction)?|start transaction)$/
const closingWords = /^(?:commit|end)(?: work| transaction)?$/

/** Whether the script is one transaction: it begins with BEGIN, ends with COMMIT, and neither has an option. */
export function isOneTransaction(sql: string, { statements }: SqlScript): boolean {
  const [first, last] = [statements[0], statements.at(-1)]
  return isOnly(sql, first, openingWords) && isOnly(sql, last, closingWords)
}

const isOnly = (sql: string, statement: SqlStatement | undefined, words: RegExp): boolean =>
  statement !== undefined &&
  words.test(statement.words.join(' ')) &&
  !/[^\w\s]/.test(sql.slice(statement.start, statement.end))

/** Whether a statement begins or ends a transaction; ROLLBACK TO a savepoint does not. */
export function isTransactionControl({ words }: SqlStatement): boolean {
  const [first = '', second] = words
  if (first === 'start' || first === 'prepare') return second === 'transaction'
  if (first === 'rollback') return !words.includes('to')
  return ['begin', 'commit', 'end', 'abort'].includes(first)
}

function findTransactionProblem(sql: string, script: SqlScript): ScriptProblem | undefined {
  const { statements } = script
  const inner = isOneTransaction(sql, script) ? statements.slice(1, -1) : statements
  const statement = inner.find(isTransactionControl)
  if (statement === undefined) return undefined
  const reason = `Fw runs the file in one transaction, which ${statement.words[0]!.toUpperCase()} would change: remove the statement, or begin the file with the line '-- no transaction'`
  return { at: statement.start, reason }
}
