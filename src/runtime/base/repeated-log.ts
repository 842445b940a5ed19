/** Logs repeated events only once a second for each kind, with their number. */
import { outsideRequests } from './current-request.ts'
import type { Logger } from './logger.ts'

const interval = 1_000

/** A kind of event: its lines are counted together. */
export interface RepeatedEvent {
  /** The error code, which is a field of the lines. */
  readonly code: string
  readonly level: 'warn' | 'error'
  /** The message of the lines that contain a number of events. */
  readonly message: string
}

/** Logger → kind → the number of events not yet logged in the current second. */
const counters = new WeakMap<Logger, Map<string, number>>()

/**
 * Calls `log` for the first event of a kind; by default, that logs the count 1. Further events of that kind are only counted, and
 * their number is logged once a second. The first second without an event ends the counting.
 */
export function logRepeated(
  logger: Logger,
  event: RepeatedEvent,
  log: () => void = () => logCount(logger, event, 1),
): void {
  let counts = counters.get(logger)
  if (counts === undefined) counters.set(logger, (counts = new Map()))
  const kind = `${event.code} ${event.message}`
  const count = counts.get(kind)
  if (count !== undefined) {
    counts.set(kind, count + 1)
    return
  }
  counts.set(kind, 0)
  // The later lines count the events of many requests, so they need no request id.
  outsideRequests(() => startInterval(logger, event, kind, counts))
  log()
}

/** Never throws: the callers are timers and events of sockets, so that an error would end the process. */
function logCount(logger: Logger, { code, level, message }: RepeatedEvent, count: number): void {
  try {
    logger[level]({ code, count }, message)
  } catch {
    // The logger itself failed, so the failure cannot be logged.
  }
}

function startInterval(
  logger: Logger,
  event: RepeatedEvent,
  kind: string,
  counts: Map<string, number>,
): void {
  setTimeout(() => {
    const count = counts.get(kind)!
    if (count === 0) {
      counts.delete(kind)
      return
    }
    counts.set(kind, 0)
    startInterval(logger, event, kind, counts)
    logCount(logger, event, count)
  }, interval).unref()
}
