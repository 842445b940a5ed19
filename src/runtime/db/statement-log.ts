/** Logs slow statements, and in development records all statements of a request. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { runWithRequest, type CurrentRequest, type Logger } from '../base.ts'
import { addCallSite, applicationLine, type CallSite, captureCallSite } from './call-site.ts'
import type { Statement } from './connection.ts'

/** The settings of the log for slow statements. */
export interface SlowQueryLog {
  readonly logger: Logger
  /** The duration in milliseconds above which a statement is logged. */
  readonly threshold: number
  /** True also logs the parameters, which may be personal data. */
  readonly values: boolean
}

/** The function that is called after every statement; `milliseconds` is the time from sending to response, `request` the sender. */
export type SlowQueryReporter = (
  sql: string,
  values: readonly unknown[] | undefined,
  milliseconds: number,
  request: CurrentRequest | undefined,
) => void

export function slowQueryReporter(log: SlowQueryLog | undefined): SlowQueryReporter {
  if (!log) return () => {}
  const { logger, threshold, values } = log
  return (sql, parameters, milliseconds, request) => {
    if (milliseconds <= threshold) return
    const fields = { sql, milliseconds: Math.round(milliseconds) }
    const line = values ? { ...fields, values: parameters } : fields
    runWithRequest(request, () => logger.warn(line, 'slow query'))
  }
}

/** A recorded statement of a request. */
export interface SentStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The duration in milliseconds; absent while the statement runs. */
  milliseconds?: number
  /** The error message, if the statement failed. */
  failure?: string
}

/** The maximum number of recorded statements of a request; bounds the memory if it sends statements in a loop. */
const maxStatements = 200
/** How often one line of code must send the same SELECT in a request before a warning is logged. */
const reportedRepeats = 5
const repeatAdvice =
  `one line sent this SELECT ${reportedRepeats} times in a request: ` +
  'load the rows at once, with include of a relation or an in condition'

interface StatementLog {
  readonly statements: SentStatement[]
  /** Line of code and SQL → how often that line has sent the SQL. */
  readonly reads: Map<string, number>
}

const log = new AsyncLocalStorage<StatementLog | undefined>()
/** True after the first call of `logStatements`; other processes, such as in production, skip the lookup of the log. */
let isLogging = false

/** Runs `work` and records its statements for `sentStatements`. */
export function logStatements<T>(work: () => T): T {
  isLogging = true
  return log.run({ statements: [], reads: new Map() }, work)
}

/** Runs `work`, whose statements are not recorded. */
export const withoutStatementLog = <T>(work: () => T): T => log.run(undefined, work)

type StatementListener = (statement: SentStatement) => void
let listener: StatementListener | undefined

/** Sets the function that is called after each recorded statement; `undefined` removes it. */
export function onStatement(listen: StatementListener | undefined): void {
  listener = listen
}

/** The statements that the enclosing `logStatements` call has recorded: oldest first, at most 200. */
export const sentStatements = (): readonly SentStatement[] => log.getStore()?.statements ?? []

/**
 * Records a statement, and returns its promise unchanged. An error gets the stack of the call. Warns if a line of code sends
 * the same SELECT repeatedly, once for each row.
 */
export function logStatement<T>(
  statement: Statement,
  result: Promise<T>,
  logger: Logger,
): Promise<T> {
  if (!isLogging) return result
  const site = captureCallSite(logStatement)
  // Register this handler before the caller's handlers, so that they receive the error with the stack.
  result.catch((error: unknown) => addCallSite(error, site))
  const current = log.getStore()
  if (current === undefined || current.statements.length === maxStatements) return result
  const { sql, parameters } = statement
  const line = countRead(current.reads, sql, site)
  if (line !== undefined) logger.warn({ line, sql }, repeatAdvice)
  const entry: SentStatement = { sql, parameters }
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

/** Counts a SELECT. Returns the line of code that sent it when that line has sent it `reportedRepeats` times. */
function countRead(reads: StatementLog['reads'], sql: string, site: CallSite) {
  const line = /^\s*(?:select|with)\b/i.test(sql) ? applicationLine(site) : undefined
  if (line === undefined) return undefined
  const key = `${line} ${sql}`
  const times = (reads.get(key) ?? 0) + 1
  reads.set(key, times)
  return times === reportedRepeats ? line : undefined
}
