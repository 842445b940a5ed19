/** `MemoryLimit`: whether the process uses so much memory that no further request should begin. */
import { totalmem } from 'node:os'

/** The milliseconds between two measurements, because one takes as long as a small request. */
const interval = 100

export class MemoryLimit {
  readonly #limit: number
  #measuredAt = -interval
  #isReached = false

  /** `limit` is in bytes; 0 is no limit. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns whether the process uses more than the limit. `now` is a time of `performance.now()`. */
  isReached(now = performance.now()): boolean {
    if (this.#limit > 0 && now - this.#measuredAt >= interval) {
      this.#measuredAt = now
      this.#isReached = process.memoryUsage.rss() > this.#limit
    }
    return this.#isReached
  }
}

/**
 * Returns the share of one process in 95 % of the memory that a container allows, because the kernel ends a process at 100 %; 0
 * without a container. `processes` is the number of processes that serve in the container.
 */
export function defaultMemoryLimit(
  processes = 1,
  allowed = process.constrainedMemory(),
  total = totalmem(),
): number {
  return allowed > 0 && allowed < total ? Math.floor((allowed * 0.95) / processes) : 0
}
