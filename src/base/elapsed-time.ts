/** Measures a block, and warns when it was slow. */
import { isPromise } from './promise.ts'
import type { LogFields, Logger } from './logger.ts'

/**
 * Runs `block` and gives back what it gives, promise or not. Longer than `threshold` (strictly, in whole
 * milliseconds): a warning `[SLOW EXECUTION DETECTED] Elapsed time: <n> millis`; otherwise a debug line without
 * the mark. A block that throws is measured too. The warning names the caller in `at` (up to 5 frames); `extra` adds
 * fields to it and is asked only when slow.
 *
 * @spec Diagnostics › warnElapsedTime
 */
export function warnElapsedTime<T>(
  threshold: number,
  block: () => T,
  logger: Logger,
  extra?: () => LogFields,
): T {
  const watch = new Stopwatch(threshold, logger, extra)
  let result: T
  try {
    result = block()
  } catch (error) {
    watch.stop()
    throw error
  }
  if (isPromise(result)) return watch.follow(result) as T
  watch.stop()
  return result
}

class Stopwatch {
  readonly #threshold: number
  readonly #logger: Logger
  readonly #extra: (() => LogFields) | undefined
  readonly #place: { stack?: string } = {}
  readonly #start: number

  constructor(threshold: number, logger: Logger, extra: (() => LogFields) | undefined) {
    this.#threshold = threshold
    this.#logger = logger
    this.#extra = extra
    Error.captureStackTrace(this.#place, warnElapsedTime)
    this.#start = performance.now()
  }

  stop(): void {
    const millis = Math.floor(performance.now() - this.#start)
    const text = `Elapsed time: ${millis} millis`
    if (millis <= this.#threshold) return this.#logger.debug({ millis }, text)
    const fields = { millis, ...this.#extra?.(), at: this.#frames() }
    this.#logger.warn(fields, `[SLOW EXECUTION DETECTED] ${text}`)
  }

  /** The promise to use instead of `result`: calling `then` twice would run a lazy query twice. */
  follow<T>(result: PromiseLike<T>): PromiseLike<T> {
    return result.then(
      (value) => {
        this.stop()
        return value
      },
      (error: unknown) => {
        this.stop()
        throw error
      },
    )
  }

  #frames(): string[] {
    const lines = this.#place.stack?.split('\n') ?? []
    return lines
      .filter((line) => line.startsWith('    at '))
      .slice(0, 5)
      .map((line) => line.slice(7))
  }
}
