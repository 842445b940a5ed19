/** `HeapLimit`: tells whether the heap is so full that no further request should begin. */
import { getHeapStatistics } from 'node:v8'

/** The share of V8's limit from which the heap counts as full. */
const full = 0.9
/** The milliseconds between two measurements, because a measurement takes as long as a small request. */
const interval = 100

export class HeapLimit {
  #measuredAt = -interval
  #isReached = false

  /** Returns whether the heap is full. `now` is a time of `performance.now()`. */
  isReached(now: number): boolean {
    if (now - this.#measuredAt >= interval) {
      this.#measuredAt = now
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
      this.#isReached = used > limit * full
    }
    return this.#isReached
  }
}
