/** Logs a repeated error only once a second for each error code, with the number of errors. */
import { outsideRequests } from './current-request.ts'
import type { Logger } from './logger.ts'

const interval = 1_000

/** Logger → error code → the number of errors not yet logged in the current second. */
const counters = new WeakMap<Logger, Map<string, number>>()

/**
 * Calls `log` for the first error with a code. Further errors with that code are only counted, and their number is logged once
 * a second. The code's first second without an error ends the counting.
 */
export function logRepeated(logger: Logger, code: string, log: () => void): void {
  let counts = counters.get(logger)
  if (counts === undefined) counters.set(logger, (counts = new Map()))
  const count = counts.get(code)
  if (count !== undefined) {
    counts.set(code, count + 1)
    return
  }
  counts.set(code, 0)
  // The later lines count the errors of many requests, so they need no request id.
  outsideRequests(() => startInterval(logger, code, counts))
  log()
}

function startInterval(logger: Logger, code: string, counts: Map<string, number>): void {
  setTimeout(() => {
    const count = counts.get(code)!
    if (count === 0) {
      counts.delete(code)
      return
    }
    counts.set(code, 0)
    startInterval(logger, code, counts)
    try {
      logger.error({ code, count }, 'more requests failed with the same code')
    } catch {
      // The logger itself failed, so the failure cannot be logged.
    }
  }, interval).unref()
}
