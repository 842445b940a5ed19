/** Logs of statements: the slow ones, and in development all statements of a request. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Logger } from '../base.ts'
import { addCallSite, applicationLine, type CallSite, captureCallSite } from './call-site.ts'
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
/** A line that sends one SELECT this many times in a request is reported. */
const reportedRepeats = 5

interface StatementLog {
  readonly statements: SentStatement[]
  /** Line and SQL → number of times. */
  readonly reads: Map<string, number>
}

const log = new AsyncLocalStorage<StatementLog>()
/** Skips the lookup in processes that never call `logStatements`, such as production. */
let isLogging = false

/** Runs `work` and records its statements for `sentStatements`. */
export function logStatements<T>(work: () => T): T {
  isLogging = true
  return log.run({ statements: [], reads: new Map() }, work)
}

/** Called after each statement of this process. */
type StatementListener = (statement: SentStatement) => void
let listener: StatementListener | undefined

/** Calls a function after each statement that `logStatements` records; `undefined` ends it. */
export function onStatement(listen: StatementListener | undefined): void {
  listener = listen
}

/** The statements that the current `logStatements` has recorded: oldest first, at most 200. */
export const sentStatements = (): readonly SentStatement[] => log.getStore()?.statements ?? []

/**
 * Records a statement; returns its promise unchanged. In processes that log statements, an error gets the stack of the
 * call, and a line that reads rows one by one is logged as a warning.
 */
export function logStatement<T>(
  statement: Statement,
  result: Promise<T>,
  logger: Logger,
): Promise<T> {
  if (!isLogging) return result
  const site = captureCallSite(logStatement)
  // Registered before the caller's handlers, so that they get the error with the stack.
  result.catch((error: unknown) => addCallSite(error, site))
  const current = log.getStore()
  if (current === undefined || current.statements.length === maxStatements) return result
  countReads(current.reads, { sql: statement.sql, site, logger })
  const entry: SentStatement = { sql: statement.sql, parameters: statement.parameters }
  current.statements.push(entry)
  const start = performance.now()
  const end = (): void => {
    entry.milliseconds = performance.now() - start
    listener?.(entry)
  }
  result.then(end, (error: unknown) => {
    entry.failure = error instanceof Error ? error.message : String(error)
    end()
  })
  return result
}

interface Read {
  readonly sql: string
  readonly site: CallSite
  readonly logger: Logger
}

function countReads(reads: Map<string, number>, { sql, site, logger }: Read): void {
  if (!/^\s*(?:select|with)\b/i.test(sql)) return
  const line = applicationLine(site)
  if (line === undefined) return
  const key = `${line} ${sql}`
  const times = (reads.get(key) ?? 0) + 1
  reads.set(key, times)
  if (times !== reportedRepeats) return
  const advice = 'load the rows at once, with include of a relation or an in condition'
  logger.warn({ line, sql }, `one line sent this SELECT ${times} times in a request: ${advice}`)
}
