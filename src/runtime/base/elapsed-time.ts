/** `warnElapsedTime`: measures a block, and warns when it is slow. */
import { toMilliseconds, type Duration } from './duration.ts'
import type { LogFields, Logger } from './logger.ts'
import { isPromise } from './promise.ts'

/**
 * Runs `block` and returns its result, promise or not. Above `threshold`, milliseconds or a text such as `1s`, it logs a warning
 * `[SLOW EXECUTION DETECTED] Elapsed time: <n> millis`, otherwise a debug line without the mark; also when the block
 * throws. The warning has up to 5 frames of the caller in `at`, and the fields of `extra`.
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
  let result: T
  try {
    result = block()
  } catch (error) {
    report()
    throw error
  }
  if (isPromise(result)) return reportAfter(result, report) as T
  report()
  return result
}

/** Calls `then` once: each call would run a lazy query. */
function reportAfter<T>(result: PromiseLike<T>, report: () => void): PromiseLike<T> {
  return result.then(
    (value) => {
      report()
      return value
    },
    (error: unknown) => {
      report()
      throw error
    },
  )
}

function topFrames(stack = ''): string[] {
  const lines = stack.split('\n').filter((line) => line.startsWith('    at '))
  return lines.slice(0, 5).map((line) => line.slice(7))
}
