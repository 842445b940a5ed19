/** Limits the log of errors that overload repeats: one line a second for each code, with their number. */
import type { Logger } from './logger.ts'

const interval = 1_000

/** The timers and counts of a logger, by code. */
const counters = new WeakMap<Logger, Map<string, number>>()

/**
 * Calls `log` for the first error of a code, and counts those of the following second; then logs their number, and so on
 * until a second without one.
 */
export function logCounted(logger: Logger, code: string, log: () => void): void {
  let counts = counters.get(logger)
  if (counts === undefined) counters.set(logger, (counts = new Map()))
  const count = counts.get(code)
  if (count !== undefined) {
    counts.set(code, count + 1)
    return
  }
  counts.set(code, 0)
  startInterval(logger, code, counts)
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
      // There is no other log.
    }
  }, interval).unref()
}
