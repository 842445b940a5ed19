/** Refuses statements that begin, end or divide a transaction: only `transaction` may do so. */
import { FwError } from '../base.ts'
import { parseScript } from './sql-script.ts'

/** Matches the beginning of every text that transaction control can begin with, and of few others. */
const mayControl =
  /^\s*(?:abort|begin|commit|end|prepare\s|release|rollback|savepoint|set\s|start\s|--|\/\*)/i

const commands: ReadonlySet<string> = new Set(
  'abort begin commit end release rollback savepoint'.split(' '),
)

/**
 * Returns the error for a text that contains transaction control: other callers may share its connection, or it may end the
 * transaction that `database.transaction` has begun. Returns undefined for every other text. With `isExclusive`, the text runs
 * in a transaction, and may set its mode.
 */
export function findTransactionControl(sql: string, isExclusive: boolean): FwError | undefined {
  if (!mayControl.test(sql) && !sql.includes(';')) return undefined
  for (const { words } of parseScript(sql).statements) {
    const command = controlCommand(words)
    if (command === 'set transaction' && isExclusive) continue
    if (command !== undefined) return refusal(command)
  }
  return undefined
}

function controlCommand(words: readonly string[]): string | undefined {
  const [first = '', second = '', third] = words
  // These end a transaction that another connection has prepared.
  if (second === 'prepared') return undefined
  if (commands.has(first)) return first
  const isPair = second === 'transaction' && ['prepare', 'set', 'start'].includes(first)
  if (isPair) return `${first} transaction`
  const isDefault = first === 'set' && second === 'session' && third === 'characteristics'
  return isDefault ? 'set session characteristics' : undefined
}

function refusal(command: string): FwError {
  const isMode = command.startsWith('set')
  const advice = isMode
    ? 'give the mode to database.transaction(work, { isolation, readOnly })'
    : 'call database.transaction(work); inside it, a nested call is a savepoint'
  return new FwError(
    'db.transaction-control',
    `The SQL contains ${command.toUpperCase()}, which would change the transactions of other statements: ${advice}.`,
  )
}
