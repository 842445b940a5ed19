/** `warnElapsedTime`: measures how long a function runs, and logs a warning if it is slow. */
import { toMilliseconds, type Duration } from './duration.ts'
import type { LogFields, Logger } from './logger.ts'
import { runWithEnd } from './promise.ts'

/**
 * Runs `block` and returns its result. If `block` takes longer than `threshold` (milliseconds, or a text such as `1s`), logs
 * the warning `[SLOW EXECUTION DETECTED] Elapsed time: <n> millis`; otherwise logs the time at level debug.
 * If `block` returns a promise, the time until the promise settles is measured. A `block` that throws is measured and logged
 * too. The warning also has the fields of `extra`, and in `at` up to 5 stack frames of the caller.
 *
 * @spec Diagnostics › warnElapsedTime
 */
export function warnElapsedTime<T>(
  threshold: Duration,
  block: () => T,
  logger: Logger,
  extra?: () => LogFields,
): T {
  const caller: { stack?: string } = {}
  Error.captureStackTrace(caller, warnElapsedTime)
  const most = toMilliseconds(threshold)
  const start = performance.now()
  const report = (): void => {
    const millis = Math.floor(performance.now() - start)
    const text = `Elapsed time: ${millis} millis`
    if (millis <= most) return logger.debug({ millis }, text)
    const at = topFrames(caller.stack)
    logger.warn({ millis, ...extra?.(), at }, `[SLOW EXECUTION DETECTED] ${text}`)
  }
  return runWithEnd(block, report)
}

function topFrames(stack = ''): string[] {
  const lines = stack.split('\n').filter((line) => line.startsWith('    at '))
  return lines.slice(0, 5).map((line) => line.slice(7))
}
