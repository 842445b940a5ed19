/** Logs of statements: the slow ones, and in development all statements of a request. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '../base.ts'
import type { Statement } from './connection.ts'

/** Where to log slow statements. */
export interface SlowQueryLog {
  readonly logger: Logger
  /** Statements that take more milliseconds are logged. */
  readonly threshold: number
  /** Logs the parameters too, which may be personal data. */
  readonly values: boolean
}

/** Called after every statement; `milliseconds` is from sending to response. */
export type SlowQueryReporter = (
  sql: string,
  values: readonly unknown[] | undefined,
  milliseconds: number,
) => void

export function slowQueryReporter(log: SlowQueryLog | undefined): SlowQueryReporter {
  if (!log) return () => {}
  const { logger, threshold, values } = log
  return (sql, parameters, milliseconds) => {
    if (milliseconds <= threshold) return
    const fields = { sql, milliseconds: Math.round(milliseconds) }
    logger.warn(values ? { ...fields, values: parameters } : fields, 'slow query')
  }
}

/** A statement of the current request. */
export interface SentStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Absent while the statement runs. */
  milliseconds?: number
  /** The error message, if it failed. */
  failure?: string
}

/** Bounds the memory of a request that sends statements in a loop. */
const maxStatements = 200

const log = new AsyncLocalStorage<SentStatement[]>()
/** Skips the lookup in processes that never call `logStatements`, such as production. */
let isLogging = false

/** Runs `work` and records its statements for `sentStatements`. */
export function logStatements<T>(work: () => T): T {
  isLogging = true
  return log.run([], work)
}

/** The statements that the current `logStatements` has recorded: oldest first, at most 200. */
export const sentStatements = (): readonly SentStatement[] => log.getStore() ?? []

/** Records a statement; returns its promise unchanged. */
export function logStatement<T>(statement: Statement, result: Promise<T>): Promise<T> {
  const statements = isLogging ? log.getStore() : undefined
  if (statements === undefined || statements.length === maxStatements) return result
  const entry: SentStatement = { sql: statement.sql, parameters: statement.parameters }
  statements.push(entry)
  const start = performance.now()
  const end = (): void => {
    entry.milliseconds = performance.now() - start
  }
  result.then(end, (error: unknown) => {
    end()
    entry.failure = error instanceof Error ? error.message : String(error)
  })
  return result
}
