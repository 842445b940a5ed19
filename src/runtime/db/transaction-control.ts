/** Refuses statements that begin, end or divide a transaction: only `transaction` may do so. */
import { FwError } from '../base.ts'
import { parseScript } from './sql-script.ts'
import { sqlTokens } from './sql-tokens.ts'

/** Matches texts that may begin with transaction control: with a word of it, or with a comment. */
const mayControl =
  /^\s*(?:(?:abort|begin|commit|end|prepare|release|reset|rollback|savepoint|set|start)\b|--|\/\*)/i

const commands: ReadonlySet<string> = new Set(
  'abort begin commit end release rollback savepoint'.split(' '),
)

/** What follows `set`, `set local`, `set session` or `reset` in a change of the transaction's mode. */
const modes: ReadonlySet<string> = new Set([
  'transaction',
  'transaction_deferrable',
  'transaction_isolation',
  'transaction_read_only',
])

/**
 * Returns the error for a text with transaction control; `undefined` for any other text. Such a text would change the statements
 * of others on its connection, or end the transaction that `database.transaction` has begun. With `isExclusive`, the text runs
 * in a transaction, and may set the mode of that transaction.
 */
export function findTransactionControl(sql: string, isExclusive: boolean): FwError | undefined {
  const semicolon = sql.indexOf(';')
  const isSingle = semicolon === -1 || sql.slice(semicolon + 1).trim() === ''
  // Most texts are one statement, of which only the first words count.
  if (isSingle) return mayControl.test(sql) ? refuse(firstWords(sql), isExclusive) : undefined
  for (const { words } of parseScript(sql).statements) {
    const refusal = refuse(words, isExclusive)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/**
 * Returns at most three words with which the text begins. Words without quotes are in lower case; a quoted name counts as a word, loses its
 * quotes and keeps its letter case.
 */
function firstWords(sql: string): readonly string[] {
  const words: string[] = []
  for (const { kind, start, end } of sqlTokens(sql)) {
    if (kind === 'comment') continue
    const isName = kind === 'quoted' && sql[start] === '"'
    if (kind !== 'word' && !isName) break
    const word = isName ? sql.slice(start + 1, end - 1) : sql.slice(start, end).toLowerCase()
    if (words.push(word) === 3) break
  }
  return words
}

function refuse(words: readonly string[], isExclusive: boolean): FwError | undefined {
  const command = controlCommand(words)
  const isAllowed = command === undefined || (command === 'set transaction' && isExclusive)
  return isAllowed ? undefined : controlError(command)
}

function controlCommand(words: readonly string[]): string | undefined {
  const [first = '', second = '', third] = words
  // These end a transaction that another connection has prepared.
  if (second === 'prepared') return undefined
  if (commands.has(first)) return first
  const isPair = second === 'transaction' && ['prepare', 'set', 'start'].includes(first)
  if (isPair) return `${first} transaction`
  if (first !== 'set' && first !== 'reset') return undefined
  if (second === 'session' && third === 'characteristics') return 'set session characteristics'
  const name = (second === 'session' ? third : second) ?? ''
  if (name.startsWith('default_transaction_')) return `${first} ${name}`
  const mode = second === 'local' ? third : name
  return modes.has(mode ?? '') ? 'set transaction' : undefined
}

function controlError(command: string): FwError {
  const isMode = /^(?:re)?set\b/.test(command)
  const advice = isMode
    ? 'give the mode to database.transaction(work, { isolation, readOnly })'
    : 'call database.transaction(work); inside it, a nested call is a savepoint'
  return new FwError(
    'db.transaction-control',
    `The SQL contains ${command.toUpperCase()}, which would change the transactions of other statements: ${advice}.`,
  )
}
