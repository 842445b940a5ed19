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
  isReached(now: number): boolean {
    if (this.#limit > 0 && now - this.#measuredAt >= interval) {
      this.#measuredAt = now
      this.#isReached = process.memoryUsage.rss() > this.#limit
    }
    return this.#isReached
  }
}

/**
 * Returns 95 % of the memory that a container allows this process to use, because the kernel ends the process at 100 %; 0 without
 * a container.
 */
export function defaultMemoryLimit(): number {
  const allowed = process.constrainedMemory()
  return allowed > 0 && allowed < totalmem() ? Math.floor(allowed * 0.95) : 0
}
