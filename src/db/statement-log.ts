/** The statements of one request, for the page that tells its developer of a fault. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Statement } from './connection.ts'

/** A statement that was sent. */
export interface SentStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Absent while it is not answered. */
  milliseconds?: number
  /** What the database answered instead of rows. */
  failure?: string
}

/** A request that asks without end shall not fill the memory. */
const mostStatements = 200

const log = new AsyncLocalStorage<SentStatement[]>()
/** Nothing is looked up where nothing is logged: in production, in tests. */
let logging = false

/** Runs `work`; what it sends to databases, and what it starts sends, can be told by `sentStatements`. */
export function logStatements<T>(work: () => T): T {
  logging = true
  return log.run([], work)
}

/** What the running work has sent so far, oldest first, 200 at most; nothing outside `logStatements`. */
export const sentStatements = (): readonly SentStatement[] => log.getStore() ?? []

/** Passes the answer of a statement on. */
export function logged<T>(statement: Statement, answer: Promise<T>): Promise<T> {
  const sent = logging ? log.getStore() : undefined
  if (sent === undefined || sent.length === mostStatements) return answer
  const entry: SentStatement = { sql: statement.sql, parameters: statement.parameters }
  sent.push(entry)
  const began = performance.now()
  const end = (): void => {
    entry.milliseconds = performance.now() - began
  }
  answer.then(end, (error: unknown) => {
    end()
    entry.failure = error instanceof Error ? error.message : String(error)
  })
  return answer
}
