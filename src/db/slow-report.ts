/** Statements that took long, in the log: their SQL, and their values only where that was asked for. */
import type { Logger } from '../base.ts'

/** Told of every statement; `milliseconds` is from sending to answer. */
export type SlowReport = (
  sql: string,
  values: readonly unknown[] | undefined,
  milliseconds: number,
) => void

/** Which statements are logged, and where. */
export interface SlowQueryLog {
  readonly logger: Logger
  /** Milliseconds above which a statement is logged. */
  readonly threshold: number
  /** Logs the parameters too: they are personal data as often as not. */
  readonly values: boolean
}

export function slowReport(log: SlowQueryLog | undefined): SlowReport {
  if (!log) return () => {}
  const { logger, threshold, values } = log
  return (sql, parameters, milliseconds) => {
    if (milliseconds <= threshold) return
    const fields = { sql, milliseconds: Math.round(milliseconds) }
    logger.warn(values ? { ...fields, values: parameters } : fields, 'slow query')
  }
}
